"""Options for the parameters of methods, for splits and for workers."""

from collections.abc import Callable
from typing import Any

import click

from ..data.relational import RelationalData
from ..data.splitting import HOLD_OUTS, SPLIT_BY
from ..model import MrWTD
from ..model.parameters import AUTO, LOSS, POSITIVE_WEIGHT, RANK, Choice, Flag, Number, Parameter
from .option_types import AutoOrWhole, Command, auto_or_number, parse_per_relation, with_options


def option(parameter: Parameter) -> Callable[[Command], Command]:
    """The option for a parameter of a method. If it is not given, the parameter has its default."""
    name = f"--{parameter.name.replace('_', '-')}"
    text = f"{parameter.help}."
    if parameter in (LOSS, POSITIVE_WEIGHT):
        kind = "NAME" if parameter is LOSS else "NUMBER"
        text += " For one relation or for all; may be repeated."
        return click.option(name, multiple=True, metavar=f"[RELATION=]{kind}", help=text)
    if isinstance(parameter, Choice):
        return click.option(name, type=click.Choice(list(parameter.options)), help=text)
    if isinstance(parameter, Flag):
        return click.option(f"{name}/--no-{name[2:]}", default=None, help=text)
    assert isinstance(parameter, Number)
    if parameter.automatic and parameter.whole:
        text += f" auto searches it on held-out training entries. [default: {RANK}, or less for small data]"
        return click.option(name, type=AutoOrWhole(), metavar="[auto|N]", help=text)
    if parameter.automatic:
        text = f"{parameter.label}. {text} auto searches it on held-out training entries."
        return click.option(name, callback=auto_or_number, metavar="[auto|NUMBER]", default=AUTO,
                            show_default=True, help=text)  # fmt: skip
    values = click.IntRange(int(parameter.low)) if parameter.whole else click.FloatRange(parameter.low)
    default = 0 if parameter.name == "seed" else None
    return click.option(name, type=values, metavar="N", default=default, show_default=default == 0,
                        help=text)  # fmt: skip


def parameter_options(command: Command) -> Command:
    """Add the parameters that all methods share, then those of MrWTD."""
    return with_options(command, [option(each) for each in MrWTD.all_parameters().values() if each.offered])


hold_out_option = click.option(
    "--by", type=click.Choice(list(SPLIT_BY)), default="auto", show_default=True,
    help="What to hold out of directed relations: single entries, pairs in both directions, or pairs where most ties "
    "are mutual.",
)  # fmt: skip

hold_out_or_published_option = click.option(
    "--by", type=click.Choice(list(HOLD_OUTS)), default="auto", show_default=True,
    help="What to hold out: single entries of directed relations, pairs in both directions, pairs where most ties are "
    "mutual, or the test entries of a published split, whatever the fraction.",
)  # fmt: skip

jobs_option = click.option(
    "--jobs", type=int, metavar="N", default=2, show_default=True, help="Number of processes; -1 for one per core."
)

scheduler_option = click.option(
    "--scheduler", metavar="tcp://HOST:PORT", help="Run on the workers of a Dask cluster instead of processes here."
)


def chosen_parameters(data: RelationalData, **options: Any) -> dict[str, Any]:
    """The parameters that were given, as methods accept them.

    >>> import mrwtd
    >>> chosen_parameters(mrwtd.load_dataset("florentine"), loss=("quadratic", "marriage=logistic"), init=None)
    {'loss': {'business': 'quadratic', 'marriage': 'logistic'}}
    >>> chosen_parameters(mrwtd.load_dataset("florentine"), positive_weight=("2",))
    {'positive_weight': 2.0}
    """
    names = [relation.name for relation in data.relations]
    chosen = {name: value for name, value in options.items() if value not in (None, ())}
    if "loss" in chosen:
        chosen["loss"] = parse_per_relation("--loss", chosen["loss"], names)
    if "positive_weight" in chosen:
        texts = chosen["positive_weight"]
        chosen["positive_weight"] = parse_per_relation("--positive-weight", texts, names, number=True)
    return chosen
