"""Markov Precision: precision as seen by a user who moves over the ranking as a Markov chain."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
