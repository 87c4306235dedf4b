"""A section of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Section:
    """A section of a report: the template that shows it as a document, and the data that its script reads.

    Attributes
    ----------
    name : str
        The id of the section in the page, such as ``"topics"``; its template is ``NAME.html``, and its script, if there is
        one, ``NAME.js``.
    title : str
        The heading.
    content : dict
        What the template shows: values by name. Texts are escaped by the template; only :class:`markupsafe.Markup` is not.
    data : JSON value, optional
        What the script reads, as ``JSON.parse(document.getElementById("data-NAME").textContent)``.
    """

    name: str
    title: str
    content: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None
