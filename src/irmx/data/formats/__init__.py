"""The file formats that the host reads, and how the format of a file is found."""
