"""Significance tests of paired differences, corrections for several, and the distribution of the studentized range."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from irmx import IrmxError, Param, PluginError, Symbol, UsageError
from irmx.ragged import Bools, Floats
from irmx_study.statistics.paired import (
    ExactValues,
    PairedValues,
    all_signs,
    mean_and_error,
    p_of_equal_signs,
    resampled_topics,
    residual_variance,
    sign_flips,
    two_sided_t,
)

# -- the studentized range distribution for many values at the same time ---------------------------------------------


_NODES = 32
"""More p-values than this, as 9 systems and more have, are interpolated; SciPy integrates each for some 10 ms."""

_TAIL = 1e-7
"""Below this p-value, the absolute error of SciPy's integrals, some 1e-11, begins to show."""


def range_p_values(q: Floats, systems: int, degrees: int) -> Floats:
    """Return the probability that a studentized range is at least as large as each of many.

    Up to 32 different ranges come from ``scipy.stats.studentized_range``. More are interpolated from as many of its values: the
    normal quantile of the probability is nearly a straight line over the logarithm of the range, and a polynomial through
    Chebyshev points meets it to a relative error of about 1e-6. Below 1e-7 the probability falls as that of a t statistic;
    of two systems, it is that of a t statistic.

    Examples
    --------
    >>> import numpy as np
    >>> range_p_values(np.array([0.0, 3.5, 5.0]), systems=3, degrees=38).round(6).tolist()
    [1.0, 0.04608, 0.003059]
    """
    from numpy.polynomial import chebyshev
    from scipy.special import ndtr

    if systems == 2:
        return _pairwise(q, systems, degrees)
    tail, p_of_tail = _tail(systems, degrees)
    inside, places = np.unique(np.minimum(q, tail), return_inverse=True)
    if len(inside) <= _NODES:
        p = _from_scipy(inside, systems, degrees)
    else:
        low, coefficients = _interpolation(systems, degrees)
        where = 2 * np.log(np.maximum(inside, low) / low) / np.log(tail / low) - 1
        p = ndtr(chebyshev.chebval(where, coefficients))
    falling = p_of_tail * _pairwise(np.maximum(q, tail), systems, degrees) / _pairwise(tail, systems, degrees)
    return np.where(q > tail, falling, np.where(q == 0, 1.0, p[places.reshape(q.shape)]))


@lru_cache
def critical_range(level: float, systems: int, degrees: int) -> float:
    """Return the studentized range that is exceeded with a probability of ``level``.

    >>> round(critical_range(0.05, systems=3, degrees=38), 4), round(critical_range(0.05, systems=129, degrees=6272), 4)
    (3.449, 6.2426)
    """
    from numpy.polynomial import chebyshev
    from scipy.optimize import brentq
    from scipy.special import ndtri
    from scipy.stats import studentized_range

    if systems * (systems - 1) / 2 <= _NODES or not 1e-6 < level < 1 - 1e-6:
        return float(studentized_range.isf(level, systems, degrees))
    low, coefficients = _interpolation(systems, degrees)  # which the p-values need, too
    where = brentq(lambda x: chebyshev.chebval(x, coefficients) - ndtri(level), -1, 1, xtol=1e-12)
    return float(low * (_tail(systems, degrees)[0] / low) ** ((where + 1) / 2))


def _from_scipy(q: Floats | float, systems: int, degrees: int) -> Floats:
    from scipy.integrate import IntegrationWarning
    from scipy.stats import studentized_range

    with warnings.catch_warnings():
        # of ranges so small that the probability to be below is 0, but for the error of the integral
        warnings.simplefilter("ignore", IntegrationWarning)
        p: Floats = studentized_range.sf(q, systems, degrees)
    return p


def _pairwise(q: Floats | float, systems: int, degrees: int) -> Floats:
    """Return Bonferroni's bound of p: the sum over all pairs of the probabilities of their t statistics."""
    from scipy.special import stdtr

    bound: Floats = systems * (systems - 1) * stdtr(degrees, -np.asarray(q) / np.sqrt(2))
    return bound


@lru_cache
def _tail(systems: int, degrees: int) -> tuple[float, float]:
    """Return where the tail begins, by Bonferroni's bound, and p there."""
    from scipy.special import stdtrit

    start = -np.sqrt(2) * stdtrit(degrees, _TAIL / (systems * (systems - 1)))
    return float(start), float(_from_scipy(np.array([start]), systems, degrees)[0])


@lru_cache
def _interpolation(systems: int, degrees: int) -> tuple[float, Floats]:
    """Return the range below which p is 1, but for a millionth, and the coefficients of the polynomial above it."""
    from numpy.polynomial import chebyshev
    from scipy.special import ndtri

    tail, _ = _tail(systems, degrees)
    below, above, low = 0.0, tail, tail / 2
    while not 1e-8 < (share := 1 - float(_from_scipy(low, systems, degrees))) < 1e-6:
        below, above = (low, above) if share <= 1e-8 else (below, low)
        low = (below + above) / 2
    nodes = chebyshev.chebpts1(_NODES)
    q = low * (tail / low) ** ((nodes + 1) / 2)
    return low, chebyshev.chebfit(nodes, ndtri(_from_scipy(q, systems, degrees)), _NODES - 1)


# -- the papers that tests, corrections and intervals come from, as BibTeX entries ------------------------------------


STUDENT = """@article{Student1908, author = {Student}, title = {The Probable Error of a Mean}, journal = {Biometrika},
 volume = {6}, number = {1}, pages = {1--25}, year = {1908}, doi = {10.1093/biomet/6.1.1}}"""

URBANO = """@inproceedings{UrbanoLimaHanjalic2019, author = {Juli{\\'a}n Urbano and Harlley Lima and Alan Hanjalic},
 title = {Statistical Significance Testing in Information Retrieval: An Empirical Analysis of Type {I}, Type {II} and Type {III} Errors},
 booktitle = {Proceedings of the 42nd International ACM SIGIR Conference on Research and Development in Information Retrieval},
 pages = {505--514}, year = {2019}, doi = {10.1145/3331184.3331259}}"""

FISHER = """@book{Fisher1935, author = {Ronald A. Fisher}, title = {The Design of Experiments}, publisher = {Oliver and Boyd},
 address = {Edinburgh}, year = {1935}}"""

SMUCKER = """@inproceedings{SmuckerAllanCarterette2007, author = {Mark D. Smucker and James Allan and Ben Carterette},
 title = {A Comparison of Statistical Significance Tests for Information Retrieval Evaluation},
 booktitle = {Proceedings of the Sixteenth ACM Conference on Information and Knowledge Management}, pages = {623--632},
 year = {2007}, doi = {10.1145/1321440.1321528}}"""

WILCOXON = """@article{Wilcoxon1945, author = {Frank Wilcoxon}, title = {Individual Comparisons by Ranking Methods},
 journal = {Biometrics Bulletin}, volume = {1}, number = {6}, pages = {80--83}, year = {1945}, doi = {10.2307/3001968}}"""

DIXON = """@article{DixonMood1946, author = {W. J. Dixon and A. M. Mood}, title = {The Statistical Sign Test},
 journal = {Journal of the American Statistical Association}, volume = {41}, number = {236}, pages = {557--566},
 year = {1946}, doi = {10.1080/01621459.1946.10501898}}"""

TUKEY = """@unpublished{Tukey1953, author = {John W. Tukey}, title = {The Problem of Multiple Comparisons},
 note = {Unpublished manuscript, Princeton University}, year = {1953}}"""

SAKAI = """@book{Sakai2018, author = {Tetsuya Sakai},
 title = {Laboratory Experiments in Information Retrieval: Sample Sizes, Effect Sizes, and Statistical Power},
 publisher = {Springer}, year = {2018}, doi = {10.1007/978-981-13-1199-4}}"""

CARTERETTE = """@article{Carterette2012, author = {Benjamin A. Carterette},
 title = {Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments},
 journal = {ACM Transactions on Information Systems}, volume = {30}, number = {1}, pages = {4:1--4:34}, year = {2012},
 doi = {10.1145/2094072.2094076}}"""

EFRON = """@article{Efron1987, author = {Bradley Efron}, title = {Better Bootstrap Confidence Intervals},
 journal = {Journal of the American Statistical Association}, volume = {82}, number = {397}, pages = {171--185},
 year = {1987}, doi = {10.1080/01621459.1987.10478410}}"""

HOLM = """@article{Holm1979, author = {Sture Holm}, title = {A Simple Sequentially Rejective Multiple Test Procedure},
 journal = {Scandinavian Journal of Statistics}, volume = {6}, number = {2}, pages = {65--70}, year = {1979}}"""

DUNN = """@article{Dunn1961, author = {Olive Jean Dunn}, title = {Multiple Comparisons among Means},
 journal = {Journal of the American Statistical Association}, volume = {56}, number = {293}, pages = {52--64},
 year = {1961}, doi = {10.1080/01621459.1961.10482090}}"""

HOMMEL = """@article{Hommel1988, author = {G. Hommel},
 title = {A Stagewise Rejective Multiple Test Procedure Based on a Modified {B}onferroni Test}, journal = {Biometrika},
 volume = {75}, number = {2}, pages = {383--386}, year = {1988}, doi = {10.1093/biomet/75.2.383}}"""

BENJAMINI = """@article{BenjaminiHochberg1995, author = {Yoav Benjamini and Yosef Hochberg},
 title = {Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing},
 journal = {Journal of the Royal Statistical Society: Series B (Methodological)}, volume = {57}, number = {1},
 pages = {289--300}, year = {1995}, doi = {10.1111/j.2517-6161.1995.tb02031.x}}"""

YEKUTIELI = """@article{BenjaminiYekutieli2001, author = {Yoav Benjamini and Daniel Yekutieli},
 title = {The control of the false discovery rate in multiple testing under dependency},
 journal = {The Annals of Statistics}, volume = {29}, number = {4}, pages = {1165--1188}, year = {2001},
 doi = {10.1214/aos/1013699998}}"""

MEIJER = """@article{MeijerKrebsGoeman2019, author = {Rosa J. Meijer and Thijmen J. P. Krebs and Jelle J. Goeman},
 title = {Hommel's procedure in linear time}, journal = {Biometrical Journal}, volume = {61}, number = {1},
 pages = {73--82}, year = {2019}, doi = {10.1002/bimj.201700316}}"""

WESTFALL = """@book{WestfallYoung1993, author = {Peter H. Westfall and S. Stanley Young},
 title = {Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment}, publisher = {Wiley},
 address = {New York}, year = {1993}}"""


# -- significance tests of systems on the same topics ----------------------------------------------------------------


class SignificanceTest(Symbol):
    """A two-sided test of the hypothesis that two systems do not differ.

    Another plugin adds a test without importing this class: a :class:`irmx.Symbol` of the same ``KIND`` with a method ``test``;
    the other attributes have defaults.

    Attributes
    ----------
    RESAMPLES : bool
        Whether it makes random draws.
    FLIPS_SIGNS : bool
        Whether these are changes of signs, and all 2^n of them where these are at most as many as the draws.
    ALL_PAIRS : bool
        Whether it compares all pairs of systems together, so that its p-values need no correction within a measure.
    CITATIONS : tuple of str
        BibTeX entries of the papers to cite.
    PHRASE : str
        What a sentence of a paper calls it.
    FEWEST : int
        The fewest topics for which it can be trusted; with fewer it is refused.
    """

    KIND = "significance test"
    FEWEST: ClassVar[int] = 2
    RESAMPLES: ClassVar[bool] = False
    FLIPS_SIGNS: ClassVar[bool] = False
    ALL_PAIRS: ClassVar[bool] = False
    CITATIONS: ClassVar[tuple[str, ...]] = ()
    PHRASE: ClassVar[str] = ""

    @abstractmethod
    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the statistic and the p-value of every pair, both of shape (pairs,)."""

    def intervals(self, paired: PairedValues, level: float) -> tuple[Floats, Floats] | None:
        """Return the ends of the intervals of the differences with a coverage of 1 - level; None for those of the t test."""
        return None


class Correction(Symbol):
    """A correction of the p-values of several comparisons.

    Another plugin adds one without importing this class: a :class:`irmx.Symbol` of the same ``KIND`` with a method ``adjust``.

    Attributes
    ----------
    RESAMPLES : bool
        Whether it makes random draws.
    FLIPS_SIGNS : bool
        Whether these are changes of signs, and all 2^n of them where these are at most as many as the draws.
    CITATIONS : tuple of str
        BibTeX entries of the papers to cite.
    PHRASE : str
        What a sentence of a paper calls it.
    """

    KIND = "correction of p-values"
    RESAMPLES: ClassVar[bool] = False
    FLIPS_SIGNS: ClassVar[bool] = False
    CITATIONS: ClassVar[tuple[str, ...]] = ()
    PHRASE: ClassVar[str] = ""

    @abstractmethod
    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return corrected p-values of a family: the pairs of one or several measures, one after the other."""

    def critical_t(self, family: Sequence[PairedValues], topics: int, level: float) -> float | None:
        """Return how many standard errors simultaneous intervals of a family reach; None if there are no such intervals."""
        return None


class TTest(SignificanceTest):
    """Student's t test of the mean difference, paired by topic.

    Where the difference is the same on every topic, but not 0, t is infinite, because there is no variance to judge it by.
    """

    NAME = "t"
    SHORT_DESC = "Student's t test, paired by topic"
    PHRASE = "a two-sided paired t test"
    CITATIONS = (STUDENT, URBANO)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return t and p with n - 1 degrees of freedom; 0 and 1 where the systems have the same values."""
        from scipy.special import stdtr

        statistic = np.empty(len(paired))
        for pairs in paired.chunks():
            mean, error = mean_and_error(paired.differences(pairs), paired.largest(pairs))
            with np.errstate(divide="ignore", invalid="ignore"):
                statistic[pairs] = np.where(mean == 0, 0.0, mean / error)
        return statistic, 2 * stdtr(paired.topics - 1, -np.abs(statistic))


class PermutationTest(SignificanceTest):
    """Fisher's randomisation test: the two systems of a topic change places, each topic with probability 1/2.

    p is the share of draws whose mean difference is at least as large in size as the observed one, which is counted as a draw
    itself: (b + 1) / (B + 1). On so few topics that all 2^n changes of places are at most ``draws``, p is their exact share.
    """

    NAME = "permutation"
    SHORT_DESC = "permutation test: the signs of the differences of topics are flipped at random"
    PHRASE = "a two-sided paired permutation test, which flips the signs of differences"
    RESAMPLES = True
    FLIPS_SIGNS = True
    CITATIONS = (FISHER, SMUCKER)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the mean differences and their p-values."""
        exact = ExactValues.of(paired.with_used_systems())
        totals = exact.totals()
        least, counts, draws = np.abs(totals) - exact.tolerance, np.zeros(len(paired), dtype=np.int64), 0
        for signs in sign_flips(paired.topics, paired.draws, paired.seed):
            counts += exact.count_reaching(exact.values.T @ signs.T, least)
            draws += len(signs)
            paired.advance(len(signs))
        paired.advance(paired.draws - draws)
        observed = 0 if all_signs(paired.topics, paired.draws) else 1
        return paired.mean_differences(), (counts + observed) / (draws + observed)


class BootstrapTest(SignificanceTest):
    """The bootstrap test by the shift method: topics are drawn with replacement, and differences shifted to a mean of 0.

    p is the share of draws whose shifted mean difference is at least as large in size as the observed one, which is counted
    as a draw itself: (b + 1) / (B + 1).
    """

    NAME = "bootstrap"
    SHORT_DESC = "bootstrap test by the shift method: topics are drawn with replacement"
    PHRASE = "a two-sided paired bootstrap test by the shift method"
    FEWEST = 5
    RESAMPLES = True
    CITATIONS = (SMUCKER,)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the mean differences and their p-values."""
        exact = ExactValues.of(paired.with_used_systems())
        totals = exact.totals()
        least, counts = np.abs(totals) - exact.tolerance, np.zeros(len(paired), dtype=np.int64)
        for samples in resampled_topics(paired.topics, paired.draws, paired.seed):
            counts += exact.count_reaching(exact.values.T @ samples.T, least, centres=totals)
            paired.advance(len(samples))
        return paired.mean_differences(), (counts + 1) / (paired.draws + 1)


_SMALL = 13
"""Up to how many topics SciPy permutes all signs if there are ties."""

_AT_ONCE = 1000
"""How many pairs take 65 MB of changes of signs on 13 topics."""

_EXACT = 50
"""Up to how many topics without ties SciPy's p is exact."""

_ROUNDING = 1e-12
"""Sizes of differences that are closer, relative to the largest value, are the same in decimals."""


class WilcoxonTest(SignificanceTest):
    """Wilcoxon's signed-rank test, by ``scipy.stats.wilcoxon``, of whose parameters these are.

    SciPy's ``method="auto"`` is exact on up to 50 topics if no difference is 0 and no two have the same size; otherwise it permutes
    all signs on up to 13 topics, and takes the normal approximation on more. Each pair of systems is decided for itself.

    SciPy ranks differences as floats, of which 0.3 - 0.2 and 0.2 - 0.1 are not equal. ``decimals`` rounds them first, so that
    differences that are equal in decimals share a rank; it matters for values with few decimals, such as P@10.
    """

    NAME = "wilcoxon"
    SHORT_DESC = "Wilcoxon's signed-rank test"
    PHRASE = "a two-sided Wilcoxon signed-rank test"
    CITATIONS = (WILCOXON,)
    SUPPORTED_PARAMS = {
        "zeros": Param(
            str,
            "topics without a difference: left out (wilcox), ranked but not counted (pratt), or halved (zsplit)",
            default="wilcox",
            choices=("wilcox", "pratt", "zsplit"),
        ),
        "method": Param(str, "how p is computed", default="auto", choices=("auto", "exact", "asymptotic")),
        "continuity": Param(
            bool,
            "whether the normal approximation is corrected for continuity; by default not, as in SciPy",
            default=False,
        ),
        "decimals": Param(
            int, "decimals to round differences to before they are ranked; None: none", default=None, low=0
        ),
    }

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the smaller sum of ranks and its p-value; 0 and 1 where the systems have the same values."""
        statistic, p = np.zeros(len(paired)), np.ones(len(paired))
        for pairs in paired.chunks():
            differences = paired.differences(pairs)
            if self["decimals"] is not None:
                differences = differences.round(self["decimals"])
            is_tied = _have_ties(differences)
            differs = (differences != 0).any(axis=0)
            by_signs = self["method"] == "auto" and paired.topics <= _SMALL
            for some, compute in (
                (~is_tied & differs, self._by_scipy),
                (is_tied & differs, self._by_all_signs if by_signs else self._by_scipy),
            ):
                places = np.flatnonzero(some)
                for start in range(0, len(places), _AT_ONCE):
                    chosen = places[start : start + _AT_ONCE]
                    statistic[pairs][chosen], p[pairs][chosen] = compute(differences[:, chosen])
        return statistic, p

    def computed(self, paired: PairedValues) -> list[str]:
        """Return how p is computed for every pair: exact, by permutations, or by the normal approximation."""
        if self["method"] != "auto":
            return ["exact" if self["method"] == "exact" else "normal approximation"] * len(paired)
        with_ties = "all signs permuted" if paired.topics <= _SMALL else "normal approximation"
        without = "exact" if paired.topics <= _EXACT else "normal approximation"
        kinds = []
        for pairs in paired.chunks():
            differences = paired.differences(pairs)
            differences = differences if self["decimals"] is None else differences.round(self["decimals"])
            kinds += [with_ties if is_tied else without for is_tied in _have_ties(differences).tolist()]
        return kinds

    def _by_scipy(self, differences: Floats) -> tuple[Floats, Floats]:
        from scipy.stats import wilcoxon

        result = wilcoxon(
            differences,
            axis=0,
            zero_method=self["zeros"],
            method=self["method"],
            correction=self["continuity"],
        )
        return result.statistic, result.pvalue

    def _by_all_signs(self, differences: Floats) -> tuple[Floats, Floats]:
        """Return what SciPy does for few topics with ties, among all changes of signs; it tries them in a loop, for a second a pair."""
        from scipy.stats import rankdata

        is_zero = differences == 0
        sizes = np.where(is_zero & (self["zeros"] == "wilcox"), np.nan, np.abs(differences))
        ranks = rankdata(sizes, axis=0, nan_policy="omit")
        half = np.where(is_zero, ranks, 0).sum(axis=0) / 2 if self["zeros"] == "zsplit" else 0.0
        ranks = np.where(is_zero, 0, ranks)
        sums = np.concatenate(list(sign_flips(len(ranks), 2 ** len(ranks), seed=0))) @ ranks
        observed = (np.sign(differences) * ranks).sum(axis=0)  # sums of halves, so that equal ones are equal as floats
        p = 2 * np.minimum((sums <= observed).mean(axis=0), (sums >= observed).mean(axis=0))
        return (ranks.sum(axis=0) - np.abs(observed)) / 2 + half, np.minimum(p, 1.0)


def _have_ties(differences: Floats) -> Bools:
    """Return for which pairs a difference is 0, or two have the same size: SciPy decides by all pairs that it is given."""
    sizes = np.sort(np.abs(differences), axis=0)
    ties: Bools = (sizes[0] == 0) | (sizes[1:] == sizes[:-1]).any(axis=0)
    return ties


def count_lost_ties(paired: PairedValues) -> int:
    """Return for how many pairs two differences of the same size, or one of 0, are not equal as floats.

    >>> count_lost_ties(PairedValues(np.array([[0.3, 0.2], [0.2, 0.1]]), np.array([0]), np.array([1])))
    1
    """
    count = 0
    for pairs in paired.chunks():
        sizes = np.sort(np.abs(paired.differences(pairs)), axis=0)
        gaps = np.diff(sizes, axis=0, prepend=0)
        count += int(((gaps > 0) & (gaps <= _ROUNDING * paired.largest(pairs))).any(axis=0).sum())
    return count


class SignTest(SignificanceTest):
    """The sign test: the topics that the first system wins, of those that it wins or loses, by the binomial distribution.

    Topics that are ties are left out: those whose values differ by at most ``tie_threshold``, which is 0 by default; a
    customary threshold is 0.01.
    """

    NAME = "sign"
    SHORT_DESC = "sign test of the topics won and lost; ties are left out"
    PHRASE = "a two-sided sign test"
    CITATIONS = (DIXON,)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the number of topics that the first system wins, and p."""
        from scipy.special import bdtr

        wins, _, losses = paired.outcomes()
        p = 2 * bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5)
        return wins.astype(float), np.minimum(p, 1)


class TukeyTest(SignificanceTest):
    """Tukey's honestly significant difference, paired by topic.

    The difference of two means is divided by their standard error from the residual variance of the two-way analysis of
    variance without replication, systems x topics, with (n - 1)(m - 1) degrees of freedom. SciPy's ``tukey_hsd`` is the unpaired
    test: it counts the differences between topics as noise, and finds far less.
    """

    NAME = "tukey"
    SHORT_DESC = "Tukey's HSD of all pairs, on the two-way analysis of variance of systems x topics"
    PHRASE = "Tukey's honestly significant difference test on a two-way analysis of variance, topics by systems"
    ALL_PAIRS = True
    CITATIONS = (TUKEY, SAKAI)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the studentized ranges and their p-values, which hold for all pairs of systems together."""
        difference, error = paired.mean_differences(), _error(paired)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(difference == 0, 0.0, difference / error)
        return statistic, range_p_values(np.abs(statistic), *_shape(paired))

    def intervals(self, paired: PairedValues, level: float) -> tuple[Floats, Floats]:
        """Return the ends of the simultaneous intervals of all differences, with a joint coverage of 1 - level."""
        difference = paired.mean_differences()
        half = critical_range(level, *_shape(paired)) * _error(paired)
        return difference - half, difference + half


def _error(paired: PairedValues) -> float:
    """Return the standard error of the mean of a system."""
    return float(np.sqrt(residual_variance(paired.values) / paired.topics))


def _shape(paired: PairedValues) -> tuple[int, int]:
    """Return the number of systems, and the degrees of freedom of the residual variance."""
    topics, systems = paired.values.shape
    return systems, (topics - 1) * (systems - 1)


class RandomisedTukeyTest(SignificanceTest):
    """Tukey's test by permutations: the values of every topic are dealt to the systems at random.

    p is the share of draws in which the largest and the smallest mean of all systems are at least as far apart as those of the
    pair, which are counted as a draw themselves: (b + 1) / (B + 1).
    """

    NAME = "randomised_tukey"
    SHORT_DESC = "randomised Tukey HSD of all pairs: systems are permuted within topics"
    PHRASE = (
        "the randomised version of Tukey's honestly significant difference test, which permutes systems within topics"
    )
    RESAMPLES = True
    ALL_PAIRS = True
    CITATIONS = (CARTERETTE,)

    def test(self, paired: PairedValues) -> tuple[Floats, Floats]:
        """Return the mean differences and their p-values, which hold for all pairs of systems together."""
        exact = ExactValues.of(paired)
        smaller = np.searchsorted(self._ranges(paired, exact), np.abs(exact.totals()) - exact.tolerance)
        return paired.mean_differences(), (paired.draws - smaller + 1) / (paired.draws + 1)

    def simultaneous_intervals(self, paired: PairedValues, level: float) -> tuple[Floats, Floats]:
        """Return the ends of intervals that exclude 0 where p is at most the level: the difference and the critical range."""
        exact, difference = ExactValues.of(paired), paired.mean_differences()
        half = critical_draw(self._ranges(paired, exact), level, counted=1) * exact.unit / paired.topics
        return difference - half, difference + half

    def _ranges(self, paired: PairedValues, exact: ExactValues) -> Floats:
        """Return how far apart the largest and the smallest total are in every draw, sorted."""
        topics, systems = exact.values.shape
        ranges, rows = [], np.arange(topics)[:, None] * systems
        for orders in paired.orders.draw(topics, systems, paired.draws, paired.seed):
            orders += rows
            totals = exact.values.take(orders).sum(axis=1)
            ranges.append(np.ptp(totals, axis=1))
            paired.advance(len(orders))
        return np.sort(np.concatenate(ranges))


_ROUNDING_OF_DRAWS = 1e-9
"""So much above a draw, relative to it, a statistic is the same but for rounding, and does not exceed it."""


def critical_draw(ordered: Floats, level: float, counted: int) -> float:
    """Return the value that a statistic must exceed to be significant among draws in ascending order; infinite if none can be.

    ``counted`` is 1 if the observed statistic is counted as a draw itself.

    >>> round(critical_draw(np.arange(1.0, 100.0), 0.05, 1), 6), critical_draw(np.arange(9.0), 0.05, 1)
    (95.0, inf)
    """
    reached = int(np.floor(level * (len(ordered) + counted) + 1e-9)) - counted
    return float(ordered[len(ordered) - reached - 1]) * (1 + _ROUNDING_OF_DRAWS) if reached >= 0 else np.inf


def tested(test: Any, paired: PairedValues) -> tuple[Floats, Floats]:
    """Return the statistics and the p-values of a test; of differences that are equal on all topics, that of equal signs at least."""
    name = f"The significance test {test}"
    result = _called(name, lambda: test.test(paired))
    if not isinstance(result, tuple) or len(result) != 2:
        raise PluginError(f"{name} must return its statistics and p-values. It returned {_short(result)}.")
    statistic, p = (
        _numbers(f"{name} must return {what}", values, len(paired))
        for what, values in zip(_RETURNED, result, strict=True)
    )
    equal = np.isinf(statistic) * p_of_equal_signs(paired.topics)
    return statistic, np.maximum(_probabilities(name, p), equal)


_RETURNED = ("one statistic per pair of systems", "one p-value per pair of systems")


def corrected(correction: Any, p: Floats, family: Sequence[PairedValues]) -> Floats:
    """Return the p-values of a family after a correction."""
    name = f"The correction {correction}"
    result = _called(name, lambda: correction.adjust(p, family))
    return _probabilities(name, _numbers(f"{name} must return one p-value per comparison", result, len(p)))


def _called(name: str, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except IrmxError:
        raise
    except Exception as error:
        raise PluginError(f"{name} failed with {type(error).__name__}: {error}") from error


def _numbers(expected: str, values: Any, count: int) -> Floats:
    """Return values as an array of a length, without NaN."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise PluginError(f"{expected}. It returned {_short(values)}.") from None
    if numbers.shape != (count,):
        raise PluginError(
            f"{expected}, an array of the shape ({count},). It returned one of the shape {numbers.shape}."
        )
    if np.isnan(numbers).any():
        raise PluginError(f"{expected}. It returned NaN for pair {int(np.isnan(numbers).argmax())}, counted from 0.")
    return numbers


def _probabilities(name: str, p: Floats) -> Floats:
    """Return p-values in [0, 1]; a rounding error above 1 is none."""
    for pair in np.flatnonzero((p < 0) | (p > 1 + 1e-12))[:1].tolist():
        raise PluginError(
            f"{name} returned the p-value {p[pair]:g} for pair {pair}, counted from 0: it must be in [0, 1]."
        )
    return np.minimum(p, 1)


def _short(value: Any) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) <= 80 else text[:77] + "..."


# -- corrections of the p-values of several comparisons --------------------------------------------------------------


class NoCorrection(Correction):
    """No correction: each comparison is tested on its own."""

    NAME = "none"
    SHORT_DESC = "no correction"

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the p-values as they are."""
        return p

    def critical_t(self, family: Sequence[PairedValues], topics: int, level: float) -> float:
        """Return the t of a single comparison."""
        return two_sided_t(topics - 1, level)


class _OfPValues(Correction):
    """A correction by ``statsmodels.stats.multitest.multipletests``."""

    METHOD: ClassVar[str]

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        from statsmodels.stats.multitest import multipletests

        corrected: Floats = multipletests(p, method=self.METHOD)[1]
        return corrected


class _FamilyWise(Correction):
    """A correction that controls the family-wise error rate; its simultaneous intervals are Bonferroni's."""

    def critical_t(self, family: Sequence[PairedValues], topics: int, level: float) -> float:
        """Return Bonferroni's t."""
        return two_sided_t(topics - 1, level / sum(map(len, family)))


class Holm(_FamilyWise):
    """Holm's step-down correction, valid whatever the dependence of the comparisons.

    The smallest of n p-values is multiplied by n, the next by n - 1, and so on; none is smaller than the one before. This is what
    statsmodels computes, which collects garbage at each call: for a family per measure that would take a hundred times as long.
    """

    NAME = "holm"
    SHORT_DESC = "Holm's correction, which controls the family-wise error rate"
    PHRASE = "Holm's method"
    CITATIONS = (HOLM,)

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        order = np.argsort(p)
        corrected = np.empty(len(p))
        corrected[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
        return np.minimum(corrected, 1)


class Bonferroni(_FamilyWise, _OfPValues):
    """Bonferroni's correction: p times the number of comparisons. Holm's is as valid, and finds more."""

    NAME, METHOD = "bonferroni", "bonferroni"
    SHORT_DESC = "Bonferroni's correction, which controls the family-wise error rate"
    PHRASE = "Bonferroni's method"
    CITATIONS = (DUNN,)


class Hommel(_FamilyWise):
    """Hommel's correction, valid for independent and most positively dependent comparisons.

    With the Simes bound s_m = min_k m p_(n-m+k) / k of the m largest p-values, and S_m the largest s of m and more, the corrected p is
    the smallest of max(m p, S_(m+1)) over m, which is found by halving; the bounds are tangents to the lower hull of the sorted
    p-values (Meijer, Krebs and Goeman, 2019), so that many thousands of comparisons take a second.
    """

    NAME = "hommel"
    SHORT_DESC = "Hommel's correction, which controls the family-wise error rate"
    PHRASE = "Hommel's method"
    CITATIONS = (HOMMEL, MEIJER)

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values."""
        n = len(p)
        simes = np.append(_simes_bounds(np.sort(p)), 0.0)  # simes[m] is the bound of the n - m largest
        largest = np.maximum.accumulate(simes[: n + 1])  # S of n - m and more
        low, high = np.zeros(n, dtype=np.intp), np.full(n, n, dtype=np.intp)
        while (low < high).any():  # the smallest m with m p >= S_(m+1)
            middle = (low + high) // 2
            reached = middle * p >= _of_more_than(largest, middle)
            low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
        low = np.minimum(low, n)
        at = np.maximum(low * p, _of_more_than(largest, low))
        before = np.maximum((low - 1) * p, _of_more_than(largest, np.maximum(low - 1, 0)))
        return np.minimum(np.where(low > 0, np.minimum(at, before), at), 1)


def _of_more_than(largest: Floats, m: np.ndarray[Any, np.dtype[np.intp]]) -> Floats:
    """Return the largest Simes bound of more than m of the largest p-values; 0 for all of them."""
    n = len(largest) - 1
    return np.where(m < n, largest[np.maximum(n - m - 1, 0)], 0.0)


def _simes_bounds(ordered: Floats) -> Floats:
    """Return min over k of m p_(a+k) / k for every a = n - m, of p-values in ascending order.

    p_(a+k) / k is the slope from (a, 0) to the point (a + k, p_(a+k)); the smallest touches the lower hull of the points behind a.

    >>> _simes_bounds(np.array([0.01, 0.02, 0.9])).round(3).tolist()
    [0.03, 0.04, 0.9]
    """
    n, values = len(ordered), ordered.tolist()
    hull: list[int] = []  # places of the points of the lower hull behind a, the nearest last
    bounds = np.empty(n)
    for a in range(n - 1, -1, -1):
        while len(hull) > 1 and (values[hull[-1]] - values[a]) * (hull[-2] - a) >= (values[hull[-2]] - values[a]) * (
            hull[-1] - a
        ):
            hull.pop()
        hull.append(a)
        low, high = 0, len(hull) - 1
        while low < high:  # slopes fall and rise along the hull
            middle = (low + high) // 2
            i, j = hull[middle], hull[middle + 1]
            if values[j] * (i + 1 - a) <= values[i] * (j + 1 - a):
                low = middle + 1
            else:
                high = middle
        bounds[a] = values[hull[low]] * (n - a) / (hull[low] + 1 - a)
    return bounds


class BenjaminiHochberg(_OfPValues):
    """Benjamini and Hochberg's correction: the expected share of false discoveries among those that are significant."""

    NAME, METHOD = "bh", "fdr_bh"
    SHORT_DESC = "Benjamini and Hochberg's correction, which controls the false discovery rate"
    PHRASE = "the method of Benjamini and Hochberg, which controls the false discovery rate"
    CITATIONS = (BENJAMINI,)


class BenjaminiYekutieli(_OfPValues):
    """Benjamini and Yekutieli's correction: as Benjamini and Hochberg's, and valid whatever the dependence of the comparisons."""

    NAME, METHOD = "by", "fdr_by"
    SHORT_DESC = "Benjamini and Yekutieli's correction, which controls the false discovery rate under any dependence"
    PHRASE = "the method of Benjamini and Yekutieli, which controls the false discovery rate under any dependence"
    CITATIONS = (YEKUTIELI,)


class MaxT(Correction):
    """Single-step maxT: the share of draws in which the largest t statistic of the family reaches that of the comparison.

    The signs of the differences of all comparisons, over all measures of the family, are flipped together, so that their
    correlations count: similar systems cost less than with Holm's correction. The p-values of the test are not used.
    """

    NAME = "maxt"
    SHORT_DESC = "Westfall and Young's correction by permutations, which controls the family-wise error rate"
    PHRASE = (
        "the maxT permutation method of Westfall and Young, which replaces them by those of the largest t statistic"
    )
    RESAMPLES = True
    FLIPS_SIGNS = True
    CITATIONS = (WESTFALL,)

    def adjust(self, p: Floats, family: Sequence[PairedValues]) -> Floats:
        """Return the corrected p-values: (b + 1) / (B + 1), or an exact share if all 2^n changes of signs are few."""
        measures = [_Sums(paired) for paired in family]
        highest = self._highest(family, measures)
        least = np.concatenate([measure.observed - measure.tolerance for measure in measures])
        counted = 0 if all_signs(family[0].topics, family[0].draws) else 1
        return (len(highest) - np.searchsorted(highest, least) + counted) / (len(highest) + counted)

    def critical_t(self, family: Sequence[PairedValues], topics: int, level: float) -> float:
        """Return the critical value of the largest t statistic of the draws."""
        counted = 0 if all_signs(topics, family[0].draws) else 1
        ratio = critical_draw(self._highest(family, [_Sums(paired) for paired in family]), level, counted)
        return float(ratio * np.sqrt((topics - 1) / (topics - ratio**2))) if ratio**2 < topics else np.inf

    def _highest(self, family: Sequence[PairedValues], measures: Sequence[_Sums]) -> Floats:
        """Return the largest ratio of every draw over all comparisons, sorted."""
        topics, draws, seed = family[0].topics, family[0].draws, family[0].seed
        if any(paired.topics != topics for paired in family):
            raise UsageError(
                "The correction maxt flips the signs of all measures of a family together, so that they need values on the same "
                'topics. Correct each measure alone (family="measure"), or leave out topics and measures without values.'
            )
        largest = []
        for signs in sign_flips(topics, draws, seed):
            sums = np.zeros(len(signs))
            for measure in measures:
                np.maximum(sums, measure.largest(signs), out=sums)
                measure.paired.advance(len(signs))
            largest.append(sums)
        highest = np.sort(np.concatenate(largest))
        for measure in measures:
            measure.paired.advance(draws - len(highest))
        return highest


class _Sums:
    """Sums of differences over the root of their sum of squares, which no sign changes: t grows with their size.

    t = u sqrt((n - 1) / (n - u^2)) for the ratio u, so that the largest t is the one of the largest u.
    """

    def __init__(self, paired: PairedValues) -> None:
        self.paired, self.exact = paired, ExactValues.of(paired.with_used_systems())
        squares = [
            np.square(self.exact.of_pairs(self.exact.values.T, pairs)).sum(axis=1)
            for pairs in self.exact.chunks(paired.topics)
        ]
        root = np.sqrt(np.concatenate(squares))
        self.scale = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
        self.observed = np.abs(self.exact.totals()) * self.scale
        self.tolerance = self.exact.tolerance * self.scale + 1e-12 * self.observed

    def largest(self, signs: Floats) -> Floats:
        """Return the largest ratio of every draw."""
        sums, largest = self.exact.values.T @ signs.T, np.zeros(len(signs))
        for pairs in self.exact.chunks(len(signs)):
            ratios = self.exact.of_pairs(sums, pairs)
            np.abs(ratios, out=ratios)
            ratios *= self.scale[pairs, None]
            np.maximum(largest, ratios.max(axis=0), out=largest)
        return largest
