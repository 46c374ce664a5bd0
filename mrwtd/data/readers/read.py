"""Files in: `read` finds the format, the format's module makes a `Table`, and `build` makes the data.

A format is a module of `formats` that registers a `Reader` in `FORMATS`; nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import IO, Any

from ...errors import DataError, Problem
from ..arguments import short_repr
from ..build import build
from ..negatives import AbsentMeaning
from ..relational import RelationalData
from ..table import Table
from .format import FORMATS, Reader
from .formats.lists import is_list
from .parsing import workbook
from .parsing.attributes import read_attributes
from .source import Source

MOST_NAMED = 10
"""So many files of a zip are named where they do not go together."""

RUN_FILE = "run.json"
"""The file that every stored run has."""

NO_FORMAT, LIST = "no known format", "a list"

WHOLE = (
    (("xlsx", "xlsm"), "a damaged Excel workbook", "a whole one"),
    (("xls",), "an Excel workbook of the old kind (.xls)", "a new one: save it as .xlsx"),
    (("parquet", "pq"), "a damaged Parquet file", "a whole one"),
    (("zip",), "a damaged or empty zip archive", "a whole one, with at least one file"),
)
"""How a name ends that promises a format, and what to say where the content is none."""

OTHER = (
    (("ods", "numbers"), "a spreadsheet of another program", "an Excel workbook (.xlsx) or a CSV: save it as one"),
    (("docx", "doc", "odt", "rtf", "pdf"), "a document of text", "its table alone, saved as a CSV"),
    (("png", "jpg", "jpeg", "gif", "svg", "webp"), "a picture", "the data that it shows, such as a CSV"),
)
"""How the name of a file ends that holds no data, and what to say of it: some are text, and might pass for a list."""


def list_formats() -> dict[str, str]:
    """The formats that `read` knows, by name, each with a line on what it is.

    >>> list_formats()["long"]
    'a row an entry: source, relation, target and, if there are any, value and weight (CSV, TSV)'
    """
    return {reader.name: reader.about for reader in FORMATS.values()}


def read_table(file: str | PathLike[str] | IO[Any], format: str | None = None) -> Table:
    r"""What a file says, before kinds, directions and absent rows are decided: what a preview shows.

    `mrwtd.data.schema.infer_schema` says what would be made of it, and why.

    >>> import io
    >>> table = read_table(io.StringIO("from,to,weight\nann,bob,2\n"))
    >>> table.format, table.notes[1]
    ('long', "The column 'weight' is read as the value: there is no other column of values.")
    """
    source = _unpacked(Source.open(file))
    if format is None and (other := _told(source, OTHER)) is not None:
        raise DataError(other, file=source.name)
    if format is not None and not (isinstance(format, str) and format in FORMATS):
        raise DataError(Problem(f"format {short_repr(format)}", f"one of {', '.join(FORMATS)}"), file=source.name)
    chosen = FORMATS[format] if format else _reader_of(source)
    if chosen is None:
        raise DataError(_unknown(source), file=source.name)
    table = chosen.read(source)
    named = table.named and (table.relations != (source.stem,) or bool(source.title))
    return replace(table, file=source.name, format=chosen.name, named=named)


def detect_format(file: str | PathLike[str] | IO[Any]) -> str | None:
    r"""The format that `read` takes a file for, by its name in `formats`; None where that is none.

    >>> import io
    >>> detect_format(io.StringIO("from,to,weight\nann,bob,2\n"))
    'long'
    """
    found = _reader_of(_unpacked(Source.open(file)))
    return None if found is None else found.name


def _reader_of(source: Source) -> Reader | None:
    return next((reader for reader in FORMATS.values() if reader.matches(source)), None)


def _unknown(source: Source) -> Problem:
    """What to say of a file that no reader takes."""
    if any(name.rpartition("/")[2] == RUN_FILE for name in source.member_names):
        return Problem(
            "a stored run", "data; to open the run use mrwtd.load_run, or History, Import a run, in the dashboard"
        )
    if source.extension == "zip" and len(source.member_names) > 1:
        return _apart([(member.name, _format_of(member)) for member in source.members()])
    if (promised := _told(source, WHOLE)) is not None:
        return promised
    what = "a file of no known format" if source.is_text or source.is_zip else "a binary file of no known format"
    known = sorted({f".{ending}" for reader in FORMATS.values() for ending in reader.extensions})
    return Problem(what, f"a list, matrices, a graph or arrays ({', '.join(known)})")


def _apart(files: list[tuple[str, str]]) -> Problem:
    """What to say of files in a zip, by name and format, that cannot be read together."""
    each = ", ".join(f"{name} ({what})" for name, what in files[:MOST_NAMED]) + ", …" * (len(files) > MOST_NAMED)
    useless = [name for name, what in files if what not in FORMATS and not what.startswith(LIST)]
    if useless and len({what for name, what in files if name not in useless}) == 1:
        more = " and others" if len(useless) > MOST_NAMED else ""
        expected = f"only files with relations: leave out {', '.join(useless[:MOST_NAMED])}{more}"
    else:
        expected = "lists, matrices or graphs (GraphML, GEXF, GML), all files of one format, a file a relation"
    return Problem(f"files that cannot be read together: {each}", expected)


def _told(source: Source, known: Sequence[tuple[Sequence[str], str, str]]) -> Problem | None:
    """What is to be said of a file by the ending of its name, if anything is."""
    return next((Problem(found, expected) for endings, found, expected in known if source.extension in endings), None)


def _format_of(member: Source) -> str:
    """What a file in a zip is, by the name of its format."""
    if (other := _told(member, OTHER)) is not None:
        return other.found
    found = _reader_of(member)
    if found is None or member.extension not in found.extensions:
        return NO_FORMAT
    if found.name != "long" or is_list(member):
        return LIST if found.name in ("long", "wide") else found.name
    try:  # any text may be a list, and only reading tells
        found.read(member)
    except DataError:
        return NO_FORMAT
    return f"{LIST} without names of columns"


def _unpacked(source: Source) -> Source:
    """The only file in a zip, in its place; and so the list that is the only sheet of a workbook."""
    member = _only_member(source)
    return (workbook.as_list(member) if workbook.is_workbook(member) else None) or member


def _only_member(source: Source) -> Source:
    if source.extension != "zip" or len(source.member_names) != 1:
        return source
    member = source.members()[0]
    if not member.data or member.data.isspace():
        raise DataError(Problem(f"an empty file {member.name!r}", "at least one entry"), file=source.name)
    return member


def read(
    file: str | PathLike[str] | IO[Any],
    format: str | None = None,
    kinds: Mapping[str, str] | None = None,
    directed: bool | Mapping[str, bool] | None = None,
    absent: AbsentMeaning = "unobserved",
    duplicates: str = "error",
    *,
    mask: str | PathLike[str] | IO[Any] | None = None,
    attributes: str | PathLike[str] | IO[Any] | None = None,
    seed: int = 0,
) -> RelationalData:
    r"""Data from a file: a path, or an open file.

    >>> import io, mrwtd
    >>> ties = io.StringIO("source,relation,target,value\nann,likes,bob,1\nbob,likes,ann,0\nann,calls,bob,12\n")
    >>> data = mrwtd.read(ties, directed=True)
    >>> data.relations
    (Relation(name='likes', kind='binary', directed=True, levels=()),
     Relation(name='calls', kind='count', directed=True, levels=()))
    >>> data.y
    array([ 1., -1., 12.])

    **Kinds.** A relation without values, or with values 0 and 1 or −1 and 1 (also true and false, yes and no), is
    binary. One of 2 to 7 different whole numbers that span at most 10 is ordinal. One of whole numbers from 0 up is
    a count. Any other is real. What the file itself declares goes first, and `kinds` before that.

    **Directions.** A relation is undirected where every pair of different objects stands in both directions with
    the same value, else directed; what the file declares goes first, and `directed` before that.

    `data.notes` says what was guessed, and why.

    Args:
        file: a path, or a file opened for reading; gzip is undone, and so is a zip that holds one file.
        format: one of `mrwtd.data.readers.list_formats()`; found from name and content unless it is given.
        kinds: the kind of some relations, such as `{"calls": "count"}`.
        directed: whether direction matters, for all relations or for some, such as `{"calls": True}`.
        absent: what a pair means that is not listed: "unobserved" (nothing is known), "negative" (there is no tie:
            −1, 0, or the lowest level), or a number, that many sampled negatives for each positive;
            or one of these for some relations, such as `{"calls": "negative"}`.
        duplicates: what becomes of rows that contradict each other: "error", or take their "mean", their "max" or
            the "last". Identical rows merge.
        mask: a second file, of any format, with 1 (or true) for pairs that were observed and 0 (or false) for those
            that were not, which become unobserved. A mask that names no relation holds for all.
        attributes: a CSV with the object first, then a column for each attribute: group, role, position. Objects
            that the data has not are left out, with a note.
        seed: for sampled negatives.

    Raises:
        DataError: with the file, the line, what was found and what was expected, for every problem of the first
            100 bad lines. Nothing is read by halves.
    """
    table = read_table(file, format)
    return build(
        table if attributes is None else add_attributes(table, attributes),
        kinds=kinds,
        directed=directed,
        absent=absent,
        duplicates=duplicates,
        mask=None if mask is None else read_table(mask),
        seed=seed,
    )


def add_attributes(table: Table, file: str | PathLike[str] | IO[Any]) -> Table:
    r"""A table with what a second file says of its objects, which goes before what its own does.

    >>> import io
    >>> table = Table.from_names(["ann"], ["likes"], ["bob"])
    >>> add_attributes(table, io.StringIO("name,group\nann,red\n")).attributes
        group
    ann   red
    """
    found = read_attributes(file, table.objects)
    beside = found.frame
    if table.attributes is not None:
        beside = table.attributes.drop(columns=beside.columns, errors="ignore").join(beside)
    return replace(table, attributes=beside, notes=(*table.notes, *found.notes))
