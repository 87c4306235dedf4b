"""Reading interfaces: which updates a user reads in which session. Other plugins may register more."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from irmx import Symbol
from irmx.ragged import Floats, Ints

if TYPE_CHECKING:
    from irmx_stream.updates.streams import Stream
    from irmx_stream.users.traces import Traces

KIND = "reading interface"
"""The kind of symbol that the ``interface`` parameter of ``MSU`` takes."""

NEVER = 2**40
"""The session number of an update that is never read."""


class ReadingInterface(Symbol):
    """How updates are presented to the user.

    A plugin adds one by registering an :class:`irmx.Symbol` with ``KIND = "reading interface"`` and the two methods.
    """

    KIND: ClassVar[str] = KIND

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        """Return the session, from 0, in which every user first reads every update that holds a nugget.

        Parameters
        ----------
        stream : Stream
            The updates.
        traces : Traces
            The sessions of the users; times have the same origin as those of the stream.
        speed : float array, shape (users,)
            Words per second.

        Returns
        -------
        int array, shape (users, len(stream.held))
            :data:`NEVER` where the update is not read.
        """
        raise NotImplementedError

    def order(self, stream: Stream) -> Ints:
        """Return the position within one visit at which each update that holds a nugget would be read, from 0.

        If two updates of one visit hold a nugget, it counts for the first.
        """
        raise NotImplementedError

    def amounts(self, stream: Stream, traces: Traces, speed: Floats) -> tuple[Floats, Floats]:
        """Return the number of updates each user reads completely, and the seconds spent reading.

        Time spent on an update that the end of a session interrupts counts.
        """
        raise NotImplementedError


def ranks_in_visit(stream: Stream, as_read: Ints) -> Ints:
    """Return the ranks, from 0, of the updates that hold a nugget, among these, where all updates are read in a given order."""
    return np.argsort(np.argsort(np.argsort(as_read)[stream.held]))
