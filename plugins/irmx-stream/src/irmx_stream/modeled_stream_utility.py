"""The measure MSU."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from irmx import COMMON_PARAMS, Citation, Formula, Measure, Param, Rankings, TopicScores, UsageError
from irmx.toolkit import duration
from irmx_stream.columns import (
    JUDGED_LENGTH,
    LENGTH,
    NUGGET,
    NUGGET_TIME,
    POOLED,
    QUERY_END,
    QUERY_START,
    REPLACED,
    TIMESTAMP,
)
from irmx_stream.interfaces import KIND, PAIN, PER, RATIO, REVERSE_CHRONOLOGICAL
from irmx_stream.population import MOST_USERS, Population
from irmx_stream.streams import LATE, SAME_TIME

if TYPE_CHECKING:
    from irmx_stream.simulated_users import Crowd, Setting
    from irmx_stream.streams import Streams


BARUAH = Citation(
    "Baruah2015",
    "inproceedings",
    {
        "author": "Gaurav Baruah and Mark D. Smucker and Charles L. A. Clarke",
        "title": "Evaluating Streams of Evolving News Events",
        "booktitle": "Proceedings of the 38th International ACM SIGIR Conference (SIGIR 2015)",
        "year": "2015",
    },
)

TAN = Citation(
    "Tan2016",
    "inproceedings",
    {
        "author": "Luchen Tan and Adam Roegiest and Jimmy Lin and Charles L. A. Clarke",
        "title": "An Exploration of Evaluation Metrics for Mobile Push Notifications",
        "booktitle": "Proceedings of the 39th International ACM SIGIR Conference on Research and Development in Information Retrieval",
        "year": "2016",
    },
)


class ModeledStreamUtility(Measure):
    """Modeled Stream Utility: the mean gain of users who visit a stream of updates from time to time.

    Simulated users visit the stream: the mean time away, the mean duration of a session and the reading speed of each
    come from log-normal distributions, and the times themselves are exponential with the user's means. At a visit the user
    reads the newest update first, down to one read before, or until the session ends. Some rules are from the authors' code
    rather than the paper's text: no session extends beyond the end of the window or reads below the last one, and
    near-duplicates hold the nuggets of the updates they copy. A nugget counts once per user, when first
    read. (``late='at'`` and ``interface=reverse_chronological(unread='between_sessions')`` are rules of the paper's text; the
    defaults are those of the authors' code.)

    The same seed gives the same users for every run and every topic. Every value and the mean over topics have a
    ``standard_error``, for fixed topics and random users, who are the same for all topics.

    References
    ----------
    Baruah, G., Smucker, M. D., Clarke, C. L. A.: Evaluating Streams of Evolving News Events. SIGIR 2015.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> nuggets = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "relevance": 1,
    ...                         "timestamp": [600, 40000], "query_start": 0, "query_end": 86400})
    >>> updates = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "x", "u2"], "score": 1.0,
    ...                         "timestamp": [3600, 7200, 80000], "length": [20, 500, 15]})
    >>> [metric] = irmx.iter_calc("MSU", nuggets, updates)
    >>> round(metric.value, 3), round(metric.standard_error, 3)
    (0.547, 0.014)
    """

    NAME = "MSU"
    PRETTY_NAME = "Modeled Stream Utility"
    SHORT_DESC = "The mean gain of simulated users who visit a stream of updates from time to time."
    FORMULA = Formula(
        r"\mathrm{MSU} = \frac{1}{\lvert U \rvert} \sum_{u \in U} \sum_{n \in N_u} L^{\alpha_{un}}, \qquad "
        r"\alpha_{un} = \max(0, k_{un} - b_{un})",
        {
            "U": "the simulated users",
            "u": (
                "a user; with per, the gain of each is divided by the seconds or updates of that user, or with "
                "ratio='of_means' the mean gain by their mean"
            ),
            "n": "a nugget",
            "N_u": "the nuggets that the user reads, each counted when first read",
            "L": "the share of the gain that remains for each session by which a nugget is late; $0^0 = 1$",
            r"\alpha_{un}": "the number of sessions by which the nugget is late",
            "k_{un}": "the number of the session in which the user first reads the nugget, counted from 0",
            "b_{un}": (
                "the number of the user's sessions that started up to the time at which the nugget was first known; "
                "with late='at', before that time"
            ),
        },
        source="Baruah, Smucker and Clarke (2015); what counts as late at equal times is that of the authors' code",
    )
    SUPPORTED_PARAMS = {
        "MA": Param(duration, "mean time away between two sessions", default="3h", above=0),
        "SA": Param(duration, "standard deviation of the time away over users", default="1.5h", low=0),
        "MD": Param(duration, "mean duration of a session", default="2m", above=0),
        "SD": Param(duration, "standard deviation of the duration of a session over users", default="1m", low=0),
        "L": Param(
            float,
            "share of a nugget's gain that remains for each session by which it is late",
            default=0.5,
            low=0,
            high=1,
        ),
        "late": Param(
            str,
            "'before': a nugget is late by each earlier session that starts after it was known, as in the authors' code; 'at': "
            "also by one that starts at that time, as in the paper's text",
            default="before",
            choices=LATE,
        ),
        "users": Param(
            int,
            "number of simulated users; 'auto' for as many as the precision requires",
            default=1000,
            low=1,
            high=MOST_USERS,
            words=("auto",),
        ),
        "precision": Param(
            float, "with users='auto': the largest standard error of a topic's value", default=0.01, above=0
        ),
        "seed": Param(int, "seed of all random numbers", default=0, low=0),
        "sampling": Param(
            str,
            "how the means of users are drawn: at random, or by scrambled Sobol points, which have a smaller error",
            default="random",
            choices=("random", "sobol"),
        ),
        "speed_mu": Param(float, "mean of the logarithm of the reading speed in words/s", default=1.29),
        "speed_sigma": Param(float, "standard deviation of that logarithm", default=0.558, low=0),
        "interface": Param(str, "how updates are presented to the user", default=REVERSE_CHRONOLOGICAL, kind=KIND),
        "per": Param(
            str,
            "unit of the value: gain of a user (None), per second of reading, per update read, per update emitted",
            default=None,
            choices=PER,
        ),
        "ratio": Param(
            str,
            "with per: the mean of the users' ratios, 0 for a user who spent nothing; 'of_means': the ratio of the two means "
            "over users",
            default="by_user",
            choices=RATIO,
        ),
        "default_length": Param(
            float,
            "number of words of an update whose length neither the run nor the qrels have",
            default=30.0,
            low=0,
            unit="words",
        ),
        "duplicates": Param(
            str,
            "near-duplicates that hold the nuggets of their originals: all, or those recorded in the pool",
            default="all",
            choices=("all", "pool"),
        ),
        "copies": Param(
            str,
            "nuggets of a near-duplicate: its own and its original's, as in the authors' code; 'original': its original's "
            "instead of its own, as in the measures of the track",
            default="both",
            choices=("both", "original"),
        ),
        "same_time": Param(
            str,
            "order of updates with the same time and confidence: by update id, descending, or as in the run",
            default="id",
            choices=SAME_TIME,
        ),
        "rel": COMMON_PARAMS["rel"],
        "no_relevant": COMMON_PARAMS["no_relevant"],
    }
    DOCS_MAY_REPEAT = True
    RUN_COLUMNS = (TIMESTAMP, LENGTH)
    QREL_COLUMNS = (NUGGET, NUGGET_TIME, QUERY_START, QUERY_END, JUDGED_LENGTH, POOLED, REPLACED)
    RANGE = (0.0, float("inf"))
    MONOTONE = False  # the judged length of an update counts, and a longer one takes more time
    CITATIONS: ClassVar[tuple[Citation, ...]] = (BARUAH,)
    EXAMPLES: ClassVar[tuple[str, ...]] = ("MSU", "MSU(MA='6h',L=0.9)", "MSU(per='second')")
    SHARED_PARAMS: ClassVar[tuple[str, ...]] = ("L", "late", "per", "ratio")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if "precision" in self.params and self["users"] != "auto":
            raise UsageError(f"The 'precision' parameter of {self.NAME} needs users='auto'.")
        if "ratio" in self.params and self["per"] is None:
            raise UsageError("The 'ratio' parameter of MSU needs per='second', 'update_read' or 'update_emitted'.")
        self._population = Population(*(self[name] for name in ("MA", "SA", "MD", "SD", "speed_mu", "speed_sigma")))

    @cached_property
    def _crowd(self) -> Crowd:
        from irmx_stream.simulated_users import Crowd

        return Crowd(
            self._population,
            None if self["users"] == "auto" else self["users"],
            self["precision"],
            self["seed"],
            self["sampling"],
            self["interface"],
        )

    @cached_property
    def _setting(self) -> Setting:
        from irmx_stream.simulated_users import Setting

        return Setting(self["L"], self["per"], self["late"], self["ratio"])

    def preparation(self) -> Hashable:
        return self["rel"], self["default_length"], self["duplicates"], self["copies"], self["same_time"]

    def prepare(self, rankings: Rankings) -> Streams:
        from irmx_stream.streams import streams_of

        asked = ("default_length", "duplicates", "copies", "same_time")
        return streams_of(rankings, *(self[name] for name in asked))

    @classmethod
    def score_prepared(cls, prepared: Sequence[Any], settings: Sequence[Any]) -> list[list[TopicScores]]:
        from irmx_stream.gains import scores_of
        from irmx_stream.simulated_users import utilities

        found = utilities(prepared, settings[0]._crowd, [m._setting for m in settings])
        return [[scores_of(of_setting) for of_setting in of_run] for of_run in found]

    def score(self, rankings: Rankings) -> TopicScores:
        streams = rankings.memo(("streams", self.preparation()), lambda: self.prepare(rankings))
        return self.score_prepared([streams], [self])[0][0]

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        from irmx_stream.simulated_users import table_of_reads

        streams = rankings.memo(("streams", self.preparation()), lambda: self.prepare(rankings))
        return table_of_reads(rankings, streams, self._crowd, self._setting, self["same_time"])

    def draw_user(self, rankings: Rankings, ax: Any) -> None:
        """Draw the updates, and of the first users the sessions, with what they first read in them."""
        from irmx_stream.simulated_users import draw_visits

        streams = rankings.memo(("streams", self.preparation()), lambda: self.prepare(rankings))
        draw_visits(streams, self._crowd, self._setting, ax)


class ModeledStreamPain(ModeledStreamUtility):
    """What simulated users read in vain: the updates that give a user no nugget, or the seconds spent on them.

    The users are those of :class:`ModeledStreamUtility`. An update is read in vain if it holds no nugget, or only nuggets that the
    user has read before. Time spent on an update that the end of a session interrupts is spent in vain.

    References
    ----------
    Baruah, G., Smucker, M. D., Clarke, C. L. A.: Evaluating Streams of Evolving News Events. SIGIR 2015.
    Tan, L., Roegiest, A., Lin, J., Clarke, C. L. A.: An Exploration of Evaluation Metrics for Mobile Push Notifications. SIGIR 2016.

    Examples
    --------
    >>> import irmx, pandas as pd
    >>> nuggets = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "u2"], "iteration": ["n1", "n2"], "relevance": 1,
    ...                         "timestamp": [600, 40000], "query_start": 0, "query_end": 86400})
    >>> updates = pd.DataFrame({"query_id": "q", "doc_id": ["u1", "x", "u2"], "score": 1.0,
    ...                         "timestamp": [3600, 7200, 80000], "length": [20, 50, 15]})
    >>> irmx.calc_aggregate("MSU_Pain MSU_Pain(unit='seconds')", nuggets, updates)
    {MSU_Pain: 0.9..., MSU_Pain(unit='seconds'): 1...}
    """

    NAME = "MSU_Pain"
    PRETTY_NAME = "Updates read in vain"
    SHORT_DESC = "The mean number of updates that simulated users of a stream read in vain, or the time that they take."
    FORMULA = Formula(
        r"\mathrm{Pain} = \frac{1}{\lvert U \rvert} \sum_{u \in U} (r_u - g_u)",
        {
            "U": "the simulated users, as of MSU",
            "u": "a user",
            "r_u": "the number of updates that the user reads, or the seconds spent on reading",
            "g_u": "the part of it that gives the user a nugget not read before",
        },
        source="pain as in Tan et al. (2016), of the users of Baruah, Smucker and Clarke (2015)",
    )
    SUPPORTED_PARAMS = {
        "unit": Param(str, "what is counted: updates, or seconds of reading", default="updates", choices=PAIN),
        **{
            name: param
            for name, param in ModeledStreamUtility.SUPPORTED_PARAMS.items()
            if name not in (*ModeledStreamUtility.SHARED_PARAMS, "no_relevant")
        },
    }
    LESS_IS_BETTER = True
    CITATIONS = (BARUAH, TAN)
    EXAMPLES = ("MSU_Pain", "MSU_Pain(unit='seconds',MA='1d')")
    SHARED_PARAMS = ("unit",)

    @cached_property
    def _setting(self) -> Setting:
        from irmx_stream.simulated_users import Setting

        return Setting(1.0, None, "before", "by_user", self["unit"])

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        from irmx_stream.simulated_users import table_of_pain

        return table_of_pain(self.prepare(rankings), self._crowd, self._setting)


MSU, MSU_Pain = ModeledStreamUtility(), ModeledStreamPain()
