"""`read`: detect the format of a file, read it into a `Table`, and build the data from it.

A format is a module of `formats` that registers its `read` function. No other module needs to know about it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...errors import DataError, Problem, errors_in_file
from ..build import build
from ..limits import NAME_LENGTH, RELATIONS
from ..negatives import AbsentMeaning
from ..periods import sum_over_time
from ..relational import RelationalData
from ..table import Table
from ..two_mode import TwoMode
from .chosen_columns import read_columns
from .companions import add_attributes, gather, name_relations
from .first_rows import FirstRows, first_rows
from .formats.lists import is_list
from .parsing import workbook
from .source import FORMATS, File, Reader, Source

MAX_NAMED = 10
"""Maximum number of files of a zip that a message names."""

RUN_FILE = "run.json"
"""The file that every stored run has."""

NO_FORMAT, LIST = "unknown format", "a list"

ANY_TEXT = ("long", "wide", "matrices")
"""Formats that many texts match."""

DAMAGED = {
    ("xlsx", "xlsm"): Problem("a damaged Excel workbook", "a complete workbook; save or download it again"),
    ("xls",): Problem("an Excel workbook in the old format (.xls)", "a workbook saved as .xlsx"),
    ("parquet", "pq"): Problem("a damaged Parquet file", "a complete file; save or download it again"),
    ("zip",): Problem("a damaged or empty zip archive", "a complete archive with at least one file"),
}
"""By file extension: the problem if no format recognizes the content."""

WORKBOOKS = ("xlsx", "xlsm")
"""File extensions of Excel workbooks."""

UNSUPPORTED = {
    ("ods", "numbers"): Problem("a spreadsheet in another format", "an Excel workbook (.xlsx) or a CSV file"),
    ("docx", "doc", "odt", "rtf", "pdf"): Problem("a text document", "the table in it, saved as a CSV file"),
    ("png", "jpg", "jpeg", "gif", "svg", "webp"): Problem("an image", "the data it shows, for example as a CSV file"),
}
"""By file extension: files without data. Some of them are text that could be mistaken for a list."""

FOREIGN = {
    rb"\xd0\xcf\x11\xe0": Problem(
        "an old (.xls) or encrypted Excel workbook", "a workbook saved as .xlsx, without password"
    ),
    rb"%PDF-|\{\\rtf": Problem("a text document", "the table in it, saved as a CSV file"),
    rb"(?:\xef\xbb\xbf)?\s*+<(?:\?xml|svg)\b": Problem("XML that is not a graph", "a graph (GraphML, GEXF) or a list"),
}
"""By their first bytes: files that no format recognizes, but that could be mistaken for a list."""


def list_formats() -> dict[str, str]:
    """The formats of `read` by name, each with a one-line description.

    >>> list_formats()["long"]
    'one row per entry: source, relation, target, optionally value and weight (CSV, TSV)'
    """
    return {reader.name: reader.description for reader in FORMATS.values()}


def read_table(
    file: File | Sequence[File],
    format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    *,
    periods: int | None = None,
) -> Table:
    r"""The rows of a file, before kinds, directions and the meaning of unlisted pairs are decided; for previews.

    `mrwtd.data.schema.infer_schema` gives the kinds and directions, with reasons.

    >>> import io
    >>> table = read_table(io.StringIO("from,to,weight\nann,bob,2\n"))
    >>> table.format, table.notes[1]
    ('long', "The column 'weight' is read as the value, since no other column has values.")
    """
    # The columns of a named sheet: the workbook stays as it is.
    source = _open(file, whole=isinstance(columns, Mapping) and "sheet" in columns)
    with errors_in_file(source.name):
        reader = _choose_reader(source, format, columns)
        table = reader.read(source) if columns is None else read_columns(source, columns)
        if source.layers is not None:
            table = name_relations(table, source.layers)
        if source.nodes is not None:
            table = add_attributes(table, source.nodes)
        RELATIONS.check(len(table.relations), source.size)
        NAME_LENGTH.check(max(map(len, (*table.objects, *table.relations)), default=0), source.size)
    named = table.named and (table.relations != (source.stem,) or bool(source.title))
    notes = (*source.notes, *(_name_notes(source, reader) if columns is None else ()), *table.notes)
    table = replace(table, file=source.name, file_size=source.size, format=reader.name, named=named, notes=notes)
    return sum_over_time(table, periods)


def read_first_rows(file: File | Sequence[File], separator: str | None = None, sheet: str | None = None) -> FirstRows:
    r"""The first rows of a list as they are, with a suggestion for `columns`.

    >>> import io
    >>> read_first_rows(io.StringIO("x;y\nann;bob\n"), separator="comma").rows
    (('x;y',), ('ann;bob',))
    """
    source = _open(file, whole=sheet is not None)
    if (problem := _problem_of(source, UNSUPPORTED) or _foreign(source)) is not None:
        raise DataError(problem, file=source.name)
    with errors_in_file(source.name):
        return first_rows(source, separator, sheet)


def detect_format(file: File | Sequence[File]) -> str | None:
    r"""The name of the format that `read` chooses for a file, or None if no format fits.

    >>> import io
    >>> detect_format(io.StringIO("from,to,weight\nann,bob,2\n"))
    'long'
    """
    reader = _matching_reader(_open(file))
    return None if reader is None else reader.name


def _open(file: File | Sequence[File], whole: bool = False) -> Source:
    """The file, or several with their roles, unless they are wanted whole.

    A zip with one file is replaced by that file, a workbook with one list by that list.
    """
    source = Source.open(file)
    if source.is_zip and source.extension != "npz" and len(source.member_names) == 1:
        member = source.members[0]
        if not member.data or member.data.isspace():
            raise DataError(Problem(f"an empty file {member.name!r}", "at least one entry"), file=source.name)
        is_called = source.extension == "zip"
        notes = () if is_called else (f"{source.name} is a zip archive; {member.name!r}, the file in it, is read.",)
        source = replace(member, notes=(*source.notes, *notes))
    is_workbook = workbook.is_workbook(source)
    if is_workbook != (source.extension in WORKBOOKS):
        kind = "an Excel workbook" if is_workbook else "not an Excel workbook"
        source = replace(source, notes=(*source.notes, f"{source.name} is {kind}, whatever its name ends in."))
    return (workbook.as_list(source) if is_workbook else None) or (source if whole else gather(source))


def _choose_reader(source: Source, format_name: str | None, columns: Mapping[str, Any] | None) -> Reader:
    if columns is not None:
        if format_name not in (None, "long"):
            raise DataError(Problem(f"columns and the format {format_name!r}", "one of them: columns are for lists"))
        return FORMATS["long"]
    if format_name is not None:
        return FORMATS[format_name]
    if (problem := _problem_of(source, UNSUPPORTED)) is not None:
        raise DataError(problem)
    reader = _matching_reader(source)
    if reader is None:
        raise DataError(_unknown_format(source))
    return reader


def _matching_reader(source: Source) -> Reader | None:
    reader = next((reader for reader in FORMATS.values() if reader.matches(source)), None)
    return None if reader is not None and reader.name in ANY_TEXT and _foreign(source) is not None else reader


def _foreign(source: Source) -> Problem | None:
    """The problem of a file in a format that is not supported, by its first bytes."""
    matching = (problem for start, problem in FOREIGN.items() if re.match(start, source.start, re.IGNORECASE))
    return next(matching, None)


def _name_notes(source: Source, reader: Reader) -> list[str]:
    """A note if the name ends as in another format."""
    known = {extension for other in FORMATS.values() for extension in other.extensions} - {*WORKBOOKS}
    if source.extension not in known or source.extension in reader.extensions:
        return []
    return [f"{source.name} is called .{source.extension}, but it has {reader.description}: it is read as that."]


def _problem_of(source: Source, problems: Mapping[tuple[str, ...], Problem]) -> Problem | None:
    return next((problem for extensions, problem in problems.items() if source.extension in extensions), None)


def _unknown_format(source: Source) -> Problem:
    """The problem of a file that no format recognizes."""
    if (foreign := _foreign(source)) is not None:
        return foreign
    if any(name.rpartition("/")[2] == RUN_FILE for name in source.member_names):
        expected = "data; to open the run, use mrwtd.load_run, or History, Import a run, in the dashboard"
        return Problem("a stored run", expected)
    if source.extension == "zip" and len(source.member_names) > 1:
        return _mixed_files([(member.name, _member_format(member)) for member in source.members])
    if (problem := _problem_of(source, DAMAGED)) is not None:
        return problem
    binary = "" if source.is_text or source.is_zip else "binary "
    known = sorted({f".{extension}" for reader in FORMATS.values() for extension in reader.extensions})
    return Problem(f"a {binary}file of unknown format", f"a list, matrices, a graph or arrays ({', '.join(known)})")


def _mixed_files(files: list[tuple[str, str]]) -> Problem:
    """The problem of files in a zip, given by name and format, that cannot be read together."""
    names = ", ".join(f"{name} ({kind})" for name, kind in files[:MAX_NAMED]) + ", …" * (len(files) > MAX_NAMED)
    unusable = [name for name, kind in files if kind not in FORMATS and not kind.startswith(LIST)]
    if unusable and len({kind for name, kind in files if name not in unusable}) == 1:
        more = " and others" if len(unusable) > MAX_NAMED else ""
        expected = f"only files with relations; remove {', '.join(unusable[:MAX_NAMED])}{more}"
    else:
        expected = "one file per relation, all in the same format: lists, matrices or graphs (GraphML, GEXF, GML, JSON)"
    return Problem(f"files that cannot be read together: {names}", expected)


def _member_format(member: Source) -> str:
    """The format of a file in a zip, for messages."""
    if (problem := _problem_of(member, UNSUPPORTED)) is not None:
        return problem.found
    reader = _matching_reader(member)
    if reader is None or member.extension not in reader.extensions:
        return NO_FORMAT
    if reader.name != "long" or is_list(member):
        return LIST if reader.name in ("long", "wide") else reader.name
    try:  # any text can be a list; only reading it shows whether it is one
        reader.read(member)
    except DataError:
        return NO_FORMAT
    return f"{LIST} without column names"


def read(
    file: File | Sequence[File],
    format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    kinds: Mapping[str, str] | None = None,
    directed: bool | Mapping[str, bool] | None = None,
    absent: AbsentMeaning = "unobserved",
    duplicates: str = "error",
    *,
    rename: Mapping[str, str] | None = None,
    transform: Mapping[str, str] | None = None,
    periods: int | None = None,
    mask: File | None = None,
    attributes: File | None = None,
    self_pairs: str = "auto",
    two_mode: TwoMode = None,
    seed: int = 0,
) -> RelationalData:
    r"""Read data from a path or an open file.

    >>> import io, mrwtd
    >>> ties = io.StringIO("source,relation,target,value\nann,likes,bob,1\nbob,likes,ann,0\nann,calls,bob,12\n")
    >>> data = mrwtd.read(ties, directed=True)
    >>> data.relations
    (Relation(name='likes', kind='binary', directed=True, levels=()),
     Relation(name='calls', kind='count', directed=True, levels=()))
    >>> data.y
    array([ 1., -1., 12.])

    **Kinds.** A relation without values, or with the values 0 and 1 or −1 and 1 (also true and false, yes and no), is
    binary. One with 2 to 7 distinct whole numbers and a range of at most 10 is ordinal. One with whole numbers of at
    least 0 is a count. Any other is real. Declarations in the file have priority, and `kinds` overrides them.

    **Directions.** A relation is undirected if every pair of different objects is listed in both directions with the
    same value, otherwise directed. Declarations in the file have priority, and `directed` overrides them.

    `data.notes` lists what was inferred, with reasons.

    Args:
        file: a path, a file open for reading, or a list of them: one file per relation, or files that belong together,
            such as lists of ties, of objects and of relations. A zip is read like the files in it. Gzip files are
            decompressed.
        format: one of `mrwtd.data.readers.list_formats()`; by default detected from name and content.
        columns: the columns of a list in text or in a sheet, by name or by position from 0, such as
            `{"source": 1, "target": 2, "relation": 0, "value": 3}`. Other roles are weight, time (the rows of a pair
            are counted, or their values summed), source_attributes and target_attributes (a column or a list of
            columns). Each of several value columns is a relation. `"header": False` means that the first row is no
            header, `"separator": ";"` is the separator (or comma, semicolon, tab, pipe or spaces), and `"sheet"` a
            sheet of a workbook. All columns without a role are ignored.
        kinds: the kind of some relations, such as `{"calls": "count"}`.
        directed: whether relations are directed, for all or for some, such as `{"calls": True}`.
        absent: the meaning of unlisted pairs: "unobserved" (nothing is known), "negative" (no tie: −1, 0, or the lowest
            level), or a number of sampled negatives per positive; or one of these for some relations, such as
            `{"calls": "negative"}`.
        duplicates: how rows that contradict each other are merged: "error", "mean", "max" or "last". Identical rows
            are always merged.
        rename: other names for some relations, such as `{"1": "advice"}`. All other options use the new names.
        transform: functions of the values of some relations, such as `{"trade": "log1p"}` for log(1 + y), which
            suits heavy tails. The relation is then real, and called `log(1 + trade)`: predictions are on that scale.
        periods: for a list of contacts with times, the number of periods of equal length to cut the time into; each
            becomes a relation. By default, contacts are counted over the whole time.
        mask: a second file, of any format, with 1 (or true) for observed and 0 (or false) for unobserved pairs. A mask
            that names no relation applies to all.
        attributes: a CSV file with the object in the first column and one column per attribute, such as group or
            role. A column called name or label, different for each object, names the objects. Objects without an entry
            are kept if most objects of the file have one, and otherwise left out, with a note.
        self_pairs: pairs of an object with itself, such as the diagonal of a matrix: "auto" leaves them out where all
            are listed with the same value, "keep" reads them as entries like all others, "drop" leaves them out.
        two_mode: whether sources and targets are two types of objects, such as people and events, so that other pairs
            do not exist: True, False, or the names of both types, such as `("woman", "event")`. By default as the file
            shows it, for example by different labels of rows and columns.
        seed: the seed of sampled negatives.

    Raises:
        DataError: lists the problems of the first 100 lines with problems: file, line, what was found and what was
            expected. A file is read completely or not at all.
    """
    table = read_table(file, format, columns, periods=periods)
    if attributes is not None:
        table = add_attributes(table, attributes)
    masked = None if mask is None else read_table(mask)
    return build(
        table, kinds=kinds, directed=directed, absent=absent, duplicates=duplicates, rename=rename,
        transform=transform, mask=masked, self_pairs=self_pairs, two_mode=two_mode, seed=seed,
    )  # fmt: skip
