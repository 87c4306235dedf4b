"""Who gets a name that several plugins claim; it does not matter which of them is loaded first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from irmx.registry import PluginInfo

STRANGER, SHIPPED, HOST_ITSELF = range(3)
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
    return f"{owner.source} {_WHY[weight]} the name.{'' if weight == HOST_ITSELF else _how_to_choose(info, rivals)}"


def _disputed(rivals: list[Claim], info: PluginInfo) -> str:
    """Return why nobody gets a name."""
    sources = list(dict.fromkeys(rival.info.source for rival in rivals))
    return f"{' and '.join(sources)} claim{'s' * (len(sources) == 1)} it, too.{_how_to_choose(info, rivals)}"


def _how_to_choose(info: PluginInfo, rivals: list[Claim]) -> str:
    others = dict.fromkeys(rival.info.distribution or rival.info.name for rival in rivals)
    return f" IRMX_DISABLED_PLUGINS={','.join(others)} gives it to {info.name}."
