"""Creating new plugin distributions: checking their names, and filling in a template."""

from irmx.plugin.templates.names import Names
from irmx.plugin.templates.writing import new_plugin

__all__ = ["Names", "new_plugin"]
