"""The views in which a claim about two systems is tried: judges, users, measures, seeds, parts of the topics, unjudged documents."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from glob import glob
from typing import Any

import ir_measures
import numpy as np

import irmx
from irmx import (
    DataError,
    IrmxError,
    Join,
    Judgments,
    Param,
    Run,
    Scores,
    UsageError,
    read_qrels,
    read_run,
    read_table,
    score_joined,
)
from irmx.ragged import Ints
from irmx.toolkit import as_measures, list_some, matching_files, named_runs, plural, suggest
from irmx_study.assuming import refuse_added
from irmx_study.doubts import Claim, Doubt, How, View
from irmx_study.judge_labels import read_judges, refuse_unnamed
from irmx_study.judged_systems import with_rel
from irmx_study.pairs import signs_of
from irmx_study.per_topic import range_of
from irmx_study.work import identity_of_data

DEPTH = 10
"""Up to which rank unjudged documents are assumed to be relevant, for a measure without a cutoff."""

LEFT_OUT = 10
"""So many topics are left out, one at a time: those that speak most for the run."""

_MARKED: dict[str, tuple[str, str, How]] = {
    "judgments": ("judges", "judges", "same unit"),
    "unjudged": ("unjudged", "assumptions about unjudged documents", "same unit"),
    "seed": ("seeds", "seeds", "same unit"),
    "slice": ("slices", "groups of topics", "other topics"),
    "collection": ("collections", "collections", "other topics"),
}
"""What a mark of views makes them doubts of."""

_NOUNS = {"users": "users", "measures": "other measures"}
_NAMES = {*(name for name, _, _ in _MARKED.values()), *_NOUNS, "claim", "difficulty", "missing", "topics", "weights"}
"""The names of doubts, which a grouping of topics cannot have."""


def views_of(scores: Scores, users: Collection[str] = ()) -> tuple[View, list[Doubt]]:
    """Return the main view of scores of two systems, their first, and the doubts that all others make.

    Settings of the measure are users, as are measures that are named.
    """
    marks = {name: of for name, of in scores.marks.items() if name != "weight"}
    main, doubts = _view(scores, 0, str(scores.measures[0])), dict[str, tuple[str, How, list[View]]]()
    for v, measure in list(enumerate(scores.measures))[1:]:
        differing = [name for name, of in marks.items() if of[v] != of[0]]
        if differing:
            name, noun, how = _MARKED.get(differing[0], (differing[0], f"views by {differing[0]}", "same unit"))
            text = str(marks[differing[0]][v])
            if name == "slices" and ":" in text:
                column, _, text = text.partition(":")
                name, noun = f"slice {column}" if column in _NAMES else column, f"groups of topics by {column}"
        else:
            is_setting = getattr(measure, "NAME", measure) == getattr(scores.measures[0], "NAME", "")
            name = "users" if is_setting or str(measure) in users else "measures"
            noun, how, text = _NOUNS[name], "other unit", str(measure)
        doubts.setdefault(name, (noun, how, []))[2].append(_view(scores, v, text))
    return main, [Doubt(name, noun, how, tuple(views)) for name, (noun, how, views) in doubts.items()]


def _view(scores: Scores, v: int, name: str) -> View:
    measure, values = scores.measures[v], scores.values[:, :, v]
    is_share = np.isfinite(range_of(measure)).all() or np.nanmax(np.abs(values), initial=0) <= 1
    unit = "" if is_share else str(measure)
    return View(name, values, bool(getattr(measure, "LESS_IS_BETTER", False)), unit=unit)


def refuse_untried(doubts: Sequence[Doubt], **asked: Any) -> None:
    """Raise if what was asked for, by the name of the option, gave no view beside the claim."""
    tried = {doubt.name for doubt in doubts}
    if tried & {"users", "measures"}:  # a setting of the measure is a user, whichever it was given as
        tried |= {"users", "measures"}
    if any(doubt.how == "other topics" and doubt.name != "collections" for doubt in doubts):
        tried.add("slices")
    for option, value in asked.items():
        if value is not None and option not in tried:
            raise UsageError(
                f"The {option} leave nothing to try beside the claim. Name what to try, or leave them out."
            )


def refuse_help(scores: Scores, claim: Claim) -> None:
    """Raise if values that are missing help the claim in a view, where they count as the measure's default.

    They do unless the default is as good for the baseline as any value of the measure can be, or as bad for the run; for ``equal``
    always. A measure that irmx does not know has no values below 0, if it has none in the scores.
    """
    for v, sign in enumerate(signs_of(scores)):
        lacks, measure = scores.missing[:, :, v], scores.measures[v]
        low, high = range_of(measure)
        if np.isinf(low) and not (scores.values[:, :, v] < 0).any():
            low = 0.0
        worst, best = (low, high) if sign > 0 else (-high, -low)
        counted = sign * float(measure.DEFAULT)
        helps = [claim.kind == "equal" or counted < best, claim.kind == "equal" or counted > worst]
        for s in np.flatnonzero(lacks.any(axis=0) & np.array(helps))[:1].tolist():
            topics = [scores.topics[t] for t in np.flatnonzero(lacks[:, s]).tolist()]
            raise DataError(
                f"{scores.systems[s]} has no value of {scores.names[v]} for {len(topics)} of {int(scores.in_view[:, v].sum())} topics "
                f"({list_some(topics, 5)}); counted as {float(measure.DEFAULT):g}, they would help the claim. Give the "
                "results for these topics; or --missing both, in Python missing='both', to leave them out; or --missing zero to count "
                "them nevertheless."
            )


def with_common_topics(main: View, doubts: Sequence[Doubt], both: View, of_both: Sequence[Doubt]) -> list[Doubt]:
    """Return doubts where missing values count, with views of the topics that both systems have; given are all views of these."""
    name = "topics that both have"

    def lacks(view: View, other: View) -> bool:
        return not np.array_equal(np.isnan(view.differences), np.isnan(other.differences))

    found = []
    for doubt, common in zip(doubts, of_both, strict=True):
        more = [
            replace(other, name=f"{other.name}, {name}")
            for view, other in zip(doubt.views, common.views, strict=True)
            if lacks(view, other)
        ]
        found.append(replace(doubt, views=(*doubt.views, *more)))
    if lacks(main, both):
        found.append(Doubt("missing", "treatments of missing values", "other topics", (replace(both, name=name),)))
    return found


def of_difficulty(main: View) -> Doubt:
    """Return the thirds of the topics by the mean of both systems."""
    mean = main.values.mean(axis=1)
    known = np.flatnonzero(~np.isnan(mean))
    order = known[np.argsort(-mean[known] if main.less_is_better else mean[known], kind="stable")]
    thirds = zip(("hard", "middle", "easy"), np.array_split(order, 3), strict=True)
    views = tuple(_of_topics(main, name, third) for name, third in thirds)
    return Doubt("difficulty", "thirds of the topics by difficulty", "other topics", views)


def of_single_topics(claim: Claim, main: View, topics: Sequence[str]) -> Doubt:
    """Return what is left without each of the topics that speak most for the claim."""
    differences = main.differences
    known = np.flatnonzero(~np.isnan(differences))
    if claim.kind == "equal":  # those that keep the mean near 0
        differences = -np.sign(differences[known].mean()) * differences
    best = known[np.argsort(-differences[known], kind="stable")][:LEFT_OUT]
    views = tuple(_of_topics(main, f"without {topics[t]}", known[known != t]) for t in best.tolist())
    return Doubt("topics", "topics left out, one at a time", "other topics", views)


def of_weights(main: View, topics: Sequence[str], weights: Any) -> Doubt:
    """Return all topics with weights, such as those of the traffic that they stand for."""
    if isinstance(weights, Mapping) and "query_id" not in weights:
        weights = {"query_id": list(weights), "weight": list(weights.values())}
    table = read_table(weights, {"query_id": str, "weight": Param(float, "weight", low=0)}, "table of weights")
    ids = table["query_id"].tolist()
    first: dict[str, int] = {}
    for row, topic in enumerate(ids):
        if first.setdefault(topic, row) != row:
            raise DataError(f"{table.place([first[topic], row])}: topic {topic} has two weights. Leave one out.")
    of_topic = dict(zip(table["query_id"].tolist(), table["weight"].tolist(), strict=True))
    known = [topics[t] for t in np.flatnonzero(~np.isnan(main.differences)).tolist()]
    if lacking := [topic for topic in known if topic not in of_topic]:
        raise DataError(
            f"{plural(len(lacking), 'topic')} of {len(known)} have no weight: {list_some(lacking)}. Give each one; 0 leaves it out."
        )
    if not sum(of_topic[topic] for topic in known):
        raise DataError("All topics have the weight 0.")
    values = np.array([of_topic.get(topic, 0.0) for topic in topics])
    view = View("weighted", main.values, main.less_is_better, weights=values)
    return Doubt("weights", "weightings of the topics", "same unit", (view,))


def with_all(main: View, doubt: Doubt) -> Doubt:
    """Return the doubt about collections with all together: each with the same weight, and each topic."""
    values, strata = np.array(main.values), np.zeros(len(main.values), dtype=np.int64)
    for number, view in enumerate(doubt.views, start=1):
        known = ~np.isnan(view.differences)
        values[known], strata[known] = view.values[known], number
    together = (
        View("mean of all collections", values, main.less_is_better, strata),
        View("all topics of all", values, main.less_is_better),
    )
    return replace(doubt, views=(*doubt.views, *together))


def _of_topics(main: View, name: str, places: Ints) -> View:
    values = np.full_like(main.values, np.nan)
    values[places] = main.values[places]
    return View(name, values, main.less_is_better)


def with_assumptions(
    measure: ir_measures.Measure, judgments: Judgments, runs: Mapping[str, Any]
) -> tuple[list[Scores], str]:
    """Return the scores if unjudged documents are relevant, up to the cutoff, and if they are removed; and why one was not tried."""
    depth = int(measure.params.get("cutoff") or DEPTH)
    parts, untried = [], ""
    try:
        grade = float(max(measure.params.get("rel") or 1, 1))
        joins = [Join(read_run(run), judgments).with_judgments(unjudged=grade, depth=depth) for run in runs.values()]
        refuse_added(measure, joins)
        values = np.stack([of_run[0].values for of_run in score_joined(joins, [measure])], axis=1)[:, :, None]
        topics, retrieved = tuple(map(str, judgments.topics)), np.zeros(values.shape[:2], dtype=bool)
        for s, join in enumerate(joins):
            retrieved[join.in_judgments, s] = True
        relevant = Scores.of_runs(values, retrieved, topics, tuple(runs), (measure,))
        parts.append(relevant.marked(unjudged=f"relevant (top {depth})"))
    except IrmxError as error:  # such as a measure of subtopics, which an assumed document lacks
        untried = str(error)
        if getattr(measure, "DOCS_MAY_REPEAT", False):
            untried = f"{measure} scores runs in which documents repeat, so they have no single rank"
    if "judged_only" in measure.SUPPORTED_PARAMS and not measure.params.get("judged_only"):
        try:
            condensed = irmx.scores([measure(judged_only=True)], judgments, runs, progress=False)
            parts.append(replace(condensed, measures=(measure,)).marked(unjudged="removed"))
        except IrmxError as error:  # a provider that does not compute it
            untried = str(error)
    return parts, untried


# -- scores in all views ---------------------------------------------------------------------------------------------


def in_order(systems: Sequence[str], baseline: str | None) -> list[str]:
    """Return two systems, the baseline first; by default that is the first."""
    if len(systems) != 2:
        are = "is" if len(systems) == 1 else "are"
        raise UsageError(
            f"A verdict is on two systems, the baseline and a run. There {are} {len(systems)}: {list_some(systems)}."
        )
    if systems[0] == systems[1]:
        raise UsageError(f"Both systems are {systems[0]}. Give the baseline and another run.")
    if nameless := [name for name in systems if not str(name).strip()]:
        raise UsageError(f"A system needs a name. Got {nameless[0]!r}.")
    if baseline is not None and baseline not in systems:
        raise UsageError(
            f"There is no system {baseline!r}.{suggest(baseline, systems)} The systems: {list_some(systems)}."
        )
    return sorted(systems, key=lambda name: baseline is not None and name != baseline)


def scored_in_all_views(
    source: Any, qrels: Any, runs: Any, baseline: str | None, judges: Any, rel: Any, grades: Any, users: Any, others: Any,
    collections: Any, progress: bool | None,
) -> tuple[Scores, dict[str, list[str]], str]:  # fmt: skip
    """Return the scores of two systems in all views, the runs of a system that has several, and why unjudged documents were not tried."""
    if qrels is None or runs is None:
        raise UsageError(
            f"verdict() needs qrels and runs together; {'qrels' if qrels is None else 'runs'} are missing."
        )
    if isinstance(source, Scores) or hasattr(source, "columns"):
        raise UsageError("With qrels and runs, verdict() needs a measure, such as 'nDCG@10', instead of values.")
    parsed = as_measures(source)
    if len(parsed) != 1:
        raise UsageError(
            f"A claim is about one measure. Got {len(parsed)}: {list_some(map(str, parsed))}. Give the others as measures, as a doubt."
        )
    [measure] = parsed
    further = [one for more in (users, others) if more is not None for one in as_measures(more)]
    files, systems = _runs_of(runs)
    names = in_order(list(systems), baseline)

    def over_seeds(found: Scores) -> Scores:
        return _over_seeds(found, {name: systems[name] for name in names})

    known = read_qrels(qrels)
    source = known if _is_stream(qrels) else qrels  # a stream is read once
    found = irmx.scores([measure, *further], source, files, progress=progress)
    parts = [over_seeds(found)]
    reads = {name: of for name, of in identity_of_data([measure], known, {}).items() if name in ("qrels", "files")}
    for judge in read_judges(judges, rel, grades) if judges is not None else ():
        _refuse_stranger(judge.name, judge.judgments, known)
        of_judge = irmx.scores([with_rel(measure, judge.rel)], judge.judgments, files, progress=False)
        of_judge = of_judge.select(topics=[topic for topic in of_judge.topics if topic in known.index])
        parts.append(over_seeds(replace(of_judge, measures=(measure,))).marked(judgments=judge.name))
        reads.setdefault("judges", {})[judge.name] = identity_of_data([measure], judge.judgments, {})["qrels"]
    for name, (of_collection, two) in _collections_of(collections).items():
        parts.append(_on_collection(name, measure, of_collection, two, names))
        reads.setdefault("collections", {})[name] = parts[-1].made_by["qrels"]
    assumed, untried = with_assumptions(measure, known, files)
    parts += map(over_seeds, assumed)
    several = {name: of for name, of in systems.items() if len(of) > 1}
    for name, of_system in several.items():
        for file in of_system:
            of_seed = over_seeds(found.select(views=[found.names[0]]))
            values, states = np.array(of_seed.values), np.array(of_seed.states)
            for of_two, of_all in ((values, found.values), (states, found.states)):
                of_two[:, names.index(name)] = of_all[:, found.systems.index(file), :1]
            parts.append(replace(of_seed, values=values, states=states).marked(seed=file))
    return replace(Scores.concat(parts), made_by={**found.made_by, "reads": reads}), several, untried


def _runs_of(runs: Any) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return all runs by name, and by system the names of its runs; several of a system are files."""
    if not isinstance(runs, Mapping):
        paths = [runs] if isinstance(runs, (str, os.PathLike)) else list(runs)
        if not all(isinstance(path, (str, os.PathLike)) for path in paths):
            raise UsageError("Runs are a mapping of two names to runs, or two paths.")
        shown = [found[0] if len(found := _files_of(path)) == 1 else os.fspath(path) for path in paths]
        labels = [os.path.basename(os.path.normpath(path)) for path in shown]
        labels = [label if label.strip("*?") else path for label, path in zip(labels, shown, strict=True)]
        labels = labels if len(set(labels)) == len(labels) else shown
        if len(set(labels)) < len(labels):
            raise UsageError(f"Both systems are {labels[0]}. Give the baseline and another run.")
        runs = dict(zip(labels, paths, strict=True))
    of_system = {str(name): _files_of(run) or _several_runs(run) for name, run in runs.items()}
    given = [one for several in of_system.values() for one in several]
    paths = [os.path.realpath(one) for one in given if isinstance(one, str)]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise UsageError(f"The run {twice[0]} is given twice. Give every run once.")
    seeds = [one for several in of_system.values() if len(several) > 1 for one in several if isinstance(one, str)]
    named = iter(named_runs(seeds) if seeds else ())  # with their folders, where two have the same name
    files, systems = dict[str, Any](), dict[str, list[str]]()
    for name, several in of_system.items():
        systems[name] = [name]
        if len(several) > 1:
            systems[name] = [
                next(named) if isinstance(one, str) else f"{name} {number}"
                for number, one in enumerate(several, start=1)
            ]
        sources = [read_run(one) if _is_stream(one) else one for one in several]
        files |= dict(zip(systems[name], sources, strict=True))
    return files, systems


def _several_runs(run: Any) -> list[Any]:
    """Return a list of runs that are no files; anything else is one run, such as its rows."""
    listed = run if isinstance(run, (list, tuple)) else []
    are_runs = all(isinstance(one, (Run, Mapping)) or hasattr(one, "itertuples") for one in listed)
    return list(listed) if listed and are_runs else [run]


def _files_of(run: Any) -> list[str]:
    """Return the files of a path, a pattern, or a list of paths; none for anything else."""
    listed = run if isinstance(run, (list, tuple)) else [run]
    if not all(isinstance(one, (str, os.PathLike)) for one in listed):
        return []
    return [file for one in listed for file in matching_files(os.fspath(one))]


def beside(folder: str, path: str) -> str:
    """Return a path or pattern in a folder, if there is such a file; what is none may be the id of a dataset."""
    joined = os.path.join(folder, path)
    return joined if glob(joined) else path


def _is_stream(source: Any) -> bool:
    """Tell whether a source can be read only once: standard input, or a pipe."""
    is_path = isinstance(source, (str, os.PathLike))
    return is_path and (
        str(source) == "-" or (os.path.exists(source) and not os.path.isfile(source) and not os.path.isdir(source))
    )


def _over_seeds(found: Scores, systems: Mapping[str, Sequence[str]]) -> Scores:
    """Return scores of systems, the mean over their runs on each topic."""
    at = [[found.systems.index(file) for file in files] for files in systems.values()]
    values = np.stack([found.values[:, places].mean(axis=1) for places in at], axis=1)
    states = np.stack(
        [found.states[:, places].max(axis=1) for places in at], axis=1
    )  # missing where one run lacks the topic
    return replace(found, values=values, states=states, systems=tuple(systems), fields={})


def _collections_of(collections: Any) -> dict[str, tuple[Any, Any]]:
    """Return qrels and runs of collections by name; the paths of a table are beside it."""
    if collections is None:
        return {}
    if isinstance(collections, Mapping):
        refuse_unnamed("collection", map(str, collections))
        return dict(collections)
    needed = ("collection", "qrels", "baseline", "run")
    table = read_table(collections, dict.fromkeys(needed, str), "table of collections")
    folder = os.path.dirname(os.fspath(collections))
    rows = zip(*(table[name].tolist() for name in needed), strict=True)
    found: dict[str, tuple[Any, Any]] = {}
    for name, qrels, *runs in rows:
        if name in found:
            raise DataError(f"{collections} has the collection {name!r} twice.")
        found[name] = beside(folder, qrels), [beside(folder, run) for run in runs]
    return found


def _on_collection(name: str, measure: ir_measures.Measure, qrels: Any, runs: Any, systems: Sequence[str]) -> Scores:
    """Return the scores of both systems on another collection, whose topics have its name before theirs."""
    files, of_systems = _runs_of(runs)
    if len(of_systems) != 2:
        raise UsageError(f"The collection {name} needs a baseline and a run. It has {len(of_systems)} systems.")
    if isinstance(runs, Mapping):
        if set(of_systems) != set(systems):
            raise UsageError(
                f"The collection {name} has the systems {list_some(of_systems)}, which are not {list_some(systems)}. Give the same names, or a "
                "list of two runs, the baseline first."
            )
        of_systems = {system: of_systems[system] for system in systems}
    found = irmx.scores([measure], qrels, files, progress=False)
    if len(found.topics) < 2:
        raise DataError(f"The collection {name} has {len(found.topics)} topic; a mean with an interval needs two.")
    topics = tuple(f"{name}/{topic}" for topic in found.topics)
    of_two = _over_seeds(found, dict(zip(systems, of_systems.values(), strict=True)))
    return replace(of_two, topics=topics).marked(collection=name)


def _refuse_stranger(name: str, judgments: Any, known: Any) -> None:
    """Raise if a judge judged no document that the qrels judge."""
    theirs = judgments.as_dict()
    for topic, docs in known.as_dict().items():
        if not docs.keys().isdisjoint(theirs.get(topic, {})):
            return
    raise DataError(
        f"The judge {name} has no document in common with the qrels: are these judgments of the same topics?"
    )
