"""The argument DATA, a sample or a file, and the options for reading it."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Any, cast

import click

from ..data.build import DUPLICATES
from ..data.datasets.samples import dataset_info, list_datasets, load_dataset
from ..data.readers import read
from ..data.relational import RelationalData
from ..data.relations import KINDS
from ..data.self_pairs import SELF_PAIRS
from ..data.symmetrize import symmetrize
from ..data.transform import TRANSFORMS
from ..errors import DataError, Problem
from ..runs import DataRef
from .option_types import Command, parse_columns, parse_pairs, parse_value, with_options

FILE_OPTIONS = (
    "format", "columns", "kinds", "directed", "direction", "absent", "duplicates", "rename", "transform",
    "periods", "mask", "self_pairs", "two_mode", "attributes"
)  # fmt: skip
SAMPLE_OPTIONS = ("option", "folder")

FORMULAS = ", ".join(f"{name} is {transform.formula}" for name, transform in TRANSFORMS.items())

OPTIONS = (
    click.argument("data", metavar="DATA"),
    click.option(
        "--option",
        multiple=True,
        metavar="NAME=VALUE",
        help="Option of a sample, such as n_objects=200. May be repeated.",
    ),
    click.option("--data", "folder", metavar="FOLDER", help="Folder with your files of the MIT data sets."),
    click.option("--symmetric", is_flag=True, help="Make all relations undirected, by OR of both directions."),
    click.option("--format", metavar="NAME", help="File format.  [default: detected from name and content]"),
    click.option(
        "--columns",
        multiple=True,
        metavar="ROLE=COLUMN,…",
        help="Columns of a list by name or position from 0, such as source=1,target=2,relation=0,value=3; also weight, "
        "time, source_attributes, target_attributes, header=yes|no, separator=tab|comma|… and sheet. May be repeated.",
    ),
    click.option(
        "--kinds", multiple=True, metavar="RELATION=KIND", help=f"One of {', '.join(KINDS)}. May be repeated."
    ),
    click.option("--directed/--undirected", default=None, help="Whether direction matters, for all relations."),
    click.option(
        "--direction", multiple=True, metavar="RELATION=directed|undirected", help="The same for one relation."
    ),
    click.option(
        "--absent",
        multiple=True,
        metavar="[RELATION=][unobserved|negative|N]",
        help="Meaning of unlisted pairs; a number N samples N negatives per positive. May be repeated.",
    ),
    click.option("--duplicates", type=click.Choice(DUPLICATES), help="How to resolve rows that contradict each other."),
    click.option("--rename", multiple=True, metavar="RELATION=NAME", help="Another name for a relation."),
    click.option(
        "--transform",
        multiple=True,
        metavar="RELATION=FUNCTION",
        help=f"A function of the values, which are real then: {FORMULAS}.",
    ),
    click.option(
        "--periods", type=click.IntRange(1), help="For contacts with times: number of periods that become relations."
    ),
    click.option(
        "--self-pairs",
        type=click.Choice(tuple(SELF_PAIRS)),
        help="Pairs of an object with itself: keep or drop them, or auto, which drops those that are all the same.",
    ),
    click.option(
        "--two-mode/--one-mode",
        "two_mode",
        default=None,
        help="Whether sources and targets are two types of objects.  [default: as the file shows it]",
    ),
    click.option("--mask", type=click.Path(), help="File that lists the observed pairs."),
    click.option("--attributes", type=click.Path(), help="CSV file with attributes of the objects."),
)


@dataclass(frozen=True)
class DataOptions:
    """The data set and the options for reading it, as given on the command line.

    Attributes:
        data: the argument DATA.
        given: the value of each option, by name; None or empty if it is not given.
    """

    data: str
    given: Mapping[str, Any]

    @property
    def is_sample(self) -> bool:
        """Whether DATA names a sample. A sample takes precedence over a file: `./kinship` is the file."""
        return self.data in list_datasets()

    def load(self, seed: int = 0) -> RelationalData:
        """Load the data. Raises a `DataError` if that fails."""
        if self.is_sample:
            self._refuse(FILE_OPTIONS, "a sample")
            return load_dataset(self.data, **self.options(seed))
        self._refuse(SAMPLE_OPTIONS, "not a sample")
        if self.data != "-" and not Path(self.data).exists():
            similar = get_close_matches(self.data, list_datasets(), 3) or ["kinship"]
            expected = f"a file, - for standard input, or a data set such as {', '.join(similar)} (see mrwtd datasets)"
            raise DataError(Problem("neither a file nor a data set", expected), file=self.data)
        options = self.options(seed)
        symmetric = options.pop("symmetric", False)
        data = read(sys.stdin.buffer if self.data == "-" else self.data, **options)
        return symmetrize(data) if symmetric else data

    def load_with_notes(self, seed: int, *, as_json: bool) -> RelationalData:
        """Load the data and, unless the output is JSON, print to stderr how it was interpreted."""
        data = self.load(seed)
        for note in () if as_json else data.notes:
            click.echo(f"Note: {note}", err=True)
        return data

    def options(self, seed: int = 0) -> dict[str, Any]:
        """Keyword arguments of `load_dataset` or `read` that differ from the defaults."""
        if self.is_sample:
            options = {name: parse_value(text) for name, text in parse_pairs("--option", self.given["option"]).items()}
            options |= {"folder": self.given["folder"]} if self.given["folder"] is not None else {}
        else:
            options = {name: self.given[name] for name in FILE_OPTIONS if name != "direction"}
            options |= {name: parse_pairs(f"--{name}", options[name]) for name in ("kinds", "rename", "transform")}
            options |= {"columns": parse_columns(options["columns"]), "directed": self._directed()}
            options |= {"absent": self._absent(), "seed": seed or None}
            options = {name: value for name, value in options.items() if value not in (None, {}, "unobserved")}
        return options | ({"symmetric": True} if self.given["symmetric"] else {})

    def reference(self, data: RelationalData, seed: int = 0) -> DataRef:
        """The reference to this data that a run stores."""
        name = self.data if self.is_sample else "standard-input" if self.data == "-" else Path(self.data).name
        title = dataset_info(name).title if self.is_sample else name
        return DataRef(name, title, data.digest(), self.is_sample, self.options(seed))

    def _absent(self) -> str | int | dict[str, str | int]:
        """One meaning for all relations, or {relation: meaning}."""
        meanings = {text: parse_value(text.rpartition("=")[2]) for text in self.given["absent"]}
        for text, meaning in meanings.items():
            if meaning not in ("unobserved", "negative") and type(meaning) is not int:
                raise click.UsageError(f"--absent {text!r} is neither unobserved nor negative nor a whole number.")
        if any("=" in text for text in meanings):
            return {text.rpartition("=")[0]: meaning for text, meaning in meanings.items()}
        if len(meanings) > 1:
            raise click.UsageError("--absent: only one can be for all relations.")
        return next(iter(meanings.values()), "unobserved")

    def _directed(self) -> bool | dict[str, bool] | None:
        if not self.given["direction"]:
            return cast("bool | None", self.given["directed"])
        if self.given["directed"] is not None:
            raise click.UsageError(
                "--directed and --undirected apply to all relations, --direction to single ones: use one of them."
            )
        directions = parse_pairs("--direction", self.given["direction"])
        for relation, direction in directions.items():
            if direction not in ("directed", "undirected"):
                raise click.UsageError(f"--direction {relation}={direction}: expected directed or undirected.")
        return {relation: direction == "directed" for relation, direction in directions.items()}

    def _refuse(self, names: Iterable[str], description: str) -> None:
        for name in names:
            if self.given[name] not in (None, ()):
                option = "data" if name == "folder" else name
                raise click.UsageError(f"--{option} has no meaning for {self.data!r}, which is {description}.")


def data_options(command: Command) -> Command:
    """Add the argument DATA and its options to a command, which receives them as one `DataOptions` named `source`."""

    @wraps(command)
    def gather(**options: Any) -> None:
        names = ("symmetric", *SAMPLE_OPTIONS, *FILE_OPTIONS)
        source = DataOptions(options.pop("data"), {name: options.pop(name) for name in names})
        command(source=source, **options)

    return with_options(gather, OPTIONS)
