"""The two data sets of MIT's Human Dynamics Lab that the paper uses, from files distributed by MIT.

Their licence does not allow redistribution, so the files are not part of the package. Apply for them at

    Reality Mining     http://realitycommons.media.mit.edu/realitymining4.html
    Social Evolution   http://realitycommons.media.mit.edu/socialevolution4.html

and pass the folder, or the original zip, to `mrwtd.load_dataset("reality-mining", folder=…)`. `symmetric=True` gives
the form of the paper: undirected, by OR of both directions.
"""

import io
import mmap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from ...errors import DataError, Problem, Problems
from ...typing import AnyArray, Array
from ..arguments import check_choice
from ..build import build
from ..limits import EXPANDED
from ..readers.parsing.matrix import grid_table
from ..readers.source import Source
from ..relational import RelationalData
from ..table import Table, parse_numbers
from .archive import open_members

Place = str | PathLike[str] | IO[bytes] | None

APPLY = "http://realitycommons.media.mit.edu"

MATRICES = {"friends": "friendship", "lab": "in-lab", "outlab": "out-of-lab"}
"""The survey matrices in the struct `network` of realitymining.mat, and the names of the relations."""

MATLAB_LIMIT = 4_000_000_000
"""Size limit of a compressed realitymining.mat in bytes: it has two gigabytes, most of which are not read."""

RESIDENTS = 84
"""Social Evolution numbers the residents of the dormitory from 1 to 84."""

SURVEYED = (
    "CloseFriend",
    "SocializeTwicePerWeek",
    "PoliticalDiscussant",
    "FacebookAllTaggedPhotos",
    "BlogLivejournalTwitter",
)
SURVEYS = "RelationshipsFromSurveys.csv"
SENSED = {
    "Calls.csv": ("calls", "dest.user.id.if.known"),
    "SMS.csv": ("SMS", "dest.user.id.if.known"),
    "Proximity.csv": ("proximity", "remote.user.id.if.known"),
}
"""For each file, its relation (whether a contact ever happened) and the column of the other person."""

Columns = dict[str, AnyArray]
Pairs = tuple[Array, Array]


def reality_mining(folder: Place = None, absent: str = "negative") -> RelationalData:
    """Reality Mining: 94 people, their friends, and the people they meet in the lab and outside it.

    `folder` is a folder or a zip with `realitymining.mat`, or an open zip. The survey has a number for a named tie and
    NaN otherwise, so NaN is read as no tie (13,395 unordered pairs with self-pairs, as in the paper). With
    `absent="unobserved"`, those pairs are left out.

    >>> reality_mining()
    Traceback (most recent call last):
    mrwtd.errors.DataError: Reality Mining: found no folder; expected folder=…, a folder or zip with
    realitymining.mat; apply for it at http://realitycommons.media.mit.edu/realitymining4.html
    """
    check_choice("absent", absent, ("negative", "unobserved"))
    files = _open("Reality Mining", "realitymining4.html", folder, ["realitymining.mat"], limit=MATLAB_LIMIT)
    source = files["realitymining.mat"]
    network = _network(source)
    fields = network.dtype.names or ()
    matrices = {relation: _matrix(source, network, name) for name, relation in MATRICES.items() if name in fields}
    missing = [(name, relation) for name, relation in MATRICES.items() if name not in fields]
    notes = [f"{relation}: left out, the file has no network.{name}" for name, relation in missing]
    sizes = {matrix.shape[0] for matrix in matrices.values()}
    if len(sizes) != 1:
        actual = f"matrices of {sorted(sizes)} people" if sizes else f"the fields {', '.join(fields) or 'none'}"
        raise DataError(Problem(actual, f"{', '.join(MATRICES)} of the same size", where="network"), file=source.name)
    n = sizes.pop()
    stacked = np.stack(list(matrices.values()))
    values = np.where(np.isnan(stacked), np.nan if absent == "unobserved" else 0.0, stacked > 0)
    if absent == "negative":
        notes.append("pairs without a value in the survey are read as no tie")
    declared = {relation: {"kind": "binary", "directed": True} for relation in matrices}
    table = grid_table(
        source, list(values), _subjects(network, n), list(matrices), declared=declared, notes=tuple(notes)
    )
    return build(replace(table, file=source.name))


def social_evolution(folder: Place = None) -> RelationalData:
    """Social Evolution: 84 residents of a dormitory, five relations from surveys and three from their phones.

    `folder` is a folder or a zip with `RelationshipsFromSurveys.csv`, `Calls.csv`, `SMS.csv` and `Proximity.csv`, plain
    or as `.bz2`; `Subjects.csv` adds year and floor of the residents. A tie is positive if it was named or happened at
    any time; other pairs of different people are negative. The relations of a missing file are left out, with a note in
    `data.notes`. Proximity is undirected, all other relations are directed.

    >>> social_evolution()
    Traceback (most recent call last):
    mrwtd.errors.DataError: Social Evolution: found no folder; expected folder=…, a folder or zip with
    RelationshipsFromSurveys.csv, Calls.csv, SMS.csv, Proximity.csv; apply for it at
    http://realitycommons.media.mit.edu/socialevolution4.html
    """
    wanted = [SURVEYS, *SENSED]
    files = _open("Social Evolution", "socialevolution4.html", folder, wanted, extra=["Subjects.csv"])
    pairs: dict[str, Pairs] = {}
    notes = []
    if SURVEYS in files:
        ties = _columns(files[SURVEYS], {"id.a": True, "id.b": True, "relationship": False})
        for name in SURVEYED:
            rows = ties["relationship"] == name
            pairs[name] = ties["id.a"][rows], ties["id.b"][rows]
        others = sorted(set(map(str, ties["relationship"])) - set(SURVEYED))
        if others:
            notes.append(f"{SURVEYS}: rows of {', '.join(map(repr, others[:5]))} left out")
    for file, (relation, partner) in SENSED.items():
        if file in files:
            ties = _columns(files[file], {"user.id": True, partner: True}, optional=("incoming",))
            # The sender of an incoming message is the other person.
            incoming = ties["incoming"] == 1 if "incoming" in ties else False
            user, other = ties["user.id"], ties[partner]
            pairs[relation] = np.where(incoming, other, user), np.where(incoming, user, other)
    for file in wanted:
        if file not in files:
            names = ", ".join(SURVEYED) if file == SURVEYS else SENSED[file][0]
            notes.append(f"{names}: left out, there is no {file}")
    return _indicators(pairs, notes, _residents(files.get("Subjects.csv")))


def _indicators(pairs: Mapping[str, Pairs], notes: list[str], residents: pd.DataFrame | None) -> RelationalData:
    """Binary relations that are positive for the given pairs and negative for all others."""
    numbers = range(1, RESIDENTS + 1)
    relations: dict[str, Pairs] = {}
    outside = 0
    for relation, (source, target) in pairs.items():
        known = ~np.isnan(source) & ~np.isnan(target)
        inside = np.isin(source, numbers) & np.isin(target, numbers)
        outside += int(np.count_nonzero(known & ~inside))
        rows = inside & (source != target)
        if rows.any():
            relations[relation] = source[rows] - 1, target[rows] - 1
        else:
            notes.append(f"{relation}: left out, no row has a pair of residents")
    if outside:
        notes.append(f"{outside:,} rows left out: numbers outside 1–{RESIDENTS}")
    if not relations:
        raise DataError(
            Problem("no pair of residents", f"rows with two numbers from 1 to {RESIDENTS}"), file="Social Evolution"
        )
    i, j = (np.concatenate(ends).astype(np.int32) for ends in zip(*relations.values(), strict=True))
    sizes = [source.size for source, _ in relations.values()]
    k = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    declared = {name: {"kind": "binary", "directed": name != "proximity"} for name in relations}
    objects, names = tuple(map(str, numbers)), tuple(relations)
    table = Table(objects, names, i, j, k, declared=declared, attributes=residents, notes=tuple(notes))
    return build(table, absent="negative")


def _open(
    title: str, page: str, place: Place, wanted: list[str], extra: Sequence[str] = (), limit: int = EXPANDED.most
) -> dict[str, Source]:
    where = "a zip" if hasattr(place, "read") else "folder=…, a folder or zip"
    expected = f"{where} with {', '.join(wanted)}; apply for it at {APPLY}/{page}"
    if place is None or (isinstance(place, str) and not place):
        raise DataError(Problem("no folder", expected), file=title)
    files = open_members(place, [*wanted, *extra], limit)
    if not any(name in files for name in wanted):
        raise DataError(Problem("none of the files", expected), file=title)
    return files


def _network(source: Source) -> AnyArray:
    """The struct of the survey. The rest of the file, two gigabytes of phone logs, is not read."""
    from scipy.io import loadmat  # imported here, because the import takes time

    stream: Any = source.content if isinstance(source.content, mmap.mmap) else io.BytesIO(source.content)
    try:
        with warnings.catch_warnings(action="ignore"):
            content = loadmat(stream, variable_names=["network"])
    except Exception as error:  # SciPy raises many kinds of errors for damaged files
        problem = Problem(f"an unreadable file ({error})", "the original MATLAB file (version 5)")
        raise DataError(problem, file=source.name) from None
    network = content.get("network")
    if network is None or network.dtype.names is None or network.size != 1:
        raise DataError(Problem("no struct 'network'", "the original file with this struct"), file=source.name)
    record: AnyArray = network.reshape(-1)[0]
    return record


def _matrix(source: Source, network: AnyArray, name: str) -> Array:
    matrix = network[name]
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.issubdtype(matrix.dtype, np.number):
        shape = " × ".join(map(str, matrix.shape))
        problem = Problem(f"{shape} of {matrix.dtype}", "a square matrix of numbers", where=f"network.{name}")
        raise DataError(problem, file=source.name)
    return np.asarray(matrix, dtype=np.float64)


def _subjects(network: AnyArray, n: int) -> tuple[str, ...]:
    """The numbers of the people in the study, or 1 to n if the file has none."""
    numbers = np.asarray(network["sub_sort"]).reshape(-1) if "sub_sort" in (network.dtype.names or ()) else np.zeros(0)
    if not np.issubdtype(numbers.dtype, np.number) or np.unique(numbers).size != n or not np.isfinite(numbers).all():
        numbers = np.arange(1, n + 1)
    return tuple(f"{number:g}" for number in numbers)


def _columns(source: Source, wanted: Mapping[str, bool], optional: tuple[str, ...] = ()) -> Columns:
    """The wanted columns: numbers, NaN for empty cells, if marked True or optional; otherwise texts."""
    try:
        frame = pd.read_csv(io.StringIO(source.text), low_memory=False, skipinitialspace=True)
    except (ValueError, pd.errors.ParserError) as error:
        problem = Problem(f"no table ({str(error).strip()})", "rows separated by commas")
        raise DataError(problem, file=source.name) from None
    if not isinstance(frame.index, pd.RangeIndex):
        raise DataError(Problem("more cells than column names", "one cell per column", line=2), file=source.name)
    # The files use two spellings of the same name: user_id and user.id.
    frame.columns = frame.columns.astype("str").str.strip().str.lower().str.replace("_", ".")
    frame = frame.loc[:, ~frame.columns.duplicated()]
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        actual = f"the columns {', '.join(map(repr, frame.columns))}"
        raise DataError(Problem(actual, f"also the columns {', '.join(map(repr, missing))}", line=1), file=source.name)
    columns: Columns = {}
    for name in (*wanted, *(name for name in optional if name in frame.columns)):
        if not wanted.get(name, True):
            columns[name] = frame[name].astype("str").str.strip().to_numpy(dtype=object)
            continue
        columns[name], wrong = parse_numbers(frame[name])
        problems = Problems(source.name)
        for row in problems.first(np.flatnonzero(wrong)):
            problems.add(repr(frame[name].iloc[row]), "a number", row + 2, f"column {name!r}")
        problems.check()
    return columns


def _residents(source: Source | None) -> pd.DataFrame | None:
    """Year and floor of the residents, if there is a list of them."""
    if source is None:
        return None
    columns = _columns(source, {"user.id": True, "year.school": False, "floor": False})
    frame = pd.DataFrame({"year": columns["year.school"], "floor": columns["floor"]}).replace({"nan": None, "": None})
    frame.index = pd.Index([f"{number:g}" for number in columns["user.id"]], dtype="str")
    return frame[~frame.index.duplicated()]
