"""Measures of ir_measures that are the expected gain per document of a user of C/W/L: BPM, INST, INSQ, SDCG and NERR."""

from __future__ import annotations

from typing import Any

import numpy as np

from irmx import COMMON_PARAMS, Formula, Measure, Param, Rankings, Rows, UsageError, number
from irmx.ragged import Floats
from irmx_cwl.cwl_measure import BPM, DCG, INSQ, INST, RBP, Amounts, Precision, User, continuation

LAST_RANK = 1000
"""The last rank of the user of cwl_eval."""

_TOPICS_AT_ONCE = 1_000
"""As many have an array of attention at once, so that a large run needs little memory."""

_LARGEST = COMMON_PARAMS["rel"].high
_GAIN = {
    "min_rel": Param(number, "grade up to which a document has no gain", default=0, low=0, high=_LARGEST),
    "max_rel": Param(number, "grade from which on the gain is 1", required=True, above=0, high=_LARGEST),
}
_T = "gain that the user expects"
_CUTOFF = Param(int, COMMON_PARAMS["cutoff"].desc, required=True, low=1, high=LAST_RANK, unit="ranks")
_EU = r"\sum_{i=1}^{1000} W(i)\,g_i, \quad W(i) = \frac{\prod_{j<i} C(j)}{\sum_{n=1}^{1000} \prod_{j<n} C(j)}, \quad "
_SYMBOLS = {
    "i": "a rank",
    "W(i)": "the share of attention that it gets",
    "g_i": "the gain of its document, from 0 up to min_rel to 1 from max_rel on; 0 if it is not judged",
    "j": "a rank above",
    "n": "a rank",
    "C(i)": "the probability that a user who is at rank $i$ goes on to the next one",
}


def _formula(name: str, of_user: str, symbols: dict[str, str], source: str) -> Formula:
    """Return the formula of the expected gain of a user whose C(i) is given."""
    return Formula(rf"\mathrm{{{name}}} = {_EU} C(i) = {of_user}", {**_SYMBOLS, **symbols}, source)


class OfCwlEval(Measure):
    """Base class of the measures that cwl_eval computes: the expected gain per document of a user.

    Gains grow from 0 at the grade ``min_rel`` to 1 at ``max_rel``; grades beyond these count as the nearest of them.
    """

    MONOTONE = False  # a relevant document may make the user stop

    def validate_params(self) -> None:
        super().validate_params()
        if self["min_rel"] >= self["max_rel"]:
            raise UsageError(
                f"The 'max_rel' parameter of {self} must be larger than 'min_rel': a document of grade min_rel has the gain 0, and "
                f"one of max_rel the gain 1. Got min_rel={self['min_rel']} and max_rel={self['max_rel']}."
            )

    def user(self) -> User:
        """Return the user."""
        raise NotImplementedError

    def score(self, rankings: Rankings) -> Floats:
        documents, gain, weight = self._weighted(rankings)
        return documents.sum(gain * weight)

    def contributions(self, rankings: Rankings) -> dict[str, Any]:
        documents, gain, weight = self._weighted(rankings)
        return {"documents": documents, "gain": gain, "weight": weight, "contribution": gain * weight}

    def _weighted(self, rankings: Rankings) -> tuple[Rows, Floats, Floats]:
        """Return the documents that have a gain, their gains, and the attention to their ranks."""
        low, high = self["min_rel"], self["max_rel"]
        documents = rankings.judged.where((rankings.judged.grade > low) & (rankings.judged.rank <= LAST_RANK))
        gain = (np.minimum(documents.grade, high) - low) / (high - low)
        weight = np.empty(len(documents))
        for start in range(0, len(rankings), _TOPICS_AT_ONCE):
            end = min(start + _TOPICS_AT_ONCE, len(rankings))
            rows = slice(*documents.offsets[[start, end]].tolist())
            at = documents.topic[rows] - start, documents.rank[rows] - 1
            gains = np.zeros((end - start, self.params.get("cutoff", LAST_RANK)))
            gains[at] = gain[rows]
            go_on = continuation(self.user(), Amounts(gains, np.ones(gains.shape)))
            reach = np.cumprod(np.append(np.ones((len(gains), 1)), go_on[:, :-1], axis=1), axis=1)
            weight[rows] = reach[at] / reach.sum(axis=1)[at[0]]
        return documents, gain, weight


# -- users who stop at a rank, or grow patient -------------------------------------------------------------------------


class BejeweledPlayerModel(OfCwlEval):
    """The gain per document of a player who stops with a gain of ``T``, or at the cutoff.

    References
    ----------
    Zhang, F., Liu, Y., Li, X., Zhang, M., Xu, Y., Ma, S.: Evaluating Web Search with a Bejeweled Player Model. SIGIR 2017.

    Examples
    --------
    >>> import irmx
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    >>> irmx.calc_aggregate("BPM(max_rel=2)@5 BPM(T=1.5,max_rel=2)@5", qrels, run)
    {BPM(max_rel=2)@5: 0.5, BPM(T=1.5,max_rel=2)@5: 0.5}
    """

    NAME = "BPM"
    PRETTY_NAME = "Bejeweled player model"
    SHORT_DESC = "The gain per document of a player who stops with enough gain, or at the cutoff."
    FORMULA = _formula(
        "BPM",
        r"\begin{cases} 1 & \text{if } \sum_{m \leq i} g_m < T \text{ and } i < k \\ 0 & \text{otherwise} \end{cases}",
        {"m": "a rank down to $i$", "T": "the gain that is enough", "k": "the cutoff"},
        "Zhang et al. (2017), the static model",
    )
    SUPPORTED_PARAMS = {
        "cutoff": _CUTOFF,
        "T": Param(float, "gain that is enough", default=1.0, above=0, high=1e6),
        **_GAIN,
    }
    EXAMPLES = ("BPM(max_rel=2)@10", "BPM(T=2.5,max_rel=2)@10")

    def user(self) -> User:
        return BPM(T=self["T"], K=self["cutoff"])


class ScaledDCG(OfCwlEval):
    """The discounted cumulative gain of a ranking, divided by that of a ranking with the largest gain at every rank.

    References
    ----------
    Järvelin, K., Kekäläinen, J.: Cumulated Gain-based Evaluation of IR Techniques. TOIS 2002.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("SDCG(max_rel=2)@2", {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    {SDCG(max_rel=2)@2: 0.69342...}
    """

    NAME = "SDCG"
    PRETTY_NAME = "Scaled discounted cumulative gain"
    SHORT_DESC = "The discounted gain of a ranking, relative to one with the largest gain at every rank."
    FORMULA = Formula(
        r"\mathrm{SDCG@}k = \frac{\sum_{i=1}^{k} g_i / \log_2(i+1)}{\sum_{i=1}^{k} 1 / \log_2(i+1)}",
        {"k": "the cutoff", "i": "a rank", "g_i": _SYMBOLS["g_i"]},
        "cwl_eval",
    )
    SUPPORTED_PARAMS = {
        "cutoff": _CUTOFF,
        "dcg": Param(str, "the discount", default="log2", choices=("log2",)),
        **_GAIN,
    }
    MONOTONE = True
    EXAMPLES = ("SDCG(max_rel=2)@10",)

    def user(self) -> User:
        return DCG(k=self["cutoff"])


class AdaptiveGoal(OfCwlEval):
    """The gain per document of a user who grows patient as long as the expected gain has not been found.

    ``T`` is at least 0.25; below that, cwl_eval has a user who goes on with a probability above 1.

    References
    ----------
    Moffat, A., Bailey, P., Scholer, F., Thomas, P.: INST: An Adaptive Metric for Information Retrieval Evaluation. ADCS 2015.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("INST(max_rel=2)", {"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}})
    {INST(max_rel=2): 0.26516...}
    """

    NAME = "INST"
    PRETTY_NAME = "INST"
    SHORT_DESC = "The gain per document of a user who grows patient until an expected gain is found."
    FORMULA = _formula(
        "INST",
        r"\left(\frac{i + T + T_i - 1}{i + T + T_i}\right)^2, \quad T_i = T - \sum_{m \leq i} g_m",
        {
            "T": f"the {_T}",
            "T_i": "what of it has not been found down to rank $i$",
            "m": "a rank down to $i$",
        },
        "Moffat et al. (2015)",
    )
    SUPPORTED_PARAMS = {"T": Param(float, _T, default=1.0, low=0.25, high=1e6), **_GAIN}
    EXAMPLES = ("INST(max_rel=2)", "INST(T=3.0,min_rel=1,max_rel=4)")

    def user(self) -> User:
        return INST(T=self["T"])


class SquaredGoal(OfCwlEval):
    """The gain per document of a user who grows patient on the way down, whatever has been found.

    References
    ----------
    Moffat, A., Scholer, F., Thomas, P.: Models and Metrics: IR Evaluation as a User Process. ADCS 2012.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("INSQ(max_rel=2)", {"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}})
    {INSQ(max_rel=2): 0.22...}
    """

    NAME = "INSQ"
    PRETTY_NAME = "INSQ"
    SHORT_DESC = "The gain per document of a user who expects a gain, and grows patient on the way down."
    FORMULA = _formula(
        "INSQ",
        r"\left(\frac{i + 2T - 1}{i + 2T}\right)^2",
        {"T": f"the {_T}"},
        "Moffat et al. (2012)",
    )
    SUPPORTED_PARAMS = {"T": Param(float, _T, default=1.0, above=0, high=1e6), **_GAIN}
    MONOTONE = True
    EXAMPLES = ("INSQ(max_rel=2)", "INSQ(T=2.5,max_rel=4)")

    def user(self) -> User:
        return INSQ(T=self["T"])


# -- nearly expected reciprocal rank: users whom a document may satisfy ------------------------------------------------


class _Unsatisfied(User):
    """A user who goes on as another one does, unless a document satisfies, with its gain as the probability."""

    NAME = "unsatisfied"

    def __init__(self, other: User) -> None:
        super().__init__()
        self._other = other

    def continuation(self, rank: Any, gain: Floats, cost: Floats) -> Floats:
        return np.asarray((1 - gain) * self._other.continuation(rank, gain, cost))


class _ByReciprocalRank(User):
    """A user whose attention to the first k documents falls as 1/rank."""

    NAME = "by_reciprocal_rank"
    SUPPORTED_PARAMS = Precision.SUPPORTED_PARAMS

    def continuation(self, rank: Any, gain: Floats, cost: Floats) -> Floats:
        return np.asarray((rank < self["k"]) * rank / (rank + 1))


class NearlyERR8(OfCwlEval):
    """The gain per document of a user whom a document satisfies with its gain as the probability, and who stops at the cutoff.

    References
    ----------
    Azzopardi, L., Mackenzie, J., Moffat, A.: ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal Rank and Other
    Metrics. ICTIR 2021, equation 8.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("NERR8(max_rel=2)@3", {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    {NERR8(max_rel=2)@3: 0.66666...}
    """

    NAME = "NERR8"
    PRETTY_NAME = "Nearly expected reciprocal rank, equation 8"
    SHORT_DESC = "The gain per document of a user whom a document may satisfy, and who stops at the cutoff."
    FORMULA = _formula(
        "NERR8",
        r"\begin{cases} 1 - g_i & \text{if } i < k \\ 0 & \text{otherwise} \end{cases}",
        {"k": "the cutoff"},
        "Azzopardi et al. (2021), equation 8",
    )
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, **_GAIN}
    EXAMPLES = ("NERR8(max_rel=2)@10",)

    def user(self) -> User:
        return _Unsatisfied(Precision(k=self["cutoff"]))


class NearlyERR9(NearlyERR8):
    """As ``NERR8``, but the attention of an unsatisfied user falls with the reciprocal of the rank.

    References
    ----------
    Azzopardi, L., Mackenzie, J., Moffat, A.: ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal Rank and Other
    Metrics. ICTIR 2021, equation 9.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("NERR9(max_rel=2)@3", {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    {NERR9(max_rel=2)@3: 0.60000...}
    """

    NAME = "NERR9"
    PRETTY_NAME = "Nearly expected reciprocal rank, equation 9"
    SHORT_DESC = "NERR8 of a user whose attention falls with the reciprocal of the rank."
    FORMULA = _formula(
        "NERR9",
        r"\begin{cases} \frac{i}{i+1} (1 - g_i) & \text{if } i < k \\ 0 & \text{otherwise} \end{cases}",
        {"k": "the cutoff"},
        "Azzopardi et al. (2021), equation 9",
    )
    EXAMPLES = ("NERR9(max_rel=2)@10",)

    def user(self) -> User:
        return _Unsatisfied(_ByReciprocalRank(k=self["cutoff"]))


class NearlyERR10(OfCwlEval):
    """The gain per document of a user whom a document may satisfy, and who otherwise goes on with probability ``p``.

    References
    ----------
    Azzopardi, L., Mackenzie, J., Moffat, A.: ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal Rank and Other
    Metrics. ICTIR 2021, equation 10.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("NERR10(max_rel=2)", {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    {NERR10(max_rel=2): 0.65517...}
    """

    NAME = "NERR10"
    PRETTY_NAME = "Nearly expected reciprocal rank, equation 10"
    SHORT_DESC = "The gain per document of a user whom a document may satisfy, and who goes on with probability p."
    FORMULA = _formula("NERR10", r"p\,(1 - g_i)", {"p": "the persistence"}, "Azzopardi et al. (2021), equation 10")
    SUPPORTED_PARAMS = {
        "p": Param(float, "persistence, the probability to go on", default=0.9, above=0, below=1),
        **_GAIN,
    }
    EXAMPLES = ("NERR10(max_rel=2)", "NERR10(p=0.5,max_rel=2)")

    def user(self) -> User:
        return _Unsatisfied(RBP(p=self["p"]))


class NearlyERR11(SquaredGoal):
    """The gain per document of a user whom a document may satisfy, and who otherwise goes on as that of ``INSQ``.

    References
    ----------
    Azzopardi, L., Mackenzie, J., Moffat, A.: ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal Rank and Other
    Metrics. ICTIR 2021, equation 11.

    Examples
    --------
    >>> import irmx
    >>> irmx.calc_aggregate("NERR11(max_rel=2)", {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    {NERR11(max_rel=2): 0.59...}
    """

    NAME = "NERR11"
    PRETTY_NAME = "Nearly expected reciprocal rank, equation 11"
    SHORT_DESC = "The gain per document of a user whom a document may satisfy, and who goes on as that of INSQ."
    FORMULA = _formula(
        "NERR11",
        r"\left(\frac{i + 2T - 1}{i + 2T}\right)^2 (1 - g_i)",
        {"T": f"the {_T}"},
        "Azzopardi et al. (2021), equation 11",
    )
    MONOTONE = False
    EXAMPLES = ("NERR11(max_rel=2)", "NERR11(T=2.0,max_rel=2)")

    def user(self) -> User:
        return _Unsatisfied(INSQ(T=self["T"]))


SCORERS: list[Measure] = [
    BejeweledPlayerModel(), ScaledDCG(), AdaptiveGoal(), SquaredGoal(), NearlyERR8(), NearlyERR9(), NearlyERR10(), NearlyERR11()
]  # fmt: skip
