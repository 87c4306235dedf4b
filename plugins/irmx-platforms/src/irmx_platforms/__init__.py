"""Files of other platforms: traces of agents and assistants, rankings and judgments, results by item."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
