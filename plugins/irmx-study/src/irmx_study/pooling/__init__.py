"""How robust measures are to missing judgments: smaller pools, and pools without one group's documents."""
