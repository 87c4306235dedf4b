"""Citations of measures, user models and tools."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import version

from irmx.errors import UsageError
from irmx.ragged import short_repr

_ACCENTS = {
    '"': "\N{COMBINING DIAERESIS}",
    "'": "\N{COMBINING ACUTE ACCENT}",
    "`": "\N{COMBINING GRAVE ACCENT}",
    "^": "\N{COMBINING CIRCUMFLEX ACCENT}",
    "~": "\N{COMBINING TILDE}",
}


@dataclass(frozen=True)
class Citation:
    """A publication, as BibTeX.

    Attributes
    ----------
    key : str
        The BibTeX key.
    entry : str
        The entry type, such as ``"inproceedings"``.
    fields : dict of str to str
        The BibTeX fields; short listings show ``doi``.

    Examples
    --------
    >>> print(Citation("Robertson2008", "inproceedings", {"title": "A title", "year": "2008"}).bibtex())
    @inproceedings{Robertson2008,
      title = {A title},
      year = {2008},
    }
    """

    key: str
    entry: str
    fields: dict[str, str] = field(default_factory=dict, hash=False)

    __repr__ = short_repr

    @classmethod
    def from_bibtex(cls, text: str) -> Citation:
        """Return the citation of one BibTeX entry, as publishers give it.

        Parameters
        ----------
        text : str
            The entry. Values stand in braces or quotes, or are numbers; macros and ``#`` are not known.

        Raises
        ------
        irmx.errors.UsageError
            If the text is not one entry; the message says where reading stopped.

        Examples
        --------
        >>> Citation.from_bibtex("@article{Moffat2008, title = {Rank-Biased {P}recision}, year = 2008}").fields
        {'title': 'Rank-Biased {P}recision', 'year': '2008'}
        """
        head = re.match(r"\s*@(\w+)\s*\{\s*([^\s,{}]+)\s*,", text)
        if head is None:
            raise UsageError(
                f"A BibTeX entry starts with its type and key, as @article{{Key2008, ...}}. Got {text[:60]!r}."
            )
        fields: dict[str, str] = {}
        at = head.end()
        while re.compile(r"[\s,]*\}\s*\Z").match(text, at) is None:
            name = re.compile(r"[\s,]*([\w-]+)\s*=\s*").match(text, at)
            value = None if name is None else _bibtex_value(text, name.end())
            if name is None or value is None:
                raise UsageError(f"The BibTeX entry {head[2]} cannot be read from {text[at : at + 40].strip()!r} on.")
            fields[name[1].lower()], at = " ".join(value[0].split()), value[1]
        return cls(head[2], head[1].lower(), fields)

    @property
    def doi(self) -> str:
        """The DOI, or an empty string."""
        return self.fields.get("doi", "")

    def bibtex(self) -> str:
        """Return the BibTeX entry."""
        lines = [f"@{self.entry}{{{self.key},"] + [f"  {k} = {{{v}}}," for k, v in self.fields.items()] + ["}"]
        return "\n".join(lines)

    def __str__(self) -> str:
        f = self.fields
        where = f.get("booktitle") or f.get("journal") or f.get("publisher") or ""
        latex = f"{f.get('author', '')}. {f.get('title', '')}. {where} {f.get('year', '')}.".replace(".  ", ". ")
        accented = re.sub(r"\\([\"'`^~])\s*\{?(\w)", lambda found: found[2] + _ACCENTS[found[1]], latex)
        text = re.sub(r"\\([&%$#_])", r"\1", accented).replace("{", "").replace("}", "")
        return unicodedata.normalize("NFC", text) + (f" doi:{self.doi}" if self.doi else "")


def citations_of(cited: Iterable[Citation | str]) -> tuple[Citation, ...]:
    """Return citations, those given as BibTeX entries read."""
    return tuple(one if isinstance(one, Citation) else Citation.from_bibtex(one) for one in cited)


def _bibtex_value(text: str, start: int) -> tuple[str, int] | None:
    """Return the value that starts at a place, and where it ends; None if there is none."""
    plain = re.compile(r"\d+|\"[^\"]*\"").match(text, start)
    if plain is not None:
        return plain[0].strip('"'), plain.end()
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return (text[start + 1 : at], at + 1) if at > start else None
    return None


IR_MEASURES = Citation(
    "MacAvaneyMacdonaldOunis2022",
    "inproceedings",
    {
        "author": "Sean MacAvaney and Craig Macdonald and Iadh Ounis",
        "title": "Streamlining Evaluation with ir-measures",
        "booktitle": "Advances in Information Retrieval (ECIR 2022)",
        "year": "2022",
        "pages": "305--310",
        "doi": "10.1007/978-3-030-99739-7_38",
    },
)
"""The citation of ir_measures, whose measures and conventions irmx shares."""

IRMX = Citation(
    "irmx",
    "misc",
    {
        "author": "{The irmx developers}",
        "title": "irmx: evaluation measures with user models for the tools of information retrieval",
        "note": f"Version {version('irmx')}",
        "year": "2026",
    },
)
"""The citation of irmx itself."""

TOOLS = {"irmx": IRMX, "ir_measures": IR_MEASURES}
"""What ``irmx cite`` takes beside measures."""
