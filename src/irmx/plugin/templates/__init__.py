"""New plugin distributions: a name, checked, and the files of a template with it."""

from irmx.plugin.templates.names import Names
from irmx.plugin.templates.writing import new_plugin

__all__ = ["Names", "new_plugin"]
