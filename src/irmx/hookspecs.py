"""The hooks: the whole contract between irmx and its plugins.

A plugin is a module, named by an entry point in the group ``irmx``, with functions decorated with
:data:`irmx.hookimpl`. Every hook takes no argument and returns an iterable of objects that have a
``NAME`` and their own documentation. All hooks are optional. The dependencies of a plugin's distribution state the version
of irmx that it needs, such as ``irmx>=0.2,<0.3``; this is checked before the plugin is imported.
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from irmx.adapters.ir_datasets import Dataset, Field
from irmx.data.formats import Format
from irmx.declare.columns import Command, Function, Symbol
from irmx.declare.described import OutputFormat
from irmx.declare.measures import Measure

hookspec = pluggy.HookspecMarker("irmx")
hookimpl = pluggy.HookimplMarker("irmx")


@hookspec
def irmx_measures() -> Iterable[Measure]:  # type: ignore[empty-body]
    """Return measures, each an instance of a subclass of :class:`irmx.Measure`."""


@hookspec
def irmx_scorers() -> Iterable[Measure]:  # type: ignore[empty-body]
    """Return scorers of measures of ir_measures, each an :class:`irmx.Measure` with the name and parameters of one of them."""


@hookspec
def irmx_symbols() -> Iterable[Symbol]:  # type: ignore[empty-body]
    """Return named objects for expressions, such as user models, each an :class:`irmx.Symbol`."""


@hookspec
def irmx_formats() -> Iterable[Format]:  # type: ignore[empty-body]
    """Return readers of file formats for qrels, runs and scores, each an :class:`irmx.Format`."""


@hookspec
def irmx_datasets() -> Iterable[Dataset]:  # type: ignore[empty-body]
    """Return datasets to register with ir_datasets, each an :class:`irmx.Dataset`."""


@hookspec
def irmx_fields() -> Iterable[Field]:  # type: ignore[empty-body]
    """Return document fields that provide qrels columns, each an :class:`irmx.Field`."""


@hookspec
def irmx_commands() -> Iterable[Command]:  # type: ignore[empty-body]
    """Return subcommands of ``irmx``, each an :class:`irmx.Command`."""


@hookspec
def irmx_functions() -> Iterable[Function]:  # type: ignore[empty-body]
    """Return functions that users call as ``irmx.NAME``, each an :class:`irmx.Function`."""


@hookspec
def irmx_output_formats() -> Iterable[OutputFormat]:  # type: ignore[empty-body]
    """Return output formats for the option ``-o`` of every command, each an :class:`irmx.OutputFormat`."""
