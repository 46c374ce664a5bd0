"""The data sets that can be had by name: files that come with the package, generators, and the user's own MIT files.

`sample_data/catalogue.toml` lists them, so that a new file needs no code.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ...errors import DataError, Problem
from ..arguments import short_repr
from ..build import build
from ..location import site_folder
from ..readers import read_table
from ..relational import RelationalData
from ..symmetrize import symmetrize
from ..table import Table
from . import mit, synthetic

MAKERS: dict[str, Callable[..., RelationalData]] = {
    "synth-binary": synthetic.binary,
    "synth-mixed": synthetic.mixed,
    "synth-kinds": synthetic.kinds,
    "reality-mining": mit.reality_mining,
    "social-evolution": mit.social_evolution,
}
"""The sets that are no file of the package. Their options are the function's arguments."""


@dataclass(frozen=True)
class DatasetInfo:
    """What there is to say of a data set before it is loaded.

    Attributes:
        name: what `load_dataset` takes.
        title: the name for people.
        question: what the data set can answer, in a line.
        citation: the original study.
        n_objects, n_relations, n_entries: the size of what `load_dataset` gives without options; `n_entries` is 0
            where it depends on the user's files.
        options: what `load_dataset` takes beside the name, with the defaults.
        needs_folder: whether the user has to bring the files.
        caveat: a known defect of the data; empty where there is none to tell.
    """

    name: str
    title: str
    question: str
    citation: str
    n_objects: int
    n_relations: int
    n_entries: int
    options: Mapping[str, Any]
    needs_folder: bool
    caveat: str = ""


def list_datasets() -> list[str]:
    """The names that `load_dataset` takes.

    >>> list_datasets()[:6]
    ['kinship', 'monastery', 'bankwiring', 'aucs', 'nations', 'airports']
    """
    return list(_catalogue())


def dataset_info(name: str) -> DatasetInfo:
    """Title, question, citation, size and options of a data set, without loading it.

    >>> dataset_info("florentine").question
    'Do marriages tell who does business with whom in Renaissance Florence?'
    >>> dataset_info("synth-binary").options["n_objects"]
    500
    """
    entry = _entry(name)
    options: dict[str, Any] = {"symmetric": False}
    if name in MAKERS:
        options |= {option: value.default for option, value in inspect.signature(MAKERS[name]).parameters.items()}
    return DatasetInfo(
        name=name,
        title=entry["title"],
        question=entry["question"],
        citation=entry["citation"],
        n_objects=entry["objects"],
        n_relations=entry["relations"],
        n_entries=entry["entries"],
        options=options,
        needs_folder="folder" in options,
        caveat=entry.get("caveat", ""),
    )


def load_dataset(name: str, **options: Any) -> RelationalData:
    """A data set by name.

    Every set takes `symmetric=True`, which makes all relations undirected by OR of both directions (`symmetrize`).
    Generators take their own options, such as `n_objects`, `rank` and `seed`; the MIT sets take `folder`, the folder
    with the files that MIT gave you. `mrwtd.data.datasets.samples.dataset_info(name).options` lists them with their
    defaults.

    >>> load_dataset("kinship", symmetric=True)
    RelationalData(104 objects, 23 relations, 125,580 entries)
    >>> load_dataset("synth-binary", n_objects=50, seed=1)
    RelationalData(50 objects, 3 relations, 3,675 entries)
    """
    known = dataset_info(name).options
    for option in options:
        if option not in known:
            raise DataError(Problem(f"option {option!r} for {name!r}", f"one of {', '.join(known)}"))
    symmetric = options.pop("symmetric", False)
    if not isinstance(symmetric, (bool, np.bool_)):
        raise DataError(Problem(f"symmetric = {symmetric!r}", "True or False"))
    data = MAKERS[name](**options) if name in MAKERS else _read(name)
    return symmetrize(data) if symmetric else data


@cache
def _catalogue() -> dict[str, dict[str, Any]]:
    return tomllib.loads((site_folder() / "sample_data" / "catalogue.toml").read_text(encoding="utf-8"))


def _entry(name: str) -> dict[str, Any]:
    if not isinstance(name, str) or name not in _catalogue():
        raise DataError(Problem(f"data set {short_repr(name)}", f"one of {', '.join(_catalogue())}"))
    return _catalogue()[name]


def _read(name: str) -> RelationalData:
    """The set from its two files: ties, and objects with their attributes."""
    entry, folder = _entry(name), site_folder() / "sample_data"
    ties = read_table(folder / f"{name}.csv", "long")
    # Only an empty cell is missing: "NA" is a name like any other.
    objects = pd.read_csv(
        folder / f"{name}.objects.csv",
        index_col="object",
        dtype={"object": "str"},
        keep_default_na=False,
        na_values=[""],
    )
    # The list of objects gives their order, and holds those without a tie.
    position = objects.index.get_indexer(pd.Index(ties.objects)).astype(np.int32)
    specified = entry["relation"]
    table = replace(
        ties,
        objects=tuple(objects.index),
        i=position[ties.i],
        j=position[ties.j],
        declared={relation: specified.get(relation) or specified["*"] for relation in ties.relations},
        attributes=objects,
        notes=(),
    )
    if entry.get("self_pairs"):
        table = _with_self_pairs(table)
    return build(table, absent="negative" if entry["closed_world"] else "unobserved")


def _with_self_pairs(table: Table) -> Table:
    """The table with a 0 for each object with itself in each relation: then they belong to the closed world."""
    n, m = len(table.objects), len(table.relations)
    own = np.tile(np.arange(n, dtype=np.int32), m)
    values = np.ones(table.i.size) if table.values is None else table.values
    return replace(
        table,
        i=np.concatenate([table.i, own]),
        j=np.concatenate([table.j, own]),
        k=np.concatenate([table.k, np.repeat(np.arange(m, dtype=np.int32), n)]),
        values=np.concatenate([values, np.zeros(own.size)]),
        lines=None,
    )
