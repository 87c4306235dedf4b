"""The colours of two systems, of a better and a worse one, and of what is less important."""

from irmx.toolkit import COLOURS

BLUE, VERMILION = COLOURS[:2]
GREY = "#666666"
