"""Writers: long CSV, Parquet, GraphML and GEXF. `mrwtd.read` restores exactly the data that were written.

Entries alone do not have objects and relations without entries, kinds, levels, directions and attributes. Each file has
them as `RelationalData.schema`: CSV in a first line that starts with `# mrwtd`, Parquet in its metadata, GraphML as an
attribute of the graph, GEXF in the description.
"""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from ..errors import DataError, Problem
from . import xml_writers
from .relational import RelationalData


class Writer(NamedTuple):
    """A format: a function that writes data and their schema, and one that finds names it cannot write."""

    write: Callable[[RelationalData, str, IO[bytes]], None]
    find_problems: Callable[[RelationalData], Iterator[Problem]]


def write(data: RelationalData, file: str | PathLike[str] | IO[Any], format: str | None = None) -> None:
    """Write data to a path or an open file; `mrwtd.read` restores the same data.

    Args:
        data: the data to write.
        file: a path, or a file open for writing; a path that ends in `.gz` is compressed.
        format: "csv" (one row per entry), "parquet", "graphml" or "gexf" (for Gephi); by default chosen by the name.

    >>> import mrwtd
    >>> file = io.StringIO()
    >>> write(mrwtd.load_dataset("florentine"), file, format="csv")
    >>> print(file.getvalue().splitlines()[2])
    "Acciaiuoli","business","Albizzi",-1.0,1.0
    """
    name = str(getattr(file, "name", "") if hasattr(file, "write") else file)
    extension = PurePosixPath(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    writer = WRITERS.get(format or extension)
    if writer is None:
        actual = f"format {format!r}" if format else f"a name that ends in {extension!r}"
        raise DataError(Problem(actual, f"one of {', '.join(map(repr, WRITERS))}"), file=name or None)
    problems = list(writer.find_problems(data))
    try:
        schema = json.dumps(data.schema())
    except TypeError as error:
        problems.append(Problem(f"attributes that cannot be written ({error})", "text, numbers, true or false"))
    if problems:
        raise DataError(problems, file=name or None)
    with _opened(file) as stream:
        writer.write(data, schema, stream)


@contextmanager
def _opened(file: str | PathLike[str] | IO[Any]) -> Iterator[IO[bytes]]:
    """A stream of bytes for a path or an open file."""
    if isinstance(file, (str, PathLike)):
        with _opened_path(Path(file)) as stream:
            yield stream
    elif hasattr(file, "encoding"):
        buffer = io.BytesIO()
        yield buffer
        try:
            file.write(buffer.getvalue().decode())
        except UnicodeDecodeError:
            raise DataError(Problem("a file open for text", "a file open for bytes (mode 'wb')")) from None
    else:
        yield file


@contextmanager
def _opened_path(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("wb") as raw:
            if path.suffix.lower() == ".gz":
                # Without a time in the header, equal data make equal files.
                with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as compressed:
                    yield cast("IO[bytes]", compressed)
            else:
                yield raw
    except OSError as error:
        actual = error.strerror or "a file that cannot be written"
        raise DataError(Problem(actual, "a path that can be written"), file=str(path)) from None


def _zero_bytes(data: RelationalData) -> Iterator[Problem]:
    for name in (*data.objects, *(relation.name for relation in data.relations)):
        if "\0" in name:
            yield Problem(f"the name {name!r}", "a name without a zero byte, which marks binary files")


def _write_csv(data: RelationalData, schema: str, stream: IO[bytes]) -> None:
    stream.write(f"# mrwtd {schema}\n".encode())
    # Names are always quoted, so a name that starts with # is not a comment.
    data.to_frame().to_csv(stream, index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")


def _write_parquet(data: RelationalData, _: str, stream: IO[bytes]) -> None:
    # pandas writes the attributes of the frame, which have the schema, into the file.
    data.to_frame().to_parquet(stream, index=False)


def _xml_writer(lines: Callable[[RelationalData, str], Iterator[str]]) -> Writer:
    def write_xml(data: RelationalData, schema: str, stream: IO[bytes]) -> None:
        document = lines(data, schema)
        while block := "\n".join(islice(document, 10_000)):
            stream.write(f"{block}\n".encode())

    return Writer(write_xml, xml_writers.invalid_characters)


WRITERS = {
    "csv": Writer(_write_csv, _zero_bytes),
    "parquet": Writer(_write_parquet, lambda _: iter(())),
    "graphml": _xml_writer(xml_writers.graphml),
    "gexf": _xml_writer(xml_writers.gexf),
}
"""The formats that can be written, by extension."""
