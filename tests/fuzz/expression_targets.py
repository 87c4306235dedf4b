"""Texts of measures: made from what is declared, with legal, extreme and illegal values, then mutated."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import ir_measures
from mutations import OF_TEXT, TEXTS, mutated
from outcomes import WrongValueError
from targets import Target

import irmx
from irmx.declare.expressions import measure_names

NUMBERS = ["0", "1", "2", "10", "100", "-1", "0.5", "0.8", "1.0", "1e-9", "1e9", "1e308", "1e309", "inf", "-inf", "nan", "-0.0", "5e-324",
           str(2**53), str(2**63), "9" * 100, "9" * 5000, "0x10", "1_000", "1j", "True", "None"]  # fmt: skip
MARKS = ["*", "1|2|3", "1:5", "0.1:1:0.1", "1:1000000000", "5:1", "|", ":", "1:2:0", "'a'|'b'", "None|1", "*|1"]


def value_text(random: Random, declared: Any) -> str:
    """Return the text of a value for a declared parameter: often legal, sometimes anything."""
    way = random.random()
    if way < 0.15:
        return random.choice([*NUMBERS, *MARKS, random.choice(TEXTS), repr(random.choice(TEXTS))])
    allowed = getattr(declared, "allowed", None) or getattr(declared, "choices", None)
    allowed = allowed if isinstance(allowed, (list, tuple)) else None
    if getattr(declared, "kind", ""):
        named = irmx.registry().symbols(declared.kind)
        name = random.choice(sorted(named))
        return call_text(random, name, named[name].SUPPORTED_PARAMS)
    if allowed:
        return repr(random.choice(list(allowed)))
    if declared.dtype is bool:
        return random.choice(("True", "False"))
    if declared.dtype is list:
        return "[" + ", ".join(random.choice(NUMBERS) for _ in range(random.randrange(4))) + "]"
    if declared.dtype is dict:
        return (
            "{"
            + ", ".join(f"{random.choice(NUMBERS)}: {random.choice(NUMBERS)}" for _ in range(random.randrange(3)))
            + "}"
        )
    if declared.dtype in (str, object):
        return repr(random.choice(TEXTS))
    low, high = getattr(declared, "low", None), getattr(declared, "high", None)
    bounds = [
        repr(b)
        for b in (low, high, getattr(declared, "above", None), getattr(declared, "below", None))
        if b is not None
    ]
    return random.choice([*NUMBERS[:10], *bounds, random.choice(NUMBERS), "'1.5h'", "1 h"])


def call_text(random: Random, name: str, declared: dict[str, Any]) -> str:
    """Return a call of a measure or a named object with some of its parameters."""
    names = [n for n, param in declared.items() if getattr(param, "required", False) or random.random() < 0.25]
    text = ", ".join(f"{n}={value_text(random, declared[n])}" for n in names)
    return f"{name}({text})" if names else name


def measure_text(random: Random) -> str:
    """Return the text of a measure."""
    name = random.choice(sorted(measure_names()))
    text = call_text(random, name, measure_names()[name].SUPPORTED_PARAMS)
    return text + random.choice(("", "", "@10", f"@{random.choice(NUMBERS)}", f" @ {random.choice(MARKS)}"))


def odd_text(random: Random) -> bytes:
    """Return the text of one or several measures, half of them mutated."""
    text = random.choice((" ", "  ", "\n", "\u00a0")).join(
        measure_text(random) for _ in range(random.choice((1, 1, 1, 2, 4)))
    )
    content = text.encode("utf-8", "surrogatepass")
    return mutated(random, [content], OF_TEXT) if random.random() < 0.5 else content


def parse_back(path: Path) -> None:
    """Parse a text; every measure that comes out must parse back to an equal one."""
    text = path.read_bytes().decode("utf-8", "replace")
    for measure in irmx.parse_measures(text):
        for again in (repr(measure), str(measure)):
            try:
                parsed = irmx.parse_measure(again)
            except irmx.IrmxError as error:
                raise WrongValueError(f"accepted, but its text is refused: {again[:300]}: {error}") from None
            if parsed != measure or hash(parsed) != hash(measure):
                raise WrongValueError(f"parses back to another measure: {again[:300]}")
        assert isinstance(measure, ir_measures.Measure)


SOUND = [
    "AP",
    "nDCG@10 P@5",
    "MP(model=GL_AD_ID)@100",
    "NCP(law=geometric(p=0.3),rel=2)",
    "MP(model=*)",
    "RBP(p=0.5|0.8, rel=1)",
    "map ndcg_cut.5,10",
]

EXPRESSIONS = [Target("expressions", parse_back, [text.encode() for text in SOUND], make=odd_text, names_file=False)]
