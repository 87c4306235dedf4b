"""Citations: what a measure, a user model or a tool asks to be cited as."""

from __future__ import annotations

from dataclasses import dataclass, field


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
        The fields; ``doi`` is shown in short listings.

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
        where = f.get("booktitle") or f.get("journal") or ""
        text = f"{f.get('author', '')}. {f.get('title', '')}. {where} {f.get('year', '')}."
        return text + (f" doi:{self.doi}" if self.doi else "")


IR_MEASURES = Citation(
    "MacAvaneyMacdonaldOunis2022",
    "inproceedings",
    {
        "author": "Sean MacAvaney and Craig Macdonald and Iadh Ounis",
        "title": "Streamlining Evaluation with ir-measures",
        "booktitle": "Advances in Information Retrieval (ECIR 2022)",
        "year": "2022",
        "pages": "305--310",
    },
)
"""The tool whose measures and conventions irmx shares."""
