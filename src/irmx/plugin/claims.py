"""Who gets a name that several plugins claim; it does not matter which of them is loaded first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from irmx.registry import PluginInfo

STRANGER, SHIPPED, PREFERRED, HOST_ITSELF = range(4)
"""How strong the claim of a plugin is."""

_WHY = ("", "ships with irmx and has", "is preferred and has", "has")


@dataclass(frozen=True, eq=False)
class Claim:
    """An object that a plugin offers, with the names that it must have for itself; it cannot do without the first."""

    info: PluginInfo
    kind: str
    names: list[str]
    obj: Any


class _Held(NamedTuple):
    """A name that a claim holds against weaker ones: because it gets the name, or because it shares the dispute."""

    name: str
    claim: Claim
    gets: bool = True


def settle(
    claims: Iterable[Claim], weight_of: Callable[[PluginInfo], int], taken: Callable[[str, str], str]
) -> dict[Claim, dict[str, str]]:
    """Return the names that each claim is refused, with the reasons.

    The strongest plugins are served first. Among equals a disputed name goes to nobody. An object that is refused its first
    name is refused as a whole, so that its other names stand in nobody's way.

    Parameters
    ----------
    claims : iterable of Claim
        What all plugins offer.
    weight_of : function
        How strong the claims of a plugin are, such as :data:`SHIPPED`.
    taken : function
        Who has a name of a kind outside the plugins; empty where nobody has.
    """
    claims = list(claims)
    refused = {claim: _refused_alone(claim, claims, taken) for claim in claims}
    everybody = _by_word(_Held(name, claim) for claim in claims for name in claim.names)
    levels: dict[int, list[Claim]] = {}
    for claim in claims:
        if not any(_rivals(_Held(name, claim), everybody) for name in claim.names):
            continue  # nothing to weigh, which takes the metadata of irmx
        levels.setdefault(weight_of(claim.info), []).append(claim)
    held: list[_Held] = []
    for weight in sorted(levels, reverse=True):
        disputed = _settle_equals(levels[weight], held, refused, weight_of)
        alive = [claim for claim in levels[weight] if claim.names[0] not in refused[claim]]
        held += [_Held(name, claim) for claim in alive for name in claim.names if name not in refused[claim]]
        held += [one._replace(gets=False) for one in disputed]
    return refused


def _settle_equals(
    claims: list[Claim],
    held: list[_Held],
    refused: dict[Claim, dict[str, str]],
    weight_of: Callable[[PluginInfo], int],
) -> list[_Held]:
    """Refuse names to equally strong plugins, and return what they dispute.

    First names are settled first, then other names that are somebody's first name, then the rest.
    """
    stronger, disputed = _by_word(held), []
    for turn in range(3):
        alive = [claim for claim in claims if claim.names[0] not in refused[claim]]
        first = {(claim.kind, claim.names[0]) for claim in alive}
        wanted = [
            _Held(name, claim)
            for claim in alive
            for name in (claim.names[:1] if turn == 0 else claim.names)
            if name not in refused[claim] and (turn == 2 or (claim.kind, name) in first)
        ]
        for one in wanted:
            if rivals := _rivals(one, stronger):
                refused[one.claim][one.name] = _lost_to(rivals, one.claim.info, weight_of)
        equals = _by_word(one for one in wanted if one.name not in refused[one.claim])
        for one in (one for ones in equals.values() for one in ones):
            if rivals := _rivals(one, equals):
                refused[one.claim][one.name] = _disputed(rivals, one.claim.info)
                disputed.append(one)
    return disputed


def _refused_alone(claim: Claim, claims: list[Claim], taken: Callable[[str, str], str]) -> dict[str, str]:
    """Return the names that a claim is refused whatever other plugins claim."""
    reasons = {name: f"{who} already has this name." for name in claim.names if (who := taken(claim.kind, name))}
    if claim.kind == "commands":
        (words,) = claim.names
        behind = [c.names[0] for c in claims if c.info is claim.info and c.kind == claim.kind and c is not claim]
        if any(other.startswith(f"{words} ") for other in behind):
            reasons[words] = "the plugin has commands behind this word, too."
    return reasons


def _by_word(held: Iterable[_Held]) -> dict[tuple[str, str], list[_Held]]:
    """Return names by kind and first word."""
    by_word: dict[tuple[str, str], list[_Held]] = {}
    for one in held:
        by_word.setdefault((one.claim.kind, one.name.partition(" ")[0]), []).append(one)
    return by_word


def _rivals(one: _Held, by_word: dict[tuple[str, str], list[_Held]]) -> list[_Held]:
    """Return what stands against a name: the same name, and of a command the group of that name, or the other way round."""
    word = one.name.partition(" ")[0]
    group = one.claim.kind == "commands"
    return [
        other
        for other in by_word.get((one.claim.kind, word), ())
        if other.claim.info is not one.claim.info
        and (other.name == one.name or (group and word in (other.name, one.name)))
    ]


def _lost_to(rivals: list[_Held], info: PluginInfo, weight_of: Callable[[PluginInfo], int]) -> str:
    """Return why a plugin does not get a name that stronger ones hold."""
    owner = next((rival.claim.info for rival in rivals if rival.gets), None)
    if owner is None:
        return _disputed(rivals, info)
    weight = weight_of(owner)
    how = "" if weight == HOST_ITSELF else _how_to_choose(info)
    return f"{owner.source} {_WHY[weight]} the name.{how}"


def _disputed(rivals: list[_Held], info: PluginInfo) -> str:
    """Return why nobody gets a name."""
    sources = list(dict.fromkeys(rival.claim.info.source for rival in rivals))
    return f"{' and '.join(sources)} claim{'s' * (len(sources) == 1)} it, too.{_how_to_choose(info)}"


def _how_to_choose(info: PluginInfo) -> str:
    return f" IRMX_PREFERRED_PLUGINS={info.distribution or info.name} gives it to {info.name}."
