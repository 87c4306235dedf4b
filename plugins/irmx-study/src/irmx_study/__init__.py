"""Studies of runs and measures: sweeps over the parameters of a measure, and their analysis."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
