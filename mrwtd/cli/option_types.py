"""Parse option texts into the values of the library: numbers, JSON values and `NAME=VALUE` pairs."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..hosting.config import VARIABLE, config
from ..model.parameters import AUTO

Command = Callable[..., None]


class AutoOrWhole(click.IntRange):
    """The word auto, or a whole number from 1 up.

    >>> AutoOrWhole().convert("auto", None, None), AutoOrWhole().convert("5", None, None)
    ('auto', 5)
    """

    def __init__(self) -> None:
        super().__init__(1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a text."""
        return value if value == AUTO else super().convert(value, param, ctx)


def auto_or_number(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Callback of an option that accepts "auto" or a number.

    >>> auto_or_number(click.Context(click.Command("fit")), click.Option(["--lam"]), "0.5")
    0.5
    """
    try:
        return value if value == AUTO else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither {AUTO} nor a number.", ctx, param) from None


def parse_pairs(option: str, texts: Iterable[str]) -> dict[str, str]:
    """Mapping from texts `name=value`. A name may contain an equals sign, a value may not.

    >>> parse_pairs("--kinds", ["calls=count", "a=b=real"])
    {'calls': 'count', 'a=b': 'real'}
    """
    pairs = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not (sign and name and value):
            raise click.UsageError(f"{option} {text!r}: expected NAME=VALUE.")
        pairs[name] = value
    return pairs


def parse_columns(texts: Iterable[str]) -> dict[str, Any]:
    """The argument `columns` of `mrwtd.read` from texts such as `source=0,target=1`; a role may occur several times.

    >>> parse_columns(["source=0,target=to,value=3,value=4", "header=no"])
    {'source': 0, 'target': 'to', 'value': [3, 4], 'header': False}
    """
    words = {"yes": True, "no": False}
    columns: dict[str, list[Any]] = {}
    for text in texts:
        for pair in text.split(","):
            role, sign, column = (part.strip() for part in pair.partition("="))
            if not (role and sign and column):
                raise click.UsageError(f"--columns {text!r}: expected ROLE=COLUMN,…, such as source=0,target=1.")
            position = int(column) if column.isascii() and column.isdigit() and len(column) < 10 else column
            columns.setdefault(role, []).append(words.get(column, column) if role == "header" else position)
    return {role: items[0] if len(items) == 1 else items for role, items in columns.items()}


def parse_per_relation(option: str, texts: Sequence[str], names: Iterable[str], *, number: bool = False) -> Any:
    """One value for all relations, or {name: value}. If both are given, the single value applies to all other names.

    >>> parse_per_relation("--loss", ["quadratic", "calls=poisson"], ["calls", "likes"])
    {'calls': 'poisson', 'likes': 'quadratic'}
    >>> parse_per_relation("--positive-weight", ["2"], ["calls", "likes"], number=True)
    2.0
    """
    common = [text for text in texts if "=" not in text]
    named = parse_pairs(option, (text for text in texts if "=" in text))
    if len(common) > 1:
        raise click.UsageError(f"{option} {common[0]} and {option} {common[1]}: only one can be for all relations.")
    convert: Callable[[str], Any] = partial(_parse_number, option) if number else str
    if not named:
        return convert(common[0])
    all_names = (dict.fromkeys(names, common[0]) if common else {}) | named
    return {name: convert(text) for name, text in all_names.items()}


def _parse_number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option} {text!r}: expected a number.") from None


def parse_value(text: str) -> Any:
    """A number, true or false where the text is one, otherwise the text.

    >>> [parse_value(text) for text in ("200", "0.1", "true", "a folder")]
    [200, 0.1, True, 'a folder']
    """
    try:
        return json.loads(text)
    except ValueError:
        return text


def with_options(command: Command, options: Iterable[Callable[[Command], Command]]) -> Command:
    """Add options to a command, in the order in which help lists them."""
    for option in reversed(tuple(options)):
        command = option(command)
    return command


def out_option(default: str) -> Callable[[Command], Command]:
    """The option for the folder of results."""
    return click.option(
        "--out", type=click.Path(file_okay=False, path_type=Path), default=Path(default), show_default=True,
        help="Folder for the results.",
    )  # fmt: skip


def config_option(help: str) -> Callable[[Command], Command]:
    """The option for the configuration of a server, which `hosting.config` reads from now on."""

    def use(ctx: click.Context, param: click.Parameter, file: Path | None) -> None:
        del ctx, param
        if file is not None:
            os.environ[VARIABLE] = str(file.resolve())
        config.cache_clear()  # the variables may have changed

    kind = click.Path(exists=True, dir_okay=False, path_type=Path)
    return click.option("--config", type=kind, metavar="FILE", expose_value=False, callback=use, help=help)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
