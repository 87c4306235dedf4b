"""Answers and their readers: the share of nuggets, support by citations, people and language models who read, battles."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
