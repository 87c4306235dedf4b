"""The targets of the fuzzer: what is fuzzed, with which inputs, and what must come out.

An input is bytes: a file, the text of an expression, or JSON that describes a call. It follows from the target, a seed and a
number alone. The inputs with the smallest numbers are sound, so that a target which refuses everything is noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from mutations import OF_TEXT, Mutation, mutated


@dataclass(frozen=True)
class Target:
    """Something that is fuzzed.

    Attributes
    ----------
    name : str
        Its name in the table of results, and of the folder of its regression files.
    run : callable
        Takes the path of an input and runs it; it raises an ``irmx.IrmxError`` if irmx refuses the input, and
        :class:`outcomes.WrongValueError` if irmx answers what it should not. Any other exception is a finding.
    seeds : list of bytes
        Sound inputs.
    mutations : list of callable
        What may be done to a seed.
    make : callable, optional
        Returns an input for a source of random numbers; by default a mutated seed.
    suffix : str
        The end of the name of an input file.
    names_file : bool
        Whether a message must name the input file.
    fails : bool
        Whether a plugin is meant to fail; elsewhere the message that one failed with an exception is a finding.
    seconds : float
        The CPU time that an input may take.
    """

    name: str
    run: Callable[[Path], object]
    seeds: list[bytes]
    mutations: list[Mutation] = field(default_factory=lambda: OF_TEXT)
    make: Callable[[Random], bytes] | None = None
    suffix: str = ""
    names_file: bool = True
    fails: bool = False
    seconds: float = 5.0

    def input(self, seed: int, number: int) -> bytes:
        """Return the input of a number."""
        if number < len(self.seeds):
            return self.seeds[number]
        random = Random(f"{seed} {self.name} {number}")
        return mutated(random, self.seeds, self.mutations) if self.make is None else self.make(random)


def all_targets() -> dict[str, Target]:
    """Return all targets by name."""
    from command_targets import COMMANDS
    from evaluation_targets import EVALUATIONS
    from expression_targets import EXPRESSIONS
    from fault_targets import FAULTS
    from file_targets import FILES
    from plugin_targets import OF_PLUGINS

    return {target.name: target for target in [*FILES, *OF_PLUGINS, *EXPRESSIONS, *EVALUATIONS, *COMMANDS, *FAULTS]}
