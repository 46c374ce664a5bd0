"""Data sets by name: sample files of the package, generators, and MIT files of the user.

`sample_data/catalogue.toml` lists them, so a new file needs no code.
"""

import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ...errors import DataError, Problem
from ..arguments import argument_error, check_choice, short_repr
from ..build import build
from ..location import site_folder
from ..published import PARTS, TRAIN, part_codes
from ..readers import read_table
from ..relational import RelationalData
from ..symmetrize import symmetrize
from ..table import Table
from . import mit, synthetic

GENERATORS: dict[str, Callable[..., RelationalData]] = {
    "synth-binary": synthetic.binary,
    "synth-mixed": synthetic.mixed,
    "synth-kinds": synthetic.kinds,
    "reality-mining": mit.reality_mining,
    "social-evolution": mit.social_evolution,
}
"""Data sets that are not files of the package. Their options are the arguments of the function."""

FORMS = ("sample", "standard")
"""The forms of data sets with a published split: the sample, and the benchmark that others report results on."""


@dataclass(frozen=True)
class DatasetInfo:
    """Properties of a data set that are known before it is loaded.

    Attributes:
        name: the name for `load_dataset`.
        title: the name for display.
        question: a question that the data set can answer.
        citation: the original study.
        n_objects, n_relations, n_entries: the size with default options; `n_entries` is 0 if it depends on the files
            of the user.
        options: the options of `load_dataset` and their defaults.
        needs_folder: whether the user has to provide the files.
        caveat: a known defect of the data, or "".
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
    """The names for `load_dataset`.

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
    if not isinstance(name, str) or name not in _catalogue():
        raise DataError(Problem(f"data set {short_repr(name)}", f"one of {', '.join(_catalogue())}"))
    entry = _catalogue()[name]
    options: dict[str, Any] = {"symmetric": False}
    if entry.get("standard_split"):
        options["form"] = FORMS[0]
    if name in GENERATORS:
        options |= {option: value.default for option, value in inspect.signature(GENERATORS[name]).parameters.items()}
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
    """Load a data set by name.

    With `symmetric=True`, all relations become undirected by OR of both directions (`symmetrize`). Generators have
    options such as `n_objects`, `rank` and `seed`; the MIT data sets need `folder`, the folder with the files from MIT.
    `mrwtd.data.datasets.samples.dataset_info(name).options` lists the options and their defaults.

    `form="standard"` of kinship, umls and nations is the benchmark of knowledge graphs: all relations of the public
    copy, with the published train, test and valid ties. All other pairs, those of an object with itself included, are
    negative and for training.

    >>> load_dataset("kinship", symmetric=True)
    RelationalData(104 objects, 23 relations, 125,580 entries)
    >>> kinship = load_dataset("kinship", form="standard")
    >>> [int((part.y > 0).sum()) for part in kinship.published_split()]
    [8544, 1074, 1068]
    >>> load_dataset("synth-binary", n_objects=50, seed=1)
    RelationalData(50 objects, 3 relations, 3,675 entries)
    """
    known = dataset_info(name).options
    for option in options:
        if option not in known:
            raise DataError(Problem(f"option {option!r} for {name!r}", f"one of {', '.join(known)}"))
    symmetric = options.pop("symmetric", False)
    if not isinstance(symmetric, (bool, np.bool_)):
        raise argument_error("symmetric", symmetric, "True or False")
    data = GENERATORS[name](**options) if name in GENERATORS else _read(name, **options)
    return symmetrize(data) if symmetric else data


@cache
def _catalogue() -> dict[str, dict[str, Any]]:
    return tomllib.loads((site_folder() / "sample_data" / "catalogue.toml").read_text(encoding="utf-8"))


def _read(name: str, form: str = FORMS[0]) -> RelationalData:
    """A sample from its files: ties, objects with their attributes, and perhaps a published split."""
    check_choice("form", form, FORMS)
    entry, folder = _catalogue()[name], site_folder() / "sample_data"
    ties = read_table(folder / f"{name}.csv", "long") if form == FORMS[0] else _standard_ties(name)
    # Only empty cells are missing values: "NA" is a valid name.
    objects = pd.read_csv(
        folder / f"{name}.objects.csv",
        index_col="object",
        dtype={"object": "str"},
        keep_default_na=False,
        na_values=[""],
    )
    # The list of objects sets their order, and includes objects without ties.
    position = objects.index.get_indexer(pd.Index(ties.objects)).astype(np.int32)
    declared = entry["relation"]
    table = replace(
        ties,
        objects=tuple(objects.index),
        i=position[ties.i],
        j=position[ties.j],
        declared={relation: declared.get(relation) or declared["*"] for relation in ties.relations},
        attributes=objects,
        notes=(),
    )
    if entry.get("self_pairs") or form != FORMS[0]:
        table = _with_self_pairs(table)
    return build(table, absent="negative" if entry["closed_world"] else "unobserved")


def _standard_ties(name: str) -> Table:
    """All ties of the public copy with their parts. The second file lists what is not in the sample, or not train."""
    keys, place = ["source", "relation", "target"], site_folder() / "sample_data"
    sample, others = (
        pd.read_csv(place / f"{name}{ending}", dtype="str", keep_default_na=False)
        for ending in (".csv", ".standard.csv")
    )
    ties = pd.concat([others, sample.assign(split=PARTS[TRAIN])]).drop_duplicates(keys, ignore_index=True)
    # Relations in the order of the sample, and further ones last.
    order = pd.unique(pd.concat([sample["relation"], others["relation"]]))
    ties = ties.iloc[np.argsort(pd.Index(order).get_indexer(ties["relation"]), kind="stable")]
    part = part_codes(ties["split"].tolist())
    assert part is not None
    return replace(Table.from_names(*(ties[key].to_numpy() for key in keys)), part=part)


def _with_self_pairs(table: Table) -> Table:
    """The table with a 0 for all self-pairs, which makes them part of the closed world."""
    n, m = len(table.objects), len(table.relations)
    objects = np.tile(np.arange(n, dtype=np.int32), m)
    values = np.ones(table.i.size) if table.values is None else table.values
    part = table.part
    return replace(
        table,
        i=np.concatenate([table.i, objects]),
        j=np.concatenate([table.j, objects]),
        k=np.concatenate([table.k, np.repeat(np.arange(m, dtype=np.int32), n)]),
        values=np.concatenate([values, np.zeros(objects.size)]),
        part=None if part is None else np.concatenate([part, np.full(objects.size, TRAIN, dtype=part.dtype)]),
        lines=None,
    )
