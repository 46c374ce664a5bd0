"""How what is typed becomes what the library takes: words or numbers, and texts `NAME=VALUE`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import click

Command = Callable[..., None]


def word_or_number(*words: str, whole: bool = False) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A callback for an option that takes one of some words, or a number.

    >>> word_or_number("auto")(click.Context(click.Command("fit")), click.Option(["--lam"]), "0.5")
    0.5
    """

    def convert(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value in words or not isinstance(value, str):
            return value
        try:
            return int(value) if whole else float(value)
        except ValueError:
            what = "a whole number" if whole else "a number"
            raise click.BadParameter(f"{value!r} is neither {' nor '.join(words)} nor {what}.", ctx, param) from None

    return convert


def assigned(option: str, given: Iterable[str]) -> dict[str, str]:
    """{name: value} of texts `name=value`; a name may hold an equals sign, a value may not.

    >>> assigned("--kinds", ["calls=count", "a=b=real"])
    {'calls': 'count', 'a=b': 'real'}
    """
    found = {}
    for text in given:
        name, sign, value = text.rpartition("=")
        if not (sign and name and value):
            raise click.UsageError(f"{option} {text!r}: expected NAME=VALUE.")
        found[name] = value
    return found


def for_all_or_some(option: str, given: Iterable[str], names: Iterable[str]) -> str | dict[str, str]:
    """One value for all, or {name: value}; with both, the one for all holds for the other names.

    >>> for_all_or_some("--loss", ["quadratic", "calls=poisson"], ["calls", "likes"])
    {'calls': 'poisson', 'likes': 'quadratic'}
    """
    texts = list(given)
    bare = [text for text in texts if "=" not in text]
    named = assigned(option, (text for text in texts if "=" in text))
    if len(bare) > 1:
        raise click.UsageError(f"{option} {bare[0]} and {option} {bare[1]}: only one can be for all relations.")
    if not named:
        return bare[0]
    return (dict.fromkeys(names, bare[0]) if bare else {}) | named


def number(option: str, text: str) -> float:
    """A text as a number.

    >>> number("--positive-weight", "2")
    2.0
    """
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option} {text!r}: expected a number.") from None


def literal(text: str) -> Any:
    """A value as its text looks: a number, true or false, else text.

    >>> [literal(text) for text in ("200", "0.1", "true", "a folder")]
    [200, 0.1, True, 'a folder']
    """
    try:
        return json.loads(text)
    except ValueError:
        return text


def with_options(command: Command, options: Iterable[Callable[[Command], Command]]) -> Command:
    """The command with options added, in the order in which help lists them."""
    for option in reversed(tuple(options)):
        command = option(command)
    return command
