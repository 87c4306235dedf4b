"""What measures that are computed together share, so that none of them changes what another sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irmx.ragged import Array, read_only


class Shared:
    """Has public attributes that are set once, when it is made, and arrays to which nobody can assign.

    Every access gives a view of its own, so that a new shape of one changes no other.
    """

    _made: dict[str, Array]

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes, _made={})

    def _array(self, name: str, make: Callable[[], Array]) -> Array:
        """Return a view of an array that is made when it is first asked for."""
        if name not in self._made:
            self._made[name] = read_only(make())
        view: Array = self._made[name].view()
        return view

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_public(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_public(name)
        super().__delattr__(name)

    def _refuse_public(self, name: str) -> None:
        if not name.startswith("_"):
            raise AttributeError(
                f"{type(self).__name__}.{name} is read-only, since all measures share it. Work on a variable of your own.",
                name=name,
                obj=self,
            )
