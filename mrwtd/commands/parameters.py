"""The parameters of the methods, as options."""

from __future__ import annotations

from typing import Any

import click

from ..data.reciprocity import WAYS
from ..data.relational import RelationalData
from ..model.starts import STARTS
from .types import Command, for_all_or_some, number, with_options, word_or_number

COMMON = (
    click.option(
        "--lam",
        callback=word_or_number("auto"),
        metavar="[auto|NUMBER]",
        default="auto",
        show_default=True,
        help="The strength λ of the regularisation; auto searches it on held-out training entries.",
    ),
    click.option(
        "--seed", type=click.IntRange(0), metavar="N", default=0, show_default=True, help="Of every random choice."
    ),
)

OWN = (
    click.option(
        "--loss", multiple=True, metavar="[RELATION=]NAME", help="A loss, for one relation or for all. May be repeated."
    ),
    click.option(
        "--positive-weight", multiple=True, metavar="[RELATION=]NUMBER", help="A factor on positive binary entries."
    ),
    click.option("--start", type=click.Choice(list(STARTS)), help="Where the fit starts."),
    click.option(
        "--ensemble", type=click.IntRange(1), metavar="N", help="Average N refits to random weights of the entries."
    ),
)


HOLD_OUT = (
    click.option(
        "--by", type=click.Choice(list(WAYS)), default="auto", show_default=True,
        help="What is held out of directed relations: single entries, pairs in both directions, or pairs where most "
        "ties are mutual.",
    ),
)  # fmt: skip


WORKERS = (
    click.option(
        "--jobs", type=int, metavar="N", default=2, show_default=True,
        help="Processes; -1 for as many as there are cores.",
    ),
    click.option(
        "--scheduler", metavar="tcp://HOST:PORT",
        help="Send the work to the workers of a Dask cluster, in place of processes here.",
    ),
)  # fmt: skip


def takes_hold_out(command: Command) -> Command:
    """Give a command the option that says what its splits hold out: `by`."""
    return with_options(command, HOLD_OUT)


def takes_workers(command: Command) -> Command:
    """Give a command the options that say who does the work: `jobs`, and `scheduler` or None."""
    return with_options(command, WORKERS)


def takes_parameters(command: Command) -> Command:
    """Give a command the parameters that all methods share, then those of MrWTD alone."""
    return with_options(command, (*COMMON, *OWN))


def own_parameters(data: RelationalData, **given: Any) -> dict[str, Any]:
    """Those of MrWTD's own parameters that were given, as it takes them.

    >>> import mrwtd
    >>> own_parameters(mrwtd.load_dataset("florentine"), loss=("quadratic", "marriage=logistic"), start=None)
    {'loss': {'business': 'quadratic', 'marriage': 'logistic'}}
    >>> own_parameters(mrwtd.load_dataset("florentine"), positive_weight=("2",))
    {'positive_weight': 2.0}
    """
    names = [relation.name for relation in data.relations]
    found = {name: value for name, value in given.items() if value not in (None, ())}
    if "loss" in found:
        found["loss"] = for_all_or_some("--loss", found["loss"], names)
    if "positive_weight" in found:
        weights = for_all_or_some("--positive-weight", found["positive_weight"], names)
        found["positive_weight"] = (
            number("--positive-weight", weights)
            if isinstance(weights, str)
            else {name: number("--positive-weight", text) for name, text in weights.items()}
        )
    return found
