"""Writes ``docs/reference/``: the pages that are made from the code, so that nothing is described twice.

Made at every build of the documentation; git ignores the result. A measure, a user model, a command or a hook
that is added to the code, or to a plugin that is installed, has its page at the next build.
"""

from __future__ import annotations

from pathlib import Path

from reference_generator import api, commands, hooks, measures, symbols, vocabulary


def pages() -> dict[str, str]:
    """Return the text of every page by its path under ``docs/reference/``."""
    out = {
        **measures.pages(),
        **symbols.pages(),
        "commands.md": commands.page(),
        "hooks.md": hooks.page(),
        "columns.md": vocabulary.columns_page(),
        "formats.md": vocabulary.formats_page(),
        **api.pages(),
    }
    return out | {"index.md": _index(out)}


def _index(made: dict[str, str]) -> str:
    first = ["measures/index", *sorted(p.removesuffix(".md") for p in made if p.endswith("/index.md"))]
    rest = ["commands", "columns", "formats", "hooks", *(p.removesuffix(".md") for p in made if p.startswith("api/"))]
    entries = "\n".join(dict.fromkeys([*first, *rest]))
    return f"""# Reference

These pages are made from the code when the documentation is built.

```{{toctree}}
:maxdepth: 2

{entries}
```
"""


def write(folder: Path, scripts: Path) -> None:
    """Write pages and pictures into a folder; what is there already and the same stays untouched.

    Parameters
    ----------
    folder : Path
        Where to.
    scripts : Path
        The folder of scripts that draw pictures; see :func:`reference_generator.figures.figures`.

    Raises
    ------
    RuntimeError
        Where a plugin is not in use, or something that a user can name has no place in the documentation.
    """
    from reference_generator import checks, figures

    _refuse_missing_plugins()
    made = pages()
    lacking = checks.lacking(made, checks.written(folder.parent))
    if lacking:
        raise RuntimeError("The documentation is not complete:\n" + "\n".join(lacking))
    wanted = {name: text.encode() for name, text in made.items()} | figures.files(
        figures.pictures(scripts), folder.parent
    )
    for name, content in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
            path.unlink()


def _refuse_missing_plugins() -> None:
    """Raise where a plugin is installed but not in use, as its pages would silently be missing."""
    from irmx import registry

    for info in registry().plugins.values():
        if info.failure:
            raise RuntimeError(f"The plugin {info.source} is not in use: {info.failure}")
