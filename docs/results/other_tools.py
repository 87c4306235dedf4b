"""What other tools compute under the names of nDCG, AP, P, R and RR, from the tables that ``irmx reconcile`` searches.

Writes the page ``other_tools.md`` beside this file.
"""

from __future__ import annotations

from pathlib import Path

from markdown_pages import markdown

from irmx_trec.conventions import CONVENTIONS, TOOLS

PAGE = """# What other tools compute

Tools with a measure of one name make different choices where its definition leaves some open. On one run, with complete judgments and without
ties, nDCG@10 is .7347 with trec_eval and between .2077 and .9131 with others. [`irmx reconcile`](../guide/reconcile.md) finds the choices behind
a number.

The tables were made by running each tool on files with ties, duplicates, negative grades, and missing topics, in November 2026; those of
LightGBM, implicit, recommenders, OpenSearch and Elasticsearch in part by reading their formulas. Versions change.

This page is made by `python docs/results/other_tools.py`.

## Conventions

The first option of each is that of irmx, which is trec_eval's with `-c`.

{conventions}

## Tools

What each does otherwise. *List* stands for `ties file`, `duplicates twice`: the tool reads lists, which were sorted by score.

{tools}
"""


def conventions() -> list[list[str]]:
    """Return the conventions with their options."""
    return [
        [
            f"`{name}`: {one.question}",
            "; ".join(f"`{option}` {what}" for option, what in one.options.items()),
            ", ".join(one.measures) if len(one.measures) < 5 else "all",
        ]
        for name, one in CONVENTIONS.items()
    ]


def tools() -> list[list[str]]:
    """Return what tools do otherwise, one row per tool and measure."""
    rows = []
    for tool in TOOLS:
        changes = dict(tool.changes)
        is_list = changes.get("ties") == "file" and changes.get("duplicates") == "twice"
        for name in ("ties", "duplicates") if is_list else ():
            del changes[name]
        texts = ["*list*"] * is_list + [f"`{name} {option}`" for name, option in changes.items()]
        measures = ", ".join(tool.measures) if len(tool.measures) < 5 else "all"
        rows.append([f"{tool.tool} `{tool.name}`" if tool.name else tool.tool, measures, ", ".join(texts) or "nothing"])
    return rows


def main() -> None:
    """Write the page."""
    page = PAGE.format(
        conventions=markdown(["convention", "options", "measures"], conventions(), 3),
        tools=markdown(["tool", "measures", "otherwise"], tools(), 3),
    )
    Path(__file__).with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
