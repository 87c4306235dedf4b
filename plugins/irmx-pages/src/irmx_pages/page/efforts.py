"""The effort of examining items, by media type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irmx import DataError, Param, UsageError, number
from irmx.ragged import Bools, Floats
from irmx.toolkit import value_repr

IMAGE, TEXT, VIDEO = "image", "text", "video"
VISUAL = (IMAGE, VIDEO)
"""The media types that attract attention."""

_NAMED = {IMAGE: {"image", "images", "photo", "photos", "picture", "pictures"}, VIDEO: {"video", "videos"}}


class EffortTable(dict[str, float]):
    """Efforts by media type; the string form is that used in measure expressions.

    >>> EffortTable(text=3, image=1)
    {'image':1,'text':3}
    """

    def __init__(self, *given: Any, **named: float) -> None:
        super().__init__(sorted(dict(*given, **named).items()))

    def __repr__(self) -> str:
        return "{" + ",".join(f"{name!r}:{effort!r}" for name, effort in self.items()) + "}"

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(repr(self))


DEFAULT = EffortTable(image=1, text=3, video=6)
"""The paper's efforts: examining an image takes 2.34 s, a text 7.02 s, a video 14 s."""


class EffortParam(Param):
    """The parameter ``effort``: the effort of examining an item of every media type."""

    def __init__(self) -> None:
        super().__init__(
            dict,
            "effort of examining one item, by media type; by default image 1, text 3, video 6, the paper's, in units of an "
            "image's 2.34 s; any media types are allowed",
            default=DEFAULT,
        )

    def expects(self) -> str:
        """Return a description of the allowed values."""
        return f"positive numbers by media type, such as {DEFAULT}"

    def check(self, value: Any, name: str, owner: str) -> EffortTable:
        """Return the table, its media types in order."""
        try:
            if isinstance(value, Mapping) and value and all(isinstance(k, str) and k for k in value):
                positive = Param(number, "", above=0)
                return EffortTable({k: positive.check(v, name, owner) for k, v in value.items()})
        except UsageError:
            pass
        raise UsageError(
            f"The {name!r} parameter of {owner} must be {self.expects()}. Got {value_repr(value)} instead."
        )


def media_of(vertical: str) -> str:
    """Return the media type of a vertical's items according to its name: ``image``, ``video``, else ``text``.

    The name must contain one of the words image, photo, picture or video, in singular or plural.

    >>> [media_of(name) for name in ("image", "Photo/Pictures", "online-videos", "news", "web")]
    ['image', 'image', 'video', 'text', 'text']
    """
    words = set(re.findall(r"[^\W\d_]+", vertical.casefold()))
    return next((media for media, names in _NAMED.items() if words & names), TEXT)


def efforts(
    media: Sequence[str], table: Mapping[str, float] = DEFAULT, whose: Callable[[int], str] = lambda _: ""
) -> Floats:
    """Return the effort of one item of every media type; ``whose`` tells messages where the i-th type comes from.

    Raises
    ------
    irmx.DataError
        If the table lacks a media type.

    Examples
    --------
    >>> efforts(["video", "text"])
    array([6., 3.])
    """
    for i, unknown in [(i, name) for i, name in enumerate(media) if name not in table][:1]:
        raise DataError(
            f"there is no effort for the media type {unknown!r}{whose(i)}. The table has {', '.join(table)}. Set one with the parameter "
            f"effort, such as effort={EffortTable({**table, unknown: 3})}, or use one of these in the column media."
        )
    return np.array([table[name] for name in media], dtype=np.float64)


def visual(media: Sequence[str]) -> Bools:
    """Tell which media types attract attention.

    >>> visual(["video", "text"])
    array([ True, False])
    """
    return np.array([name in VISUAL for name in media], dtype=bool)
