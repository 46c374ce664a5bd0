"""Data out: long CSV, Parquet, GraphML and GEXF. What is written here, `mrwtd.read` gives back exactly.

Entries alone do not tell of objects and relations without entries, of kinds, levels, directions and attributes. All of
that is `RelationalData.schema`, which each file carries: a CSV in a first line that begins with `# mrwtd`, Parquet in
its metadata, GraphML as an attribute of the graph, GEXF in the description.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from ..errors import DataError, Problem
from . import xml_writers
from .relational import RelationalData


class Writer(NamedTuple):
    """A format: what writes it, and what its names must not hold."""

    write: Callable[[RelationalData, str, IO[bytes]], None]
    unfit: Callable[[RelationalData], Iterator[Problem]]


def write(data: RelationalData, file: str | PathLike[str] | IO[Any], format: str | None = None) -> None:
    """Write data to a path or an open file, such that `mrwtd.read` gives the same data again.

    Args:
        data: what to write.
        file: a path, or a file that is open for writing; a path that ends in `.gz` is compressed.
        format: "csv" (a row an entry), "parquet", "graphml" or "gexf" (for Gephi); found from the name unless given.

    >>> import mrwtd
    >>> file = io.StringIO()
    >>> write(mrwtd.load_dataset("florentine"), file, format="csv")
    >>> print(file.getvalue().splitlines()[2])
    "Acciaiuoli","business","Albizzi",-1.0,1.0
    """
    name = str(getattr(file, "name", "") if hasattr(file, "write") else file)
    ending = PurePosixPath(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    writer = WRITERS.get(format or ending)
    if writer is None:
        found = f"format {format!r}" if format else f"a name that ends in {ending!r}"
        raise DataError(Problem(found, f"one of {', '.join(map(repr, WRITERS))}"), file=name or None)
    problems = [*_unencodable(data), *writer.unfit(data)]
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
    """The file as a stream of bytes, whatever it is."""
    if isinstance(file, (str, PathLike)):
        with _opened_path(Path(file)) as stream:
            yield stream
    elif hasattr(file, "encoding"):
        buffer = io.BytesIO()
        yield buffer
        try:
            file.write(buffer.getvalue().decode())
        except UnicodeDecodeError:
            raise DataError(Problem("a file opened for text", "one opened for bytes, as this format is")) from None
    else:
        yield file


@contextmanager
def _opened_path(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("wb") as raw:
            if path.suffix.lower() == ".gz":
                # No time of writing in the header: equal data makes equal files.
                with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield raw
    except OSError as error:
        found = error.strerror or "a file that cannot be written"
        raise DataError(Problem(found, "a file to write"), file=str(path)) from None


def _unencodable(data: RelationalData) -> Iterator[Problem]:
    for name in [*data.objects, *(relation.name for relation in data.relations)]:
        try:
            name.encode()
        except UnicodeEncodeError:
            yield Problem(f"the name {name!r}", "a name that Unicode can hold")


def _nothing(_: RelationalData) -> Iterator[Problem]:
    return iter(())


def _zero_bytes(data: RelationalData) -> Iterator[Problem]:
    for name in [*data.objects, *(relation.name for relation in data.relations)]:
        if "\0" in name:
            yield Problem(f"the name {name!r}", "a name without a zero byte, which marks binary files")


def _write_csv(data: RelationalData, schema: str, stream: IO[bytes]) -> None:
    stream.write(f"# mrwtd {schema}\n".encode())
    # Names are always in quotes: one that begins with # is no comment then.
    data.to_frame().to_csv(stream, index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")


def _write_parquet(data: RelationalData, _: str, stream: IO[bytes]) -> None:
    # The frame's own attributes, which pandas keeps in the file, hold the schema.
    data.to_frame().to_parquet(stream, index=False)


WRITERS = {
    "csv": Writer(_write_csv, _zero_bytes),
    "parquet": Writer(_write_parquet, _nothing),
    "graphml": Writer(xml_writers.graphml, xml_writers.invalid_characters),
    "gexf": Writer(xml_writers.gexf, xml_writers.invalid_characters),
}
"""The formats that can be written, by the endings of their files."""
