"""What other tools compute under the names of nDCG, AP, P, R and RR, from the tables that ``irmx reconcile`` searches.

Writes a section of the page ``other_tools.md`` beside this file, and its tables.
"""

from __future__ import annotations

from pathlib import Path

from markdown_pages import beside, markdown, write_section

from irmx_trec.conventions import CONVENTIONS, TOOLS

PAGE = Path(__file__).with_suffix(".md")
SHOWN = (
    *("trec_eval -c", "trec_eval", "pytrec_eval", "ir_measures", "BEIR", "ranx", "trectools", "sentence-transformers"),
    *("scikit-learn `ndcg_score`", "torchmetrics", "LightGBM", "XGBoost `ndcg@k`", "OpenSearch", "Elasticsearch"),
)
"""The rows of nDCG on the page."""

TEXT = """\
Tools with a measure of one name make different choices where its definition leaves some open. On one run, with complete judgments and without
ties, nDCG@10 is .7347 with trec_eval and between .2077 and .9131 with others. [`irmx reconcile`](../guide/reconcile.md) finds the choices behind
a number. For nDCG, unlike irmx:

{ndcg}

[All tools and measures]({tools}); [what each convention means]({conventions}), the first option being that of irmx. *List* stands for
`ties file`, `duplicates twice`: the tool reads sorted lists.

The tools were run in November 2026 on files with ties, duplicates, negative grades and missing topics; for
LightGBM, implicit, recommenders, OpenSearch and Elasticsearch, formulas were read in part. Versions change.

Made by `python docs/results/other_tools.py`.
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
    """Write the section and its tables."""
    of_tools = tools()
    text = TEXT.format(
        ndcg=markdown(
            ["tool", "otherwise"],
            [[row[0], row[2]] for row in of_tools if row[0] in SHOWN and ("nDCG" in row[1] or row[1] == "all")],
            2,
        ),
        tools=beside(PAGE, "other_tools", ["tool", "measures", "otherwise"], of_tools),
        conventions=beside(PAGE, "other_tools_conventions", ["convention", "options", "measures"], conventions()),
    )
    write_section(PAGE, "What other tools compute", text)


if __name__ == "__main__":
    main()
