"""Modeled Stream Utility, and the measures of the TREC Temporal Summarization track."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
