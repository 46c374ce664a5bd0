"""The argument DATA, a sample or a file, and the options that say how to read it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ..data.build import DUPLICATES
from ..data.datasets.samples import dataset_info, list_datasets, load_dataset
from ..data.readers import read
from ..data.relational import RelationalData
from ..data.relations import KINDS
from ..data.symmetrize import symmetrize
from ..errors import DataError, Problem
from ..runs import DataRef
from .option_types import Command, assigned, literal, with_options

OF_FILES = ("format", "kinds", "directed", "direction", "absent", "duplicates", "mask", "attributes")
OF_SAMPLES = ("option", "folder")

OPTIONS = (
    click.argument("data", metavar="DATA"),
    click.option(
        "--option", multiple=True, metavar="NAME=VALUE", help="Of a sample, such as n_objects=200. May be repeated."
    ),
    click.option("--data", "folder", metavar="FOLDER", help="Where your files of the MIT data sets are."),
    click.option("--symmetric", is_flag=True, help="Make all relations undirected, by OR of both directions."),
    click.option("--format", metavar="NAME", help="The format of the file; found from name and content without it."),
    click.option(
        "--kinds", multiple=True, metavar="RELATION=KIND", help=f"One of {', '.join(KINDS)}. May be repeated."
    ),
    click.option("--directed/--undirected", default=None, help="Whether direction matters, in all relations."),
    click.option(
        "--direction", multiple=True, metavar="RELATION=directed|undirected", help="The same for one of them."
    ),
    click.option(
        "--absent",
        multiple=True,
        metavar="[RELATION=][unobserved|negative|N]",
        help="What an unlisted pair means; a number N samples N negatives for each positive. May be repeated.",
    ),
    click.option(
        "--duplicates", type=click.Choice(DUPLICATES), help="What becomes of rows that contradict each other."
    ),
    click.option("--mask", type=click.Path(), help="A file that says which pairs were observed."),
    click.option("--attributes", type=click.Path(), help="A CSV with what is known of the objects."),
)


@dataclass(frozen=True)
class Asked:
    """Which data was asked for, and how to read it: the options above, as they were given."""

    data: str
    option: tuple[str, ...]
    folder: str | None
    symmetric: bool
    format: str | None
    kinds: tuple[str, ...]
    directed: bool | None
    direction: tuple[str, ...]
    absent: tuple[str, ...]
    duplicates: str | None
    mask: str | None
    attributes: str | None

    @property
    def is_sample(self) -> bool:
        """Whether a data set of the package is meant. Its name goes before a file's: `./kinship` is the file."""
        return self.data in list_datasets()

    def load(self, seed: int = 0) -> RelationalData:
        """The data, or a `DataError`."""
        if self.is_sample:
            self._refuse(OF_FILES, "a data set that comes with the package")
            return load_dataset(self.data, **self.options(seed))
        self._refuse(OF_SAMPLES, "no data set that comes with the package")
        if self.data != "-" and not Path(self.data).exists():
            near = get_close_matches(self.data, list_datasets(), 3) or ["kinship"]
            expected = f"a file, - for standard input, or a data set such as {', '.join(near)} (see mrwtd datasets)"
            raise DataError(Problem("neither a file nor a data set", expected), file=self.data)
        options = self.options(seed)
        symmetric = options.pop("symmetric", False)
        data = read(sys.stdin.buffer if self.data == "-" else self.data, **options)
        return symmetrize(data) if symmetric else data

    def options(self, seed: int = 0) -> dict[str, Any]:
        """How the data is read: what `load_dataset` or `read` is given, as far as it is not the default."""
        if self.is_sample:
            options = {name: literal(text) for name, text in assigned("--option", self.option).items()}
            options |= {"folder": self.folder} if self.folder is not None else {}
        else:
            options = {
                "format": self.format, "kinds": assigned("--kinds", self.kinds), "directed": self._directed(),
                "absent": self._absent(), "duplicates": self.duplicates, "mask": self.mask,
                "attributes": self.attributes, "seed": seed or None,
            }  # fmt: skip
            options = {name: value for name, value in options.items() if value not in (None, {}, "unobserved")}
        return options | ({"symmetric": True} if self.symmetric else {})

    def reference(self, data: RelationalData, seed: int = 0) -> DataRef:
        """What a run says of this data."""
        name = self.data if self.is_sample else "standard-input" if self.data == "-" else Path(self.data).name
        title = dataset_info(name).title if self.is_sample else name
        return DataRef(name, title, data.digest(), self.is_sample, self.options(seed))

    def _absent(self) -> str | int | dict[str, str | int]:
        """One meaning for all relations, or some by name."""
        meanings = {text: literal(text.rpartition("=")[2]) for text in self.absent}
        for text, meaning in meanings.items():
            if meaning not in ("unobserved", "negative") and (
                not isinstance(meaning, int) or isinstance(meaning, bool)
            ):
                raise click.UsageError(f"--absent {text!r} is neither unobserved nor negative nor a whole number.")
        if any("=" in text for text in meanings):
            return {text.rpartition("=")[0]: meaning for text, meaning in meanings.items()}
        if len(meanings) > 1:
            raise click.UsageError("--absent: only one can be for all relations.")
        return next(iter(meanings.values()), "unobserved")

    def _directed(self) -> bool | dict[str, bool] | None:
        if not self.direction:
            return self.directed
        if self.directed is not None:
            raise click.UsageError("--directed and --undirected are for all relations, --direction for some: give one.")
        directions = assigned("--direction", self.direction)
        for relation, direction in directions.items():
            if direction not in ("directed", "undirected"):
                raise click.UsageError(f"--direction {relation}={direction}: expected directed or undirected.")
        return {relation: direction == "directed" for relation, direction in directions.items()}

    def _refuse(self, names: Iterable[str], what: str) -> None:
        for name in names:
            if getattr(self, name) not in (None, ()):
                option = "data" if name == "folder" else name
                raise click.UsageError(f"--{option} has no meaning for {self.data!r}, which is {what}.")


def takes_data(command: Command) -> Command:
    """Give a command the argument DATA and the options that go with it, as one `Asked`."""

    @wraps(command)
    def gathered(**given: Any) -> None:
        asked = Asked(**{one.name: given.pop(one.name) for one in fields(Asked)})
        command(asked=asked, **given)

    return with_options(gathered, OPTIONS)
