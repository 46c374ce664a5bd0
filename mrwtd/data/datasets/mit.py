"""The two data sets of MIT's Human Dynamics Lab that the paper uses, from the files that MIT distributes.

Their terms forbid passing the files on, so they do not come with the package. Apply for them at

    Reality Mining     http://realitycommons.media.mit.edu/realitymining4.html
    Social Evolution   http://realitycommons.media.mit.edu/socialevolution4.html

and give the folder, or the zip as it came, to `mrwtd.load_dataset("reality-mining", folder=…)`. `symmetric=True` gives
the paper's form: undirected, by OR of both directions.
"""

from __future__ import annotations

import io
import mmap
import warnings
from collections.abc import Mapping
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from ...errors import MAX_PROBLEMS, DataError, Problem
from ...typing import AnyArray, Array
from ..arguments import check_choice
from ..build import build
from ..readers.source import EXPANDED_LIMIT, Source
from ..relational import RelationalData
from ..table import Table, parse_numbers
from .archive import open_members

Place = str | PathLike[str] | IO[bytes] | None

APPLY = "http://realitycommons.media.mit.edu"

MATRICES = {"friends": "friendship", "lab": "in-lab", "outlab": "out-of-lab"}
"""The survey's matrices in the struct `network` of realitymining.mat, and what the relations are called here."""

MATLAB_LIMIT = 4_000_000_000
"""How many bytes a packed realitymining.mat may hold: it has two thousand million, most of which nobody reads."""

RESIDENTS = 84
"""Social Evolution numbers the people of the dormitory from 1 to 84."""

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
"""A relation each: whether it ever happened. The column that holds the other person is named beside it."""

Columns = dict[str, AnyArray]
Pairs = tuple[Array, Array]


def reality_mining(folder: Place = None, absent: str = "negative") -> RelationalData:
    """Reality Mining: 94 people, and whom they name as a friend, meet in the lab, and meet outside it.

    `folder` is a folder or a zip with `realitymining.mat`, or an open zip. The survey's file holds a number where a tie
    was named and NaN elsewhere, so NaN is read as no tie (the paper's 13,395 unordered pairs, self-pairs included);
    `absent="unobserved"` leaves those pairs out.

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
    notes = [
        f"{relation}: left out, the file has no network.{name}"
        for name, relation in MATRICES.items()
        if name not in fields
    ]
    sizes = {matrix.shape[0] for matrix in matrices.values()}
    if len(sizes) != 1:
        found = f"matrices of {sorted(sizes)} people" if sizes else f"the fields {', '.join(fields) or 'none'}"
        raise DataError(Problem(found, f"{', '.join(MATRICES)} of one size", where="network"), file=source.name)
    n = sizes.pop()
    stacked = np.stack(list(matrices.values()))
    values = np.where(np.isnan(stacked), np.nan if absent == "unobserved" else 0.0, stacked > 0)
    k, i, j = (index.astype(np.int32).reshape(-1) for index in np.indices(values.shape))
    if absent == "negative":
        notes.append("pairs that the survey leaves empty are read as no tie")
    table = Table(
        objects=_subjects(network, n),
        relations=tuple(matrices),
        i=i,
        j=j,
        k=k,
        values=values.reshape(-1),
        declared={relation: {"kind": "binary", "directed": True} for relation in matrices},
        file=source.name,
        notes=tuple(notes),
    )
    return build(table)


def social_evolution(folder: Place = None) -> RelationalData:
    """Social Evolution: 84 residents of a dormitory, five surveyed relations and three from their phones.

    `folder` is a folder or a zip with `RelationshipsFromSurveys.csv`, `Calls.csv`, `SMS.csv` and `Proximity.csv`, plain
    or as `.bz2`; `Subjects.csv` adds year and floor of the residents. A relation holds where it was ever named, or
    ever happened; other pairs of different people are negative. What a missing file would tell is left out, and
    `data.notes` says so. Proximity is undirected, all others are directed.

    >>> social_evolution()
    Traceback (most recent call last):
    mrwtd.errors.DataError: Social Evolution: found no folder; expected folder=…, a folder or zip with
    RelationshipsFromSurveys.csv, Calls.csv, SMS.csv, Proximity.csv; apply for it at
    http://realitycommons.media.mit.edu/socialevolution4.html
    """
    wanted = [SURVEYS, *SENSED]
    files = _open("Social Evolution", "socialevolution4.html", folder, wanted, extra=["Subjects.csv"])
    found: dict[str, Pairs] = {}
    notes = []
    if SURVEYS in files:
        ties = _columns(files[SURVEYS], {"id.a": True, "id.b": True, "relationship": False})
        for name in SURVEYED:
            named = ties["relationship"] == name
            found[name] = ties["id.a"][named], ties["id.b"][named]
        other = sorted(set(map(str, ties["relationship"])) - set(SURVEYED))
        if other:
            notes.append(f"{SURVEYS}: rows of {', '.join(map(repr, other[:5]))} left out")
    for file, (relation, partner) in SENSED.items():
        if file in files:
            ties = _columns(files[file], {"user.id": True, partner: True}, optional=("incoming",))
            # A message that came in was sent by the other.
            back = ties["incoming"] == 1 if "incoming" in ties else np.zeros(ties["user.id"].size, dtype=bool)
            one, two = ties["user.id"], ties[partner]
            found[relation] = np.where(back, two, one), np.where(back, one, two)
    for file in wanted:
        if file not in files:
            lost = ", ".join(SURVEYED) if file == SURVEYS else SENSED[file][0]
            notes.append(f"{lost}: left out, there is no {file}")
    return _indicators(found, notes, _residents(files.get("Subjects.csv")))


def _indicators(found: Mapping[str, Pairs], notes: list[str], residents: pd.DataFrame | None) -> RelationalData:
    """Binary relations that hold for the pairs found, and for no others."""
    relations: dict[str, Pairs] = {}
    strangers = 0
    for relation, (one, two) in found.items():
        known = ~np.isnan(one) & ~np.isnan(two)
        inside = np.isin(one, range(1, RESIDENTS + 1)) & np.isin(two, range(1, RESIDENTS + 1))
        strangers += int(np.count_nonzero(known & ~inside))
        kept = inside & (one != two)
        if kept.any():
            relations[relation] = one[kept] - 1, two[kept] - 1
        else:
            notes.append(f"{relation}: left out, no row tells of a pair of residents")
    if strangers:
        notes.append(f"{strangers:,} rows left out: numbers outside 1–{RESIDENTS}")
    if not relations:
        raise DataError(Problem("no pair of residents", f"numbers from 1 to {RESIDENTS}"), file="Social Evolution")
    sizes = [one.size for one, _ in relations.values()]
    table = Table(
        objects=tuple(str(number) for number in range(1, RESIDENTS + 1)),
        relations=tuple(relations),
        i=np.concatenate([one for one, _ in relations.values()]).astype(np.int32),
        j=np.concatenate([two for _, two in relations.values()]).astype(np.int32),
        k=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        declared={name: {"kind": "binary", "directed": name != "proximity"} for name in relations},
        attributes=residents,
        notes=tuple(notes),
    )
    return build(table, absent="negative")


def _open(
    title: str,
    page: str,
    place: Place,
    wanted: list[str],
    extra: list[str] | None = None,
    limit: int = EXPANDED_LIMIT,
) -> dict[str, Source]:
    where = "a zip" if hasattr(place, "read") else "folder=…, a folder or zip"
    expected = f"{where} with {', '.join(wanted)}; apply for it at {APPLY}/{page}"
    if place is None or (isinstance(place, str) and not place):
        raise DataError(Problem("no folder", expected), file=title)
    files = open_members(place, [*wanted, *(extra or [])], limit)
    if not any(name in files for name in wanted):
        raise DataError(Problem("none of its files", expected), file=title)
    return files


def _network(source: Source) -> AnyArray:
    """The survey's struct. The rest of the file, two gigabytes of phone logs, is not read."""
    from scipy.io import loadmat  # costs a moment that few need

    stream: Any = source.content if isinstance(source.content, mmap.mmap) else io.BytesIO(source.content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = loadmat(stream, variable_names=["network"])
    except Exception as error:  # SciPy raises errors of many kinds for damaged files.
        raise DataError(
            Problem(f"an unreadable file ({error})", "a MATLAB file, version 5"), file=source.name
        ) from None
    network = content.get("network")
    if network is None or network.dtype.names is None or network.size != 1:
        raise DataError(Problem("no struct 'network'", "the survey's struct 'network'"), file=source.name)
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
    """The study's own numbers of the people, where the file has them."""
    numbers = np.asarray(network["sub_sort"]).reshape(-1) if "sub_sort" in (network.dtype.names or ()) else np.zeros(0)
    if not np.issubdtype(numbers.dtype, np.number) or np.unique(numbers).size != n or not np.isfinite(numbers).all():
        numbers = np.arange(1, n + 1)
    return tuple(f"{number:g}" for number in numbers)


def _columns(source: Source, wanted: Mapping[str, bool], optional: tuple[str, ...] = ()) -> Columns:
    """The wanted columns; those marked True, and the optional ones, hold numbers, NaN where a cell is empty."""
    try:
        frame = pd.read_csv(io.StringIO(source.text), low_memory=False, skipinitialspace=True)
    except (ValueError, pd.errors.ParserError) as error:
        raise DataError(Problem(f"no table ({str(error).strip()})", "comma-separated rows"), file=source.name) from None
    if not isinstance(frame.index, pd.RangeIndex):
        raise DataError(Problem("more cells than the header names", "a cell a column", line=2), file=source.name)
    # MIT's files write the same name in two ways: user_id and user.id.
    frame.columns = frame.columns.astype("str").str.strip().str.lower().str.replace("_", ".")
    frame = frame.loc[:, ~frame.columns.duplicated()]
    lacking = [name for name in wanted if name not in frame.columns]
    if lacking:
        found = f"the columns {', '.join(map(repr, frame.columns))}"
        raise DataError(Problem(found, f"also {', '.join(map(repr, lacking))}", line=1), file=source.name)
    columns: Columns = {}
    for name in (*wanted, *(name for name in optional if name in frame.columns)):
        if not wanted.get(name, True):
            columns[name] = frame[name].astype("str").str.strip().to_numpy(dtype=object)
            continue
        columns[name], wrong = parse_numbers(frame[name])
        if wrong.any():
            rows = np.flatnonzero(wrong)
            problems = [
                Problem(repr(frame[name].iloc[row]), "a number", line=int(row) + 2, where=f"column {name!r}")
                for row in rows[:MAX_PROBLEMS]
            ]
            raise DataError(problems, file=source.name, total=rows.size)
    return columns


def _residents(source: Source | None) -> pd.DataFrame | None:
    """Year and floor of the residents, where there is a list of them."""
    if source is None:
        return None
    columns = _columns(source, {"user.id": True, "year.school": False, "floor": False})
    frame = pd.DataFrame({"year": columns["year.school"], "floor": columns["floor"]}).replace({"nan": None, "": None})
    frame.index = pd.Index([f"{number:g}" for number in columns["user.id"]], dtype="str")
    return frame[~frame.index.duplicated()]
