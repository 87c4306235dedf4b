"""New plugin distributions: a name, checked, and the files of a template with it."""

from irmx.scaffold.names import Names
from irmx.scaffold.writing import new_plugin

__all__ = ["Names", "new_plugin"]
