"""Users who read updates one by one, as the definitions say it: what the vectorised interfaces are compared with."""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import beta

from irmx_stream import Stream, Traces

DAY = 86400


@dataclass
class UserReads:
    """What one user does: the updates read to their end, as (place in the stream, number of the session), and seconds."""

    reads: list[tuple[int, int]] = field(default_factory=list)
    seconds: float = 0.0


def sessions(traces: Traces, user: int) -> list[tuple[float, float]]:
    """The start and the duration of every session of a user."""
    a, b = traces.offsets[user], traces.offsets[user + 1]
    return list(zip(traces.start[a:b].tolist(), traces.duration[a:b].tolist(), strict=True))


def read_list(
    user: UserReads, number: int, listed: list[int], length: list[float], speed: float, limit: float
) -> list[int]:
    """Read updates one after the other while each fits to its end into the time; return those read."""
    words, read, cut = 0.0, [], False
    for update in listed:
        if words + length[update] > limit * speed:
            cut = True
            break
        words += length[update]
        read.append(update)
    user.reads += [(update, number) for update in read]
    user.seconds += limit if cut else min(limit, words / speed)
    return read


def reverse_chronological(
    stream: Stream, traces: Traces, speeds: list[float], unread: str = "since_read"
) -> list[UserReads]:
    """Newest first, down to the newest update of the last session in which something was read, or the last session's end."""
    time, length = stream.time.tolist(), stream.length.tolist()
    out = []
    for u, speed in enumerate(speeds):
        user, floor, last_end = UserReads(), 0, -math.inf
        for number, (start, duration) in enumerate(sessions(traces, u)):
            listed = [i for i in range(len(time) - 1, -1, -1) if time[i] <= start]
            if unread == "since_read":
                listed = [i for i in listed if i >= floor]
            else:
                listed = [i for i in listed if time[i] > last_end]
            if read_list(user, number, listed, length, speed, duration):
                floor = listed[0] + 1
            last_end = start + duration
        out.append(user)
    return out


def chronological(stream: Stream, traces: Traces, speeds: list[float]) -> list[UserReads]:
    """The oldest unread update first, of one time the most confident."""
    time, length, confidence = stream.time.tolist(), stream.length.tolist(), stream.confidence.tolist()
    oldest_first = sorted(range(len(time)), key=lambda i: (time[i], -confidence[i], -i))
    out = []
    for u, speed in enumerate(speeds):
        user, unread = UserReads(), list(oldest_first)
        for number, (start, duration) in enumerate(sessions(traces, u)):
            read = read_list(user, number, [i for i in unread if time[i] <= start], length, speed, duration)
            unread = [i for i in unread if i not in read]
        out.append(user)
    return out


def ranked(
    stream: Stream,
    traces: Traces,
    speeds: list[float],
    p: float | str = "beta",
    lookback: float = DAY,
    timed: bool = False,
    again: bool = False,
    seed: int | None = None,
) -> list[UserReads]:
    """The updates of the last day by confidence, of one confidence the newest first; go on with probability p."""
    seed = traces.seed if seed is None else seed
    bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(4,)))
    uniform = np.random.Generator(bits).random(traces.first + len(speeds))[traces.first :]
    persistence = beta(2, 2).ppf(uniform).tolist() if p == "beta" else [p] * len(speeds)
    time, length, confidence = stream.time.tolist(), stream.length.tolist(), stream.confidence.tolist()
    out = []
    for u, speed in enumerate(speeds):
        bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(3,))).jumped(traces.first + u)
        visits = sessions(traces, u)
        exponentials = np.random.Generator(bits).standard_exponential(len(visits)).tolist()
        user, known = UserReads(), set()
        for number, (start, duration) in enumerate(visits):
            listed = [i for i in range(len(time)) if time[i] <= start < time[i] + lookback and i not in known]
            listed.sort(key=lambda i: (-confidence[i], -i))
            if persistence[u] == 0:
                listed = listed[:1]
            elif persistence[u] < 1:
                listed = listed[: 1 + math.floor(exponentials[number] / -math.log(persistence[u]))]
            till_next = visits[number + 1][0] - start if number + 1 < len(visits) else traces.end - start
            read = read_list(user, number, listed, length, speed, duration if timed else till_next)
            if not again:
                known.update(read)
        out.append(user)
    return out


def push(stream: Stream, traces: Traces, speeds: list[float], daily_limit: int | None = None) -> list[UserReads]:
    """Every update when it is emitted; the session is the number of those that have started by then."""
    time, length, confidence = stream.time.tolist(), stream.length.tolist(), stream.confidence.tolist()
    oldest_first = sorted(range(len(time)), key=lambda i: (time[i], -confidence[i], -i))
    out = []
    for u, speed in enumerate(speeds):
        user, words = UserReads(), 0.0
        per_day: dict[int, int] = {}
        for i in oldest_first:
            day = math.floor(time[i] / DAY)
            per_day[day] = per_day.get(day, 0) + 1
            if daily_limit is None or per_day[day] <= daily_limit:
                user.reads.append((i, sum(start <= time[i] for start, _ in sessions(traces, u))))
                words += length[i]
        user.seconds = words / speed
        out.append(user)
    return out


def first_read(users: list[UserReads], stream: Stream, never: int) -> list[list[int]]:
    """Of every user the first session in which each update that holds a nugget is read."""
    return [[min((k for i, k in user.reads if i == h), default=never) for h in stream.held.tolist()] for user in users]


def useful_reads(user: UserReads, stream: Stream) -> list[int]:
    """The updates that give a user a nugget that no update before gave."""
    known, useful = set[int](), []
    for place, _ in user.reads:
        here = set(stream.nugget[stream.update == place].tolist())
        if here - known:
            useful.append(place)
        known |= here
    return useful


def truncated(retrieved: list[float], relevant: list[float], p: float) -> list[float]:
    """RR', RBP', nDCG' and AP' of a topic, gain by gain."""
    end = sum(retrieved) / sum(relevant) if relevant else 1.0
    extended, best = [*retrieved, end], [*sorted(relevant, reverse=True), 1.0]
    first = next((1 / i for i, gain in enumerate(extended, 1) if gain > 0), 0.0)
    rbp = sum((1 - p) * gain * p**i for i, gain in enumerate(retrieved)) + end * p ** len(retrieved)

    def dcg(gains: list[float]) -> float:
        return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, 1))

    def ap(gains: list[float]) -> float:
        return sum(gain * sum(gains[:i]) / i for i, gain in enumerate(gains, 1))

    return [first, rbp, dcg(extended) / dcg(best[: len(extended)]), ap(extended) / ap(best)]
