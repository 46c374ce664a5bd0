"""Writers: long CSV, Parquet, GraphML and GEXF. `mrwtd.read` restores exactly the data that was written.

Entries alone do not give kinds, levels, directions, attributes, and objects and relations without entries. Each file
stores these as `RelationalData.schema`: CSV in a first line that starts with `# mrwtd`, Parquet in its metadata,
GraphML as an attribute of the graph, GEXF in the description.

NetworkX can open the GraphML: it rejects a mix of directed and undirected edges, so if relations differ, all edges are
directed and an attribute has the direction. Gephi can open the GEXF: each edge has a type, and the relation as its
kind, which keeps edges between the same two nodes apart.
"""

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from ..errors import DataError, Problem, raise_problems
from .arguments import short_repr
from .published import PARTS
from .relational import RelationalData
from .table import REPRESENTS
from .validation import is_one

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_EDGE_ATTRIBUTES = {"relation": "string", "value": "double", "entry_weight": "double"}


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
    writer = WRITERS.get(format or extension) if format is None or isinstance(format, str) else None
    if writer is None:
        actual = f"format {short_repr(format)}" if format is not None else f"a name that ends in {extension!r}"
        raise DataError(Problem(actual, f"one of {', '.join(map(repr, WRITERS))}"), file=name or None)
    problems = list(writer.find_problems(data))
    try:
        schema = json.dumps(data.schema())
    except TypeError as error:
        problems.append(Problem(f"attributes that cannot be written ({error})", "text, numbers, true or false"))
    raise_problems(problems, name or None)
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


def invalid_characters(data: RelationalData) -> Iterator[Problem]:
    """A problem for each name or text with characters that XML cannot represent."""
    attributes = data.attributes
    texts = [
        *(("object", name) for name in data.objects),
        *(("relation", relation.name) for relation in data.relations),
        *(("attribute", name) for name in attributes.columns),
        *((f"attribute {c!r}", value) for c in attributes.columns for value in attributes[c] if isinstance(value, str)),
    ]
    for noun, text in texts:
        if _NOT_IN_XML.search(text):
            yield Problem(f"{noun} {text!r}", "no control characters, which XML cannot represent; or CSV or Parquet")


def _graphml(data: RelationalData, schema: str) -> Iterator[str]:
    """The lines of a GraphML file."""
    mixed = len({relation.directed for relation in data.relations}) > 1
    yield f'{_HEAD}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield '<key id="mrwtd" for="graph" attr.name="mrwtd" attr.type="string"/>'
    for name, kind in (_edge_attributes(data) | ({"directed": "boolean"} if mixed else {})).items():
        yield f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>'
    for position, (name, kind) in enumerate(_attribute_types(data.attributes).items()):
        yield f'<key id="a{position}" for="node" attr.name={quoteattr(name)} attr.type="{kind}"/>'
    yield f'<graph edgedefault="{_edge_type(any(relation.directed for relation in data.relations))}">'
    yield f'<data key="mrwtd">{_text(schema)}</data>'
    for name, values in _objects(data):
        inner = "".join(f'<data key="a{position}">{_text(value)}</data>' for position, value in values)
        yield f"<node id={quoteattr(name)}>{inner}</node>"
    names = [quoteattr(name) for name in data.objects]
    relations = [
        f'<data key="relation">{_text(relation.name)}</data>'
        + (f'<data key="directed">{str(relation.directed).lower()}</data>' if mixed else "")
        for relation in data.relations
    ]
    for i, j, k, value, optional in _entries(data):
        more = "".join(f'<data key="{name}">{cell}</data>' for name, cell in optional)
        inner = f'{relations[k]}<data key="value">{value!r}</data>{more}'
        yield f"<edge source={names[i]} target={names[j]}>{inner}</edge>"
    yield "</graph>\n</graphml>"


def _gexf(data: RelationalData, schema: str) -> Iterator[str]:
    """The lines of a GEXF file, version 1.3."""
    yield f'{_HEAD}<gexf xmlns="http://gexf.net/1.3" version="1.3">'
    yield f"<meta><creator>mrwtd</creator><description>mrwtd {_text(schema)}</description></meta>"
    directed = any(relation.directed for relation in data.relations)
    yield f'<graph mode="static" defaultedgetype="{_edge_type(directed)}">'
    types = _attribute_types(data.attributes)
    if types:
        yield '<attributes class="node" mode="static">'
        for position, (name, kind) in enumerate(types.items()):
            yield f'<attribute id="a{position}" title={quoteattr(name)} type="{kind}"/>'
        yield "</attributes>"
    yield '<attributes class="edge" mode="static">'
    for name, kind in _edge_attributes(data).items():
        yield f'<attribute id="{name}" title="{name}" type="{kind}"/>'
    yield "</attributes>\n<nodes>"
    for name, values in _objects(data):
        inner = "".join(f'<attvalue for="a{position}" value={quoteattr(value)}/>' for position, value in values)
        inner = f"<attvalues>{inner}</attvalues>" if inner else ""
        yield f"<node id={quoteattr(name)} label={quoteattr(name)}>{inner}</node>"
    yield "</nodes>\n<edges>"
    names = [quoteattr(name) for name in data.objects]
    opening = [
        f'type="{_edge_type(relation.directed)}" kind={quoteattr(relation.name)}><attvalues>'
        f'<attvalue for="relation" value={quoteattr(relation.name)}/>'
        for relation in data.relations
    ]
    for number, (i, j, k, value, optional) in enumerate(_entries(data)):
        more = "".join(f'<attvalue for="{name}" value="{cell}"/>' for name, cell in optional)
        inner = f'{opening[k]}<attvalue for="value" value="{value!r}"/>{more}</attvalues>'
        yield f'<edge id="{number}" source={names[i]} target={names[j]} {inner}</edge>'
    yield "</edges>\n</graph>\n</gexf>"


def _edge_type(directed: bool) -> str:
    return "directed" if directed else "undirected"


def _text(value: str) -> str:
    """Text between tags; an unescaped carriage return would be read as a line feed."""
    return escape(value, {"\r": "&#13;"})


def _attribute_types(attributes: pd.DataFrame) -> dict[str, str]:
    kinds = {"b": "boolean", "i": "long", "u": "long", "f": "double"}
    return {str(name): kinds.get(attributes[name].dtype.kind, "string") for name in attributes.columns}


def _objects(data: RelationalData) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Each object with its known attributes as text."""
    columns = [
        ["" if pd.isna(value) else str(value).lower() if isinstance(value, bool) else str(value) for value in column]
        for column in (data.attributes[name].tolist() for name in data.attributes.columns)
    ]
    for row, name in enumerate(data.objects):
        yield name, [(position, column[row]) for position, column in enumerate(columns) if column[row]]


def _edge_attributes(data: RelationalData) -> dict[str, str]:
    part = {} if data.part is None else {"part": "string"}
    return _EDGE_ATTRIBUTES | part | ({} if is_one(data.represents) else {REPRESENTS: "double"})


def _entries(data: RelationalData) -> Iterator[tuple[int, int, int, float, tuple[tuple[str, str], ...]]]:
    """i, j, k and value of each entry; then its weight, part and represented pairs as texts, where data has them."""
    named = {"entry_weight": data.w, REPRESENTS: data.represents}
    columns = [[(name, repr(x)) for x in numbers.tolist()] for name, numbers in named.items() if not is_one(numbers)]
    if data.part is not None:
        columns.append([("part", PARTS[part]) for part in data.part.tolist()])
    optional = zip(*columns, strict=True) if columns else repeat((), len(data))
    entries = (column.tolist() for column in (data.i, data.j, data.k, data.original_values()))
    return zip(*entries, optional, strict=True)


def _xml_writer(lines: Callable[[RelationalData, str], Iterator[str]]) -> Writer:
    def write_xml(data: RelationalData, schema: str, stream: IO[bytes]) -> None:
        document = lines(data, schema)
        while block := "\n".join(islice(document, 10_000)):
            stream.write(f"{block}\n".encode())

    return Writer(write_xml, invalid_characters)


WRITERS = {
    "csv": Writer(_write_csv, _zero_bytes),
    "parquet": Writer(_write_parquet, lambda _: iter(())),
    "graphml": _xml_writer(_graphml),
    "gexf": _xml_writer(_gexf),
}
"""The formats that can be written, by extension."""
