"""Measures of whole sessions: users who go on from document to document, and from query to query."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
