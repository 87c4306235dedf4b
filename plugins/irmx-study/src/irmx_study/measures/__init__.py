"""Studies of measures: agreement, discrimination, missing judgments, sweeps."""
