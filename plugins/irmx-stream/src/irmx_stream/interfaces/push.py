"""The reading interface of push notifications: every update is delivered and read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from irmx import Param
from irmx.ragged import Floats, Ints
from irmx_stream.interfaces.chronological import oldest_first
from irmx_stream.interfaces.reading_interface import NEVER, ReadingInterface, ranks_in_visit

if TYPE_CHECKING:
    from irmx_stream.updates.streams import Stream
    from irmx_stream.users.traces import Traces

_DAY = 86400


class Push(ReadingInterface):
    """Every update is delivered when it is emitted and read at once, up to a number of updates per day.

    Days are periods of 24 hours from the start of the topic's window. Of a day's updates the first ``daily_limit`` are
    read (the most confident first for equal times), the rest never.

    The session number of a read is the number of sessions that started up to it. So alpha counts the sessions that started
    after the nugget was known and up to the delivery: at each of these the user could have learned it. Sessions that start
    after the delivery cost nothing, and an update that is delivered before the user's next visit is on time.
    """

    NAME = "push"
    SHORT_DESC = "every update is delivered and read at once, up to a daily limit"
    SUPPORTED_PARAMS = {
        "daily_limit": Param(int, "updates read in 24 h; None: all", default=None, low=0, unit="updates")
    }
    EXAMPLES = ("push(daily_limit=10)",)

    def first_read(self, stream: Stream, traces: Traces, speed: Floats) -> Ints:
        held = stream.held
        session = traces.starts_before(np.nextafter(stream.time[held], np.inf))
        return np.where(self._is_read(stream)[held], session, NEVER)

    def order(self, stream: Stream) -> Ints:
        return ranks_in_visit(stream, oldest_first(stream))

    def amounts(self, stream: Stream, traces: Traces, speed: Floats) -> tuple[Floats, Floats]:
        read = self._is_read(stream)
        words = float(stream.length[read].sum())
        return np.full(len(traces), float(read.sum())), words / speed

    def _is_read(self, stream: Stream) -> Ints:
        """Return, for every update, whether it is within the limit of its day."""
        if self["daily_limit"] is None:
            return np.ones(len(stream), dtype=bool)
        day = stream.time // _DAY
        of_day = np.argsort(oldest_first(stream)) - day.searchsorted(day)
        return np.asarray(of_day < self["daily_limit"])


PUSH = Push()
