"""The commands of irmx-study, one file each."""
