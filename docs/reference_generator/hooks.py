"""The page of the hooks, made from the hook specifications."""

from __future__ import annotations

import inspect
import re

from irmx import hookspecs, registry
from irmx.plugin.discovery import HOOKS


def page() -> str:
    """Return the page."""
    body = "\n\n".join(_hook(name) for name in HOOKS)
    return f"""# Hooks

{_plain(inspect.getdoc(hookspecs) or "")}

How to write one is in [the guide](../guide/writing-a-plugin.md).

{body}
"""


def _hook(name: str) -> str:
    function = getattr(hookspecs, name)
    what = name.removeprefix("irmx_")
    offered = {info.name: info.offers[what] for info in registry().plugins.values() if what in info.offers}
    lines = [f"- {plugin}: {', '.join(f'`{n}`' for n in names)}" for plugin, names in offered.items()]
    listed = "\n".join(lines) or "- none"
    return f"""## {name}

```python
@irmx.hookimpl
def {name}() -> {function.__annotations__["return"]}: ...
```

{_plain(inspect.getdoc(function) or "")}

What the installed plugins offer:

{listed}"""


def _plain(text: str) -> str:
    """Return the text of a docstring with its roles as MyST roles."""
    text = re.sub(r":(\w+):`([^`]+)`", r"{py:\1}`\2`", text)
    return text.replace("``", "`").replace("{py:data}`irmx.hookimpl`", "`irmx.hookimpl`")
