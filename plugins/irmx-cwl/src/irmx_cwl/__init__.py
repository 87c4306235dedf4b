"""Users who go on from document to document, by C/W/L, and from query to query, in sessions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
