"""Discovery of plugins: which are installed and enabled, what their hooks return, and which gets a name that two claim."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, get_args, get_type_hints

import pluggy

from irmx import hookspecs
from irmx.adapters.ir_datasets import Field
from irmx.adapters.ir_measures import name_taken
from irmx.data.formats import Format
from irmx.data.judgments import Judgments
from irmx.data.parquet import Parquet
from irmx.data.text_formats import Csv, Jsonl, Trec, Tsv
from irmx.declare.columns import Command, Function, Symbol, TableName
from irmx.declare.described import OutputFormat
from irmx.declare.measures import Measure, problems
from irmx.errors import PluginError, PluginWarning, UsageError, text_of
from irmx.hookspecs import hookimpl
from irmx.parallel import prints_on_stderr
from irmx.registry import PluginInfo, Registry, entry_points, folder_of
from irmx.text import suggest

# -- who gets a name that several plugins claim ----------------------------------------------------------------------


THIRD_PARTY, BUNDLED, BUILT_IN = range(3)
"""How strong the claim of a plugin is."""

_WHY = ("", "ships with irmx and has", "has")


@dataclass(frozen=True, eq=False)
class Claim:
    """An object that a plugin offers, with the names that it must have for itself; it cannot do without the first."""

    info: PluginInfo
    kind: str
    names: list[str]
    obj: Any

    def clashes(self, name: str, other: Claim, other_name: str) -> bool:
        """Tell whether two plugins want one name; of commands, also a word that is the group of the other's."""
        if self.info is other.info or self.kind != other.kind:
            return False
        words = {name.partition(" ")[0], other_name.partition(" ")[0]}
        return name == other_name or (self.kind == "commands" and len(words) == 1 and bool(words & {name, other_name}))


def settle(
    claims: list[Claim], weight_of: Callable[[PluginInfo], int], taken: Callable[[str, str], str]
) -> dict[Claim, dict[str, str]]:
    """Return the names that each claim is refused, with the reasons.

    The strongest plugins are served first; among equals a disputed name goes to nobody. First names are settled before all
    others, because an object that is refused its first name is refused as a whole.
    """
    refused = {claim: {n: f"{who} already has this name." for n in claim.names if (who := taken(claim.kind, n))}
               for claim in claims}  # fmt: skip
    commands = [claim for claim in claims if claim.kind == "commands"]
    groups = {(id(claim.info), claim.names[0].partition(" ")[0]) for claim in commands if " " in claim.names[0]}
    for claim in commands:
        if (id(claim.info), claim.names[0]) in groups:
            refused[claim][claim.names[0]] = "the plugin has commands behind this word, too."
    for first_only in (True, False):
        by_word: dict[tuple[str, str], list[tuple[str, Claim]]] = {}
        for claim in claims:
            if claim.names[0] not in refused[claim]:
                for name in (one for one in claim.names[: 1 if first_only else None] if one not in refused[claim]):
                    by_word.setdefault((claim.kind, name.partition(" ")[0]), []).append((name, claim))
        for wanted in by_word.values():
            if any(a.clashes(name, b, other) for name, a in wanted for other, b in wanted):
                _settle_one(wanted, weight_of, refused)
    return refused


def _settle_one(
    wanted: list[tuple[str, Claim]], weight_of: Callable[[PluginInfo], int], refused: dict[Claim, dict[str, str]]
) -> None:
    """Refuse names that begin with one word to all but the strongest plugin that wants them."""
    standing: list[tuple[str, Claim]] = []
    for weight in sorted({weight_of(claim.info) for _, claim in wanted}, reverse=True):
        equals = []
        for name, claim in (one for one in wanted if weight_of(one[1].info) == weight):
            if rivals := [other for other_name, other in standing if claim.clashes(name, other, other_name)]:
                refused[claim][name] = _lost_to(rivals, claim.info, weight_of, refused)
            else:
                equals.append((name, claim))
        for name, claim in equals:
            if rivals := [other for other_name, other in equals if claim.clashes(name, other, other_name)]:
                refused[claim][name] = _disputed(rivals, claim.info)
        standing += equals  # those that are disputed, too, stand in the way of weaker ones


def _lost_to(
    rivals: list[Claim], info: PluginInfo, weight_of: Callable[[PluginInfo], int], refused: dict[Claim, dict[str, str]]
) -> str:
    """Return why a plugin does not get a name that stronger ones want."""
    owner = next((rival.info for rival in rivals if not refused[rival]), None)
    if owner is None:
        return _disputed(rivals, info)
    weight = weight_of(owner)
    return f"{owner.source} {_WHY[weight]} the name.{'' if weight == BUILT_IN else _how_to_choose(info, rivals)}"


def _disputed(rivals: list[Claim], info: PluginInfo) -> str:
    """Return why nobody gets a name."""
    sources = list(dict.fromkeys(rival.info.source for rival in rivals))
    return f"{' and '.join(sources)} claim{'s' * (len(sources) == 1)} it, too.{_how_to_choose(info, rivals)}"


def _how_to_choose(info: PluginInfo, rivals: list[Claim]) -> str:
    others = dict.fromkeys(rival.info.distribution or rival.info.name for rival in rivals)
    return f" IRMX_DISABLED_PLUGINS={','.join(others)} gives it to {info.name}."


# -- checks of the objects that hooks of plugins return, before they are registered ----------------------------------


HOOKS: dict[str, type] = {
    name: get_args(get_type_hints(hook)["return"])[0]
    for name, hook in vars(hookspecs).items()
    if name.startswith("irmx_")
}
"""The type of the objects that each hook returns."""


def keys(hook: str, obj: Any) -> list[str]:
    """Check that an object has the type that a hook returns, and return the names that it claims."""
    expected = HOOKS[hook]
    if isinstance(obj, type) and issubclass(obj, expected):
        raise PluginError(
            f"its hook {hook} returned the class {obj.__name__}, which is not an irmx.{expected.__name__} but a kind of "
            f"them: return {obj.__name__}(...)."
        )
    if not isinstance(obj, expected):
        raise PluginError(f"its hook {hook} returned {obj!r}, which is not an irmx.{expected.__name__}.")
    kind, name = type(obj).__name__, getattr(obj, "NAME", None)
    if name is None or name == "":
        raise PluginError(f"its hook {hook} returned a {kind} without a NAME.")
    if not isinstance(name, str):
        raise PluginError(f"its hook {hook} returned a {kind} whose NAME is {name!r}; a text is expected.")
    if not isinstance(obj, Measure):  # of which everything is checked
        _refuse_bad_texts(hook, obj)
    if isinstance(obj, (Measure, Symbol)) and not name.isidentifier():
        raise PluginError(
            f"its hook {hook} returned a {kind} whose NAME is {name!r}; in an expression only letters, digits and _ can be "
            "read as a name."
        )
    if isinstance(obj, Function) and not name.isidentifier():
        raise PluginError(f"its hook {hook} returned a Function whose NAME is {name!r}, which is no name in Python.")
    if isinstance(obj, Measure):
        _refuse_bad_declarations(obj)
        if hook == "irmx_scorers":
            if not name_taken(name):
                raise PluginError(f"its hook {hook} returned a scorer of {name}, which is no measure of ir_measures.")
            return [name]
        return [name, *obj.ALIASES]
    if isinstance(obj, Symbol):
        return [f"{obj.KIND} {name}"]
    if isinstance(obj, Field):
        return [f"{name} {obj.column}"]
    if isinstance(obj, Command):
        for word in filter(None, (obj.group, name)):
            if not re.fullmatch(r"\w[\w.-]*", word):
                raise PluginError(
                    f"its hook {hook} returned a Command with the word {word!r}, which cannot be typed: a word is letters, "
                    "digits, _, . and -, and begins with a letter, a digit or _."
                )
        return [obj.words]
    return [name]


def _refuse_bad_texts(hook: str, obj: Any) -> None:
    """Raise if what an object says of itself in lists and help texts is of a wrong type."""
    which = f"its hook {hook} returned a {type(obj).__name__} whose"
    about, lines = getattr(obj, "SHORT_DESC", None), getattr(obj, "EXAMPLES", ())
    if not isinstance(about, (str, type(None))):
        raise PluginError(f"{which} SHORT_DESC is of type {type(about).__name__}; a text is expected.")
    if not isinstance(lines, (tuple, list)) or not all(isinstance(line, str) for line in lines):
        raise PluginError(f"{which} EXAMPLES are of type {type(lines).__name__}; a tuple of texts is expected.")
    if isinstance(obj, Command) and not all(isinstance(text, str) for text in (obj.function, obj.group)):
        raise PluginError(f"{which} function or group is no text.")
    if isinstance(obj, Function) and not isinstance(obj.function, str):
        raise PluginError(f"{which} function is no text.")
    if isinstance(obj, (Format, OutputFormat)) and re.search(r"[\s:]", str(obj.NAME)):
        raise PluginError(f"{which} NAME is {obj.NAME!r}, which cannot be typed: no blanks and no colon are allowed.")
    if isinstance(obj, Format):
        for attribute, known in (("TABLES", {"run", "qrels", "scores"}), ("FOLDERS", {"run", "qrels"})):
            tables = getattr(obj, attribute)
            if not isinstance(tables, (tuple, list)) or not set(tables) <= known:
                raise PluginError(f"{which} {attribute} is not a tuple of {' and '.join(map(repr, sorted(known)))}.")
        if not isinstance(obj.IDS, bool) or obj.LINES not in ("all", "after header", ""):
            raise PluginError(f"{which} IDS or LINES is not as irmx.Format documents it.")


def _refuse_bad_declarations(measure: Measure) -> None:
    """Raise if a measure declares what it must not, or if what it declares fails."""
    for problem in problems(measure):
        raise PluginError(f"its measure {measure.NAME} {problem}")


# -- discovery of plugins --------------------------------------------------------------------------------------------


HOST = "irmx (host)"


def discover(registry: Registry, host: Iterable[ModuleType], own_names: Collection[str]) -> None:
    """Register the host's own features, then those of every installed plugin that the environment does not exclude.

    ``IRMX_LOAD_PLUGINS=a,b`` loads only these (empty: none); ``IRMX_DISABLED_PLUGINS=a,b`` leaves these out. Names are those of
    entry points or of distributions; the name of an entry point that several distributions use means all of them.
    """
    only, without = (_names_in(f"IRMX_{which}_PLUGINS") for which in ("LOAD", "DISABLED"))
    discovery = Discovery(registry, own_names)
    discovery.add_host(host)
    discovery.register()  # so that a plugin that asks irmx while it is loaded sees the features of the host
    known: set[str] = set()
    for info, load in _installed():
        names = _labels(info)
        known |= names
        if only is not None and names.isdisjoint(map(normalised_name, only)):
            info.failure = "not listed in IRMX_LOAD_PLUGINS"
        elif without is not None and not names.isdisjoint(map(normalised_name, without)):
            info.failure = "listed in IRMX_DISABLED_PLUGINS"
        elif info.failure:
            _warn(f"irmx plugin {info.source} is not in use: {info.failure}")
        if info.failure:
            registry.plugins[info.name] = info
        else:
            discovery.add(info, load)
    discovery.register()
    for which, wanted in (("LOAD", only), ("DISABLED", without)):
        for name in (n for n in wanted or () if normalised_name(n) not in known):
            _warn(f"IRMX_{which}_PLUGINS names {name!r}, which is not installed.{suggest(name, known)}")


def _installed() -> list[tuple[PluginInfo, Callable[[], Any]]]:
    """Return the installed plugins by name; where two distributions use one name, theirs are added."""
    found, broken = entry_points()
    points = sorted(found, key=lambda point: (point.name, point.value))
    names = [point.name for point in points]
    plugins: list[tuple[PluginInfo, Callable[[], Any]]] = []
    for point in points:
        name, version, failure = _about(point.dist)
        label = point.name if names.count(point.name) == 1 else f"{point.name} of {name}"
        plugins.append((PluginInfo(label, name, version, point.name, failure=failure), point.load))
    return plugins + [(PluginInfo(name, name, failure=_unreadable(why, name)), list) for name, why in broken.items()]


def _about(distribution: metadata.Distribution | None) -> tuple[str, str, str]:
    """Return the name and the version of a distribution, and why these cannot be read."""
    if distribution is None:
        return "", "", ""
    try:
        about: Any = distribution.metadata  # parsed every time
        if about and about["Name"] and about["Version"]:
            return str(about["Name"]), str(about["Version"]), ""
        why = "has no Name or no Version"
    except Exception as error:
        why = f"cannot be read ({text_of(error)})"
    name, folder = folder_of(distribution)
    return name, "", _unreadable(f"{os.path.join(folder, 'METADATA')} {why}", name)


def _unreadable(why: str, name: str) -> str:
    return f"{why}; reinstall or remove {name}. IRMX_DISABLED_PLUGINS={name} hides this message"


class Discovery:
    """Loads plugins one after the other, then registers what they offer.

    Failures of a plugin are recorded and warned about, never raised. Names are assigned when all plugins are loaded, so the
    order of plugins does not matter.
    """

    def __init__(self, registry: Registry, own_names: Collection[str] = ()) -> None:
        self._registry = registry
        self._manager = pluggy.PluginManager("irmx")
        self._manager.add_hookspecs(hookspecs)
        self._own_names = own_names
        self._claims: list[Claim] = []
        self._registered: set[Claim] = set()

    def add_host(self, modules: Iterable[ModuleType]) -> None:
        """Take the host's own features from its modules, which have the same hooks."""
        for module in modules:
            self.add(PluginInfo(HOST, "irmx", _version()), lambda module=module: module)  # type: ignore[misc]

    def add(self, info: PluginInfo, load: Callable[[], Any]) -> None:
        """Load one plugin and ask its hooks; :meth:`register` registers what they return."""
        info = self._registry.plugins.setdefault(info.name, info)
        try:
            with prints_on_stderr:
                if not _released_together(info):
                    _refuse_other_version(info.distribution)
                self._claims += self._claims_of(info, load())
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or isinstance(error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from error
            info.failure = str(error) if isinstance(error, PluginError) else text_of(error)
            _warn(f"irmx plugin {info.source} is not in use: {info.failure}")

    def _claims_of(self, info: PluginInfo, plugin: Any) -> list[Claim]:
        """Return what the hooks of one plugin return, checked."""
        self._manager.register(plugin)
        try:
            self._manager.check_pending()
            others = [other for other in self._manager.get_plugins() if other is not plugin]
            claims = []
            known: set[tuple[str, str]] = set()
            for hook in HOOKS:
                kind = hook.removeprefix("irmx_")
                for obj in _returned(hook, self._manager.subset_hook_caller(hook, others)):
                    names = _names_or_refused(info, hook, obj)
                    if not names:
                        continue
                    claim = Claim(info, kind, names, obj)
                    for key in names:
                        if (kind, key) in known:
                            raise PluginError(f"it registers the {_one(kind)} {key!r} twice.")
                        known.add((kind, key))
                    claims.append(claim)
        except BaseException:
            self._manager.unregister(plugin)
            raise
        return claims

    def register(self) -> None:
        """Register what was loaded since the last time, every object by those of its names that its plugin gets."""
        refused = settle(self._claims, self._weight, self._taken)
        named = [
            claim
            for claim in self._claims
            if claim.kind == "measures" or (claim.kind == "symbols" and getattr(claim.obj, "ATTRIBUTE", True))
        ]
        attributes = [
            Claim(claim.info, "attributes", [name], claim.obj)
            for claim in named
            if claim.names[0] not in refused[claim]
            for name in ([claim.obj.NAME] if claim.kind == "symbols" else claim.names)
            if name not in refused[claim]
        ]
        self._register(refused, [claim for claim in self._claims if claim not in self._registered])
        self._register(settle(attributes, self._weight, self._taken), attributes)
        self._registered.update(self._claims)

    def _register(self, refused: dict[Claim, dict[str, str]], claims: list[Claim]) -> None:
        """Register some claims by the names that they get, and tell of the others."""
        for claim in claims:
            info, reasons = claim.info, refused[claim]
            for key, reason in reasons.items():
                told = info.refused.setdefault(claim.kind, {})
                if key not in told:
                    told[key] = reason
                    _warn(f"The {_one(claim.kind)} {key!r} of the irmx plugin {info.source} is refused: {reason}")
            if claim.names[0] in reasons:
                continue
            for key in (key for key in claim.names if key not in reasons):
                if self._registry.owner(claim.kind, key) is None:  # the first of a plugin's own that share a name
                    self._registry.add(claim.kind, key, claim.obj, info.source)
            if claim.kind != "attributes":
                info.offers.setdefault(claim.kind, []).append(_shown(claim))

    def _weight(self, info: PluginInfo) -> int:
        if info.name == HOST:
            return BUILT_IN
        return BUNDLED if normalised_name(info.distribution) in _bundled() else THIRD_PARTY

    def _taken(self, kind: str, key: str) -> str:
        """Return who has a name outside the plugins, empty where nobody has."""
        if kind in ("measures", "attributes", "functions") and key in self._own_names:
            return "irmx itself"
        return name_taken(key) if kind == "measures" else ""


def _labels(info: PluginInfo) -> set[str]:
    """Return the names by which the environment may mean a plugin, without regard to case, and to - or _."""
    return {normalised_name(name) for name in (info.name, info.point, info.distribution)}


def normalised_name(distribution: str) -> str:
    """Return the name of a distribution as package indexes compare it (PEP 503).

    >>> normalised_name("Irmx_Markov")
    'irmx-markov'
    """
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _returned(hook: str, caller: pluggy.HookCaller) -> list[Any]:
    """Return the objects that a hook of one plugin returns; what goes wrong in it says so."""
    try:
        answers = caller()
        answers += [None] * (len(caller.get_hookimpls()) - len(answers))  # pluggy leaves them out
        for answer in answers:
            if not isinstance(answer, Iterable):
                raise PluginError(f"its hook {hook} returned {answer!r}; a list of objects is expected.")
        return [obj for answer in answers for obj in answer]
    except (KeyboardInterrupt, PluginError):
        raise
    except BaseException as error:
        raise PluginError(f"its hook {hook} raised {text_of(error)}") from error


def _names_or_refused(info: PluginInfo, hook: str, obj: Any) -> list[str]:
    """Return the names that an object claims; none, with a warning, if it cannot be used, which leaves the plugin's others."""
    try:
        return keys(hook, obj)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        kind = hook.removeprefix("irmx_")
        reason = str(error) if isinstance(error, PluginError) else f"it raises {text_of(error)}"
        info.refused.setdefault(kind, {})[_label(obj)] = reason
        _warn(f"One of the {kind.replace('_', ' ')} of the irmx plugin {info.source} is refused: {reason}")
        return []


def _label(obj: Any) -> str:
    """Return the name of an object that may be anything."""
    try:
        name = obj.NAME
    except Exception:
        name = None
    return name if isinstance(name, str) and name else type(obj).__name__


def _one(kind: str) -> str:
    """Return the singular of a kind."""
    return kind.removesuffix("s")


def _shown(claim: Claim) -> str:
    """Return the name of an object as ``irmx plugins`` shows it."""
    return claim.names[0] if claim.kind in ("measures", "commands") else str(claim.obj.NAME)


@cache
def _bundled() -> set[str]:
    """Return the distributions that ship with irmx: those of its extra ``plugins``."""
    texts = (text for text in metadata.requires("irmx") or () if re.search(r"extra\s*==\s*['\"]plugins['\"]", text))
    return {normalised_name(re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0]) for text in texts}


def _released_together(info: PluginInfo) -> bool:
    """Tell whether a plugin ships with this irmx, and fits it; the parser of requirements takes long to import."""
    return info.version == _version() and normalised_name(info.distribution) in _bundled()


def _refuse_other_version(distribution: str) -> None:
    """Raise :class:`irmx.PluginError` where the metadata of a distribution ask for another irmx, before it is imported."""
    try:
        required = metadata.requires(distribution) if distribution not in ("", "irmx") else None
    except metadata.PackageNotFoundError:
        return
    for text in required or ():
        if not re.match(r"irmx\b(?![-.\w])", text, re.IGNORECASE):
            continue
        from packaging.requirements import InvalidRequirement, Requirement

        here = _version()
        with contextlib.suppress(InvalidRequirement):
            needed = Requirement(text)
            wanted = needed.marker is None or needed.marker.evaluate({"extra": ""})
            if wanted and not needed.specifier.contains(here, prereleases=True):
                raise PluginError(
                    f"it needs irmx {needed.specifier}; this is irmx {here}. To get versions that fit: "
                    f"python -m pip install --upgrade irmx {distribution}"
                )


@cache
def _version() -> str:
    return metadata.version("irmx")


def _names_in(variable: str) -> list[str] | None:
    """Return the names in an environment variable, None if it is not set."""
    value = os.environ.get(variable)
    return None if value is None else [v.strip() for v in value.split(",") if v.strip()]


def _warn(text: str) -> None:
    warnings.warn(text, PluginWarning, stacklevel=2)


# -- the host's own formats, registered through the hooks that plugins use -------------------------------------------


class IrDatasets(Format):
    """Qrels of a dataset of ir_datasets, by its id."""

    NAME = "irds"
    SHORT_DESC = "the qrels of a dataset of ir_datasets, by its id: ID, or irds:ID"
    EXAMPLES = ("vaswani", "irds:disks45/nocr/trec-robust-2004")
    TABLES: ClassVar[tuple[TableName, ...]] = ("qrels",)
    IDS = True

    def read(self, table: TableName, path: Path, content: bytes) -> Any:
        """Refuse to read a file."""
        raise UsageError(f"irds: stands before the id of a dataset, whose qrels are read. Got {path} as a {table}.")

    def judgments(self, dataset_id: str, columns: Sequence[str]) -> Judgments:
        """Return the qrels of a dataset, with columns that fields of its documents give."""
        from irmx.adapters.ir_datasets import judgments_with

        return judgments_with(dataset_id, columns)


@hookimpl
def irmx_formats() -> list[Format]:
    return [Trec(), Csv(), Tsv(), Jsonl(), Parquet(), IrDatasets()]
