"""A user of C/W/L who stops when enough documents with a gain have been found."""

from irmx_need.user import NEED, Need

__all__ = ["NEED", "Need"]
