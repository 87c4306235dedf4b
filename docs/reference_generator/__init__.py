"""Writes ``docs/reference/``: the pages that are made from the code, so that nothing is described twice.

Made at every build of the documentation; git ignores the result. A measure, a user model, a command or a hook
that is added to the code, or to a plugin that is installed, has its page at the next build.
"""

from __future__ import annotations

import re
from pathlib import Path

from irmx.cli.measures import table
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
    kinds = sorted(p.removesuffix(".md") for p in made if p.endswith("/index.md") and p != "measures/index.md")
    api_pages = [p.removesuffix(".md") for p in made if p.startswith("api/")]
    for_authors = [p for p in api_pages if p.startswith(("api/irmx.toolkit", "api/irmx.testing"))]
    groups = {
        "Measures": ["measures/index"],
        "Values of their parameters": kinds,
        "What is typed and read": ["commands", "columns", "formats"],
        "Python": [p for p in api_pages if p not in for_authors],
        "For authors of plugins": ["hooks", *for_authors],
    }
    tables = "\n\n".join(
        f"## {title}\n\n{table(['page', ''], [_line(page, made) for page in of])}" for title, of in groups.items()
    )
    entries = "\n".join(page for of in groups.values() for page in of)
    return f"""# Reference

These pages are made from the code when the documentation is built.

{tables}

```{{toctree}}
:hidden:

{entries}
```
"""


def _line(page: str, made: dict[str, str]) -> list[str]:
    """Return the title of a page, as a link, and the first sentence of what it says."""
    title, _, text = made[f"{page}.md"].removeprefix("# ").partition("\n\n")
    first = text.partition("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"(?<=[.])\s", first, maxsplit=1)[0].removeprefix("irmx: ")
    sentence = sentence[:1].upper() + sentence[1:]
    folder = f"{page.rpartition('/')[0]}/" if "/" in page else ""
    return [f"[{title}]({page}.md)", sentence.replace("](../", "](").replace("](index.md", f"]({folder}index.md")]


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
