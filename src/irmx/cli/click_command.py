"""Commands of click from plain functions, whose options and arguments are declared beside the parameters."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO, Union, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from irmx.data.files import arguments_name_files
from irmx.declare.described import OutputFormat, PrintedRows
from irmx.errors import IrmxError, UsageError, failure_of
from irmx.registry import registry
from irmx.text import readable, suggest, visible, visible_lines

# -- commands of click from plain functions --------------------------------------------------------------------------


WIDTH = 78
"""The widest line of a help text; a terminal of 80 columns shows it whole."""

_Offers = Callable[[], Sequence[Any]]


class Option:
    """An option of a command, in the annotation of a parameter of its function.

    Parameters
    ----------
    *names : str
        Its names, such as ``"-t", "--topic"``; of a switch that can be turned off ``"--plot/--no-plot"``.
    help : str
        What it does, in one sentence.
    metavar : str, optional
        What stands for the value in the help; by default the last word of the parameter's name. For one that contains
        ``MEASURE`` the shell completes measures, and for other files.
    min, max : number, optional
        The smallest and the largest number allowed.
    check : function, optional
        Takes the value that was typed, and returns the value that the command gets; it raises :class:`irmx.UsageError` for a
        value that is not allowed, before anything is computed.
    complete : function, optional
        Returns what the shell offers: texts, or pairs of a text and what it means.
    eager : bool
        Whether it is looked at before all others.

    Examples
    --------
    >>> from typing import Annotated
    >>> def fit(log: Annotated[str, Argument(help="A click log.")], size: Annotated[int, Option("--size", min=1)] = 10) -> None:
    ...     '''Fit a model to a click log.'''
    >>> [param.name for param in click_command("fit", fit).params]
    ['log', 'size']
    """

    def __init__(
        self,
        *names: str,
        help: str = "",
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        check: Callable[[Any], Any] | None = None,
        complete: _Offers | None = None,
        eager: bool = False,
    ) -> None:
        self.names, self.help, self.metavar, self.eager = names, help, metavar, eager
        self.min, self.max, self.check, self.complete = min, max, check, complete


class Argument(Option):
    """An argument of a command, in the annotation of a parameter of its function; it takes what an option takes, but names."""


class Fields:
    """Which fields of a dataclass a command has options for, in the annotation of a parameter of that class.

    A parameter whose type is a dataclass with ``SUPPORTED_PARAMS``, a dict of :class:`irmx.Param`, becomes one option per field: its
    help is the description of the field, its default that of the dataclass. The command gets the dataclass, made of what was typed.
    The fields of another dataclass, which several commands may share, are annotated as the parameters of commands are.

    Parameters
    ----------
    *names : str
        The fields; the others have their defaults.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from irmx import Param
    >>> @dataclass
    ... class Sampling:
    ...     draws: int = 100
    ...     seed: int = 0
    ...     SUPPORTED_PARAMS = {"draws": Param(int, "the number of draws", low=1), "seed": Param(int, "their seed")}
    >>> def fit(sampling: Annotated[Sampling, Fields("draws")]) -> None:
    ...     '''Fit a model.'''
    >>> [option.opts for option in click_command("fit", fit).params]
    [['--draws']]
    """

    def __init__(self, *names: str) -> None:
        self.names = names


class ClickCommand(click.Command):
    """A command whose help also explains its arguments, which click does from 8.5 on; what plugins wrote is shown as text."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments and the options."""
        rows = [(str(one.metavar), one.about) for one in self.params if isinstance(one, _ExplainedArgument)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, which writes no file that another of its arguments names."""
        with arguments_name_files(ctx.params.values()):
            return super().invoke(ctx)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help text."""
        return visible_lines(super().get_help(ctx))


class _ExplainedArgument(click.Argument):
    about: str


class _OptionGivenOnce(click.Option):
    """An option of one value: another one beside it is refused, where click would take the last without a word."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser collect all values that are typed."""
        self.multiple = True
        super().add_to_parser(parser, ctx)
        self.multiple = False

    def consume_value(self, ctx: click.Context, opts: Any) -> Any:
        """Return the value, and where it comes from."""
        value, source = super().consume_value(ctx, opts)
        if not isinstance(value, list):
            return value, source
        if len(several := list(dict.fromkeys(value))) > 1:
            typed = self.opts + self.secondary_opts if self.is_flag else [f"{self.opts[-1]} {one}" for one in several]
            raise UsageError(f"{' or '.join(typed)}? The option takes one value. Give it once.")
        return value[0], source


def click_command(name: str, function: Callable[..., Any], examples: Sequence[str] = ()) -> click.Command:
    """Return the command of click that calls a function; a command of click is returned as it is."""
    if isinstance(function, click.Command):
        return function
    hints = get_type_hints(function, include_extras=True)
    params: list[click.Parameter] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for one in inspect.signature(function).parameters.values():
        kind, *more = _annotated(hints.get(one.name, str))
        if not hasattr(kind, "__dataclass_fields__"):
            params.append(_parameter(one, hints.get(one.name, str)))
        elif not hasattr(kind, "SUPPORTED_PARAMS"):
            fields, of_fields = inspect.signature(kind).parameters, get_type_hints(kind, include_extras=True)
            groups[one.name] = kind, list(fields)
            params += [_parameter(field, of_fields[name]) for name, field in fields.items()]
        else:
            chosen = next((of.names for of in more if isinstance(of, Fields)), tuple(kind.SUPPORTED_PARAMS))
            groups[one.name] = kind, list(chosen)
            params += [_option_of_field(kind, name) for name in chosen]
    return ClickCommand(
        name,
        callback=_gathering(function, groups) if groups else function,
        params=params,
        help=inspect.cleandoc(function.__doc__ or ""),
        epilog="\n".join(["\b", "For example:", *(f"  {line}" for one in examples for line in _lines(one))])
        if examples
        else None,
    )


def _annotated(hint: Any) -> tuple[Any, ...]:
    """Return the type of a parameter, and what is annotated beside it."""
    # around which Python 3.10 puts Optional, where the default is None
    hint = next((one for one in get_args(hint) if get_origin(one) is Annotated), hint)
    return get_args(hint) if get_origin(hint) is Annotated else (hint,)


def _gathering(function: Callable[..., Any], groups: dict[str, tuple[Any, list[str]]]) -> Callable[..., Any]:
    """Return a function that takes the fields of dataclasses one by one, and calls another with the dataclasses."""

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        made = {name: kind(**{field: given.pop(field) for field in fields}) for name, (kind, fields) in groups.items()}
        return function(**given, **made)

    return call


def _option_of_field(kind: Any, name: str) -> click.Parameter:
    """Return the option for a field of a dataclass, as its ``SUPPORTED_PARAMS`` describe it."""
    param, default = kind.SUPPORTED_PARAMS[name], kind.__dataclass_fields__[name].default
    about = param.desc[:1].upper() + param.desc[1:]
    option = Option(f"--{name.replace('_', '-')}", help=f"{about}.", complete=partial(_values, param))
    of = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
    return _parameter(of, Annotated[param.dtype if param.dtype in (int, float, bool) else str, option])


def _values(param: Any) -> list[Any]:
    """Return the values that a parameter can have, for completion: its choices, or named objects of its kind."""
    if param.kind:
        return [(name.replace("_", "-"), one.SHORT_DESC) for name, one in registry().symbols(param.kind).items()]
    return list(param.choices or ())


def _parameter(of: inspect.Parameter, hint: Any) -> click.Parameter:
    """Return the parameter of click for one of a function."""
    kind, *more = _annotated(hint)
    declared = next((one for one in more if isinstance(one, Option)), None)
    if declared is None:
        declared = Argument() if of.default is of.empty else Option(f"--{of.name.replace('_', '-')}")
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(one for one in get_args(kind) if one is not type(None))
    several = get_origin(kind) is list
    kind = get_args(kind)[0] if several else kind
    if kind not in (str, int, float, bool, Path):
        raise TypeError(f"the parameter {of.name} is of type {kind!r}; str, int, float, bool or Path is expected")
    default = None if of.default is of.empty else of.default
    given: dict[str, Any] = {
        "type": _click_type(kind, declared), "required": of.default is of.empty,
        "callback": _callback(declared.check, several, default), "is_eager": declared.eager,
        "metavar": declared.metavar,
    }  # fmt: skip
    if default is not None and not several:
        given["default"] = default
    if declared.complete is not None or "MEASURE" in str(declared.metavar or of.name.upper()):
        given["shell_complete"] = _completion(declared)
    if isinstance(declared, Argument):
        given["metavar"] = declared.metavar or of.name.upper() + "..." * several
        if of.default is not of.empty:
            given["metavar"] = f"[{given['metavar']}]"
        made = _ExplainedArgument([of.name], nargs=-1 if several else 1, **given)
        made.about = declared.help
        return made
    given |= {"help": declared.help, "show_default": True}
    if kind is bool:
        given.pop("type")
        return _OptionGivenOnce([*declared.names, of.name], is_flag=True, **given)
    number = {int: "N", float: "NUMBER"}.get(kind)
    given["metavar"] = declared.metavar or number or of.name.rpartition("_")[2].upper()
    if several:
        return click.Option([*declared.names, of.name], multiple=True, **given)
    return _OptionGivenOnce([*declared.names, of.name], **given)


def _click_type(kind: Any, declared: Option) -> Any:
    if kind in (int, float) and (declared.min, declared.max) != (None, None):
        of_kind: Any = click.IntRange if kind is int else click.FloatRange
        return of_kind(declared.min, declared.max)
    return click.Path(path_type=Path) if kind is Path else kind


def _callback(check: Callable[[Any], Any] | None, several: bool, default: Any) -> Any:
    def checked(ctx: Any, param: Any, value: Any) -> Any:
        value = (list(value) or default) if several else value
        return value if check is None or value is None else check(value)

    return checked


def _completion(declared: Option) -> Any:
    """Return what completes a value: what it offers, or measures, before which may be runs."""

    def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[CompletionItem]:
        if declared.complete is not None:
            pairs = [one if isinstance(one, tuple) else (one, "") for one in declared.complete()]
        else:
            from irmx.cli.run_arguments import runs_or_measures

            given = ctx.params.get(str(param.name)) or ()
            pairs = runs_or_measures(
                str(param.metavar).split(), [given] if isinstance(given, str) else list(given), typed
            )
        return [
            CompletionItem(text, help=visible(about) or None)
            for text, about in pairs
            if text.startswith(typed) and visible(text) == text
        ]

    return complete


def _lines(command: str) -> list[str]:
    r"""Return a command in lines that the help shows whole, as far as its words allow; each but the last ends with ``\``.

    >>> _lines("irmx eval qrels.txt 'runs/*.run' 'MP(model=GL_AD_ID, rescale=None)' nDCG@10 AP P@5")
    ["irmx eval qrels.txt 'runs/*.run' 'MP(model=GL_AD_ID, rescale=None)' \\", '    nDCG@10 AP P@5']
    """
    lines = [""]
    for word in re.findall(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""", readable(command)):
        if lines[-1].strip() and len(lines[-1]) + len(word) > WIDTH - 5:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


# -- printing of rows of named cells, and the options that commands have for it --------------------------------------


def output_format_named(name: str) -> OutputFormat:
    """Return an output format."""
    known = registry().output_formats()
    if name not in known:
        raise UsageError(f"There is no output format {name!r}.{suggest(name, known)} Known: {', '.join(known)}.")
    output_format: OutputFormat = known[name]
    return output_format


FormatOption = Annotated[
    str,
    Option(
        "-o",
        "--output-format",
        check=lambda name: output_format_named(name).NAME,
        complete=lambda: [(name, one.SHORT_DESC) for name, one in registry().output_formats().items()],
        help="Output format: table, tsv, csv, jsonl, markdown, latex, html, or one of a plugin.",
    ),
]
"""The option ``-o`` of every command that prints rows; an unknown format is refused before anything is computed."""


def picture_option(*names: str, help: str) -> Option:
    """Return an option of a command for the file of a picture, which is checked before anything is computed.

    Parameters
    ----------
    *names : str
        The names of the option, such as ``"--plot"``.
    help : str
        What is drawn.

    Examples
    --------
    >>> import irmx
    >>> from pathlib import Path
    >>> from typing import Annotated
    >>> PlotOption = Annotated[Path | None, irmx.toolkit.picture_option("--plot", help="Also draw the values: FILE.svg, .png or .pdf.")]
    """
    from irmx.adapters.pictures import picture_file

    return Option(*names, metavar="FILE", check=picture_file, help=help)


WidthOption = Annotated[
    float | None,
    Option(
        "--width",
        metavar="INCHES",
        help="The width of pictures, with text of 8 pt: 3.35 for a column of a paper, 7 for a page.",
    ),
]
"""The option ``--width`` of every command that draws."""


PlacesOption = Annotated[int, Option("-p", "--places", min=-1, max=100, help="Decimal places; -1 for all.")]
"""The option ``-p`` of every command that prints floats."""


def print_rows(
    rows: Any,
    output_format: str = "table",
    *,
    places: int = 4,
    columns: Sequence[str] | None = None,
    header: bool = True,
    footer: Mapping[str, Any] | None = None,
    file: TextIO | None = None,
) -> None:
    """Print rows of named cells.

    Parameters
    ----------
    rows : DataFrame, or iterable of dict of str to object
        The rows. A cell is a string, a number, None, True or False, a list of strings, or a dict of strings. A missing value
        of a DataFrame, such as NaN, is printed as None, and so are NaT and NA anywhere.
    output_format : str
        ``table``, ``tsv``, ``csv``, ``jsonl``, ``markdown``, ``latex``, ``html``, or the output format of a plugin.
    places : int
        The decimal places of floats; -1 for all. ``jsonl`` always has full precision.
    columns : sequence of str, optional
        The columns to print, in order; by default all, in the order in which they first appear.
    header : bool
        Whether ``tsv`` begins with a line of column names.
    footer : dict of str to object, optional
        Cells below the rows, such as a sum, in formats for reading.
    file : text file, optional
        Where to print; by default standard output.

    Raises
    ------
    irmx.UsageError
        For an unknown output format, or where rows are none.

    Examples
    --------
    >>> rows = [{"measure": "AP", "value": 2 / 3}, {"measure": "RR", "value": None}]
    >>> print_rows(rows, "csv")
    measure,value
    AP,0.6667
    RR,
    >>> print_rows(rows, "markdown", places=2)
    | measure | value |
    | --- | ---: |
    | AP | 0.67 |
    | RR |  |
    """
    to_print = PrintedRows.of(rows, columns, places=places, header=header, footer=footer or {})
    _write(output_format_named(output_format), to_print, sys.stdout if file is None else file)


def _write(writer: OutputFormat, rows: PrintedRows, file: TextIO) -> None:
    """Write rows; a format of a plugin that fails is named."""
    if type(writer).__module__.startswith("irmx."):
        writer.write(rows, file)
        return
    try:
        writer.write(rows, file)
    except (IrmxError, OSError, UnicodeEncodeError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit among them, which would end irmx without a word
        name = f"The output format {writer.NAME} of the plugin {registry().source_of(writer)}"
        raise failure_of(name, error, module=type(writer).__module__) from error
