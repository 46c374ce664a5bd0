"""Files that announce much, expand to much, nest deeply, or made readers slow."""

import gzip
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from scipy import sparse
from scipy.io import savemat

from tests.data.readers.example_files import EXAMPLES, saved, unzipped, zipped
from tests.data.readers.malformed_files import Malformed

NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TIES = b"source,target\na,b\n"


def deflated(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with compressed files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return stream.getvalue()


def npy(shape: tuple[Any, ...], content: bytes = b"", kind: str = "<f8") -> bytes:
    """An array whose header may not fit its content."""
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content


def sheet(rows: str, before: str = "", text: str = "") -> bytes:
    """A workbook with this XML in its first sheet, and a text that cells can share."""
    members = unzipped(EXAMPLES["matrices"]["a.xlsx"])
    xml = f'<worksheet xmlns="{NAMESPACE}">{before}<sheetData>{rows}</sheetData></worksheet>'
    members["xl/worksheets/sheet1.xml"] = xml.encode()
    if text:
        members["xl/sharedStrings.xml"] = f'<sst xmlns="{NAMESPACE}"><si><t>{text}</t></si></sst>'.encode()
    return deflated(members)


def cell(row: int, column: str = "A", shared: bool = False) -> str:
    """The XML of a row with one cell."""
    kind, value = (' t="s"', 0) if shared else ("", 1)
    return f'<row r="{row}"><c r="{column}{row}"{kind}><v>{value}</v></c></row>'


def as_parquet(**columns: Any) -> bytes:
    """A Parquet file."""
    stream = io.BytesIO()
    parquet.write_table(pa.table(columns), stream)
    return stream.getvalue()


def graphml(keys: int, graphs: int) -> bytes:
    """Graphs of one edge, and keys that they do not use."""
    text = "".join(f'<key id="k{k}" for="edge" attr.name="a{k}" attr.type="string"/>' for k in range(keys))
    content = '<node id="a"/><node id="b"/><edge source="a" target="b"/>'
    text += "".join(f'<graph id="g{g}" edgedefault="directed">{content}</graph>' for g in range(graphs))
    return f"<graphml>{text}</graphml>".encode()


def pajek_relations(count: int) -> bytes:
    """A network with one tie in each relation."""
    return b"*Vertices 2\n" + b"".join(b'*Arcs :%d "r%d"\n1 2\n' % (k, k) for k in range(1, count + 1))


def columns(count: int, header: bytes = TIES[:13], row: bytes = b"a,b") -> bytes:
    """A list of one row with columns of numbers."""
    return header + b"".join(b",c%d" % c for c in range(count)) + b"\n" + row + b",1" * count + b"\n"


def nested_zip(depth: int) -> bytes:
    """A zip in a zip in a zip."""
    content = TIES * 1_000
    for level in range(depth):
        content = deflated({f"{level}.zip" if level else "a.csv": content})
    return content


def numbered(pattern: bytes, count: int) -> bytes:
    """A pattern with each number."""
    return b"".join(pattern % number for number in range(count))


def zeros(save: Callable[..., None], *shape: int) -> bytes:
    """A compressed array of zeros."""
    if save is savemat:
        return saved(savemat, {"a": np.zeros(shape)}, do_compression=True)
    return saved(save, np.zeros(shape))


def crafted_files() -> Iterator[Malformed]:
    """All files; the large ones take seconds to make or to read."""
    for files in (_workbooks, _matrices, _zips, _arrays, _graphs, _networks, _lists, _parquets):
        yield from files()


def _workbooks() -> Iterator[Malformed]:
    def workbook(damage: str, make: Callable[[], bytes], large: bool = False) -> Malformed:
        return Malformed("matrices", damage, "a.xlsx", make, large=large)

    yield workbook("dimension", lambda: sheet(cell(1), '<dimension ref="A1:XFD1048576"/>'))
    yield workbook("row number", lambda: sheet(cell(999_999_999)))
    yield workbook("last row of Excel", lambda: sheet(cell(1_048_576)))
    yield workbook("wide rows", lambda: sheet("".join(cell(row, "XFD") for row in range(1, 9_000))))
    shared = "".join(cell(row, shared=True) for row in range(1, 20_000))
    yield workbook("shared text", lambda: sheet(shared, text=" a" * 100_000))
    yield workbook("deep XML", lambda: sheet("<row>" * 100_000))
    yield workbook("expanding sheet", lambda: sheet(" " * 300_000_000), large=True)


def _matrices() -> Iterator[Malformed]:
    def matrix(damage: str, name: str, make: Callable[[], bytes], **more: bool) -> Malformed:
        return Malformed("matrices", damage, name, make, **more)

    square = {"large": True, "readable": True}
    yield matrix("2,000 × 2,000 zeros", "a.csv", lambda: b"\n".join([b",".join([b"0"] * 2_000)] * 2_000), **square)
    yield matrix("one long line", "a.csv", lambda: b"1," * 5_000_000, large=True)
    small = b",a,b\na,0,1\nb,1,0\n"
    yield matrix("many matrices", "a.zip", lambda: deflated({f"m{m}.csv": small for m in range(500)}), **square)
    yield matrix("not square", "a.csv", lambda: b"1,0,1,0,1\n" * 100_000, large=True)


def _zips() -> Iterator[Malformed]:
    def archive(damage: str, make: Callable[[], bytes], name: str = "a.zip", large: bool = False) -> Malformed:
        return Malformed("lists", damage, name, make, large=large)

    yield archive("zip of zips", lambda: nested_zip(5))
    yield archive("zip in a zip", lambda: nested_zip(2))
    yield archive("bzip2", lambda: deflated({"a.csv": TIES}, zipfile.ZIP_BZIP2))
    yield archive("LZMA", lambda: deflated({"a.csv": b"a,b\n" * 25_000_000}, zipfile.ZIP_LZMA), large=True)
    much = b"a,b\n" * 100_000_000
    yield archive("expanding zip", lambda: deflated({"a.csv": much}), large=True)
    yield archive("expanding zip named csv", lambda: deflated({"a.csv": much}), "a.csv", large=True)
    yield archive("expanding gzip", lambda: gzip.compress(much), "a.csv.gz", large=True)
    yield archive("gzip in gzip", lambda: gzip.compress(gzip.compress(TIES)), "a.csv.gz")
    yield archive("paths", lambda: zipped({"../../a.csv": TIES, "/etc/b.csv": TIES}))
    yield archive("many members", lambda: zipped({f"{n}.csv": b"" for n in range(30_000)}), large=True)
    yield archive("a run", lambda: zipped({"run.json": b"{}", "scores.csv": b"a"}))


def _arrays() -> Iterator[Malformed]:
    def arrays(damage: str, name: str, make: Callable[[], bytes], **more: bool) -> Malformed:
        return Malformed("arrays", damage, name, make, **more)

    compressed = np.savez_compressed
    yield arrays("7,000 × 7,000 zeros", "a.npz", lambda: zeros(compressed, 7_000, 7_000), large=True)
    yield arrays("7,000 × 7,000 zeros", "a.mat", lambda: zeros(savemat, 7_000, 7_000), large=True)
    yield arrays("2,000 × 2,000 zeros", "a.npz", lambda: zeros(compressed, 2_000, 2_000), large=True, readable=True)
    yield arrays("12 million relations", "a.npz", lambda: zeros(compressed, 2, 2, 12_000_000), large=True)
    shapes = [(0, 0, 12_000_000), (-3, -3), (10**6, 10**6), (2**62, 4), (2, 2, -1), (True, "3")]
    for shape in shapes:
        yield arrays(f"shape {shape}", "a.npy", lambda shape=shape: npy(shape, bytes(72)))
    yield arrays("no cells", "a.npy", lambda: npy((0, 0, 12_000_000)))
    yield arrays("large cells", "a.npy", lambda: npy((2, 2), bytes(72), "V1000000000"))
    yield arrays("pickle", "a.npy", lambda: saved(np.save, np.array([{}], dtype=object)))
    matrix, text = npy((2, 2), bytes(32)), b"a\0\0\0" * 10**8
    names = {"a.npy": matrix, "objects.npy": npy((2,), text, "<U50000000")}
    yield arrays("names of 50 million letters", "a.npz", lambda: deflated(names), large=True)
    long = np.array(["a" * 100_000, "b"])
    yield arrays("a name of 100,000 letters", "a.npz", lambda: saved(np.savez, np.eye(2), objects=long))
    yield arrays("npz in npz", "a.npz", lambda: deflated({"a.npy": saved(np.savez, np.eye(2))}))
    many = {f"r{n}": np.eye(2) for n in range(3_000)}
    yield arrays("many arrays", "a.npz", lambda: saved(np.savez, **many), large=True, readable=True)
    empty = sparse.csc_array((20_000_000, 20_000_000))
    yield arrays("sparse, empty", "a.mat", lambda: saved(savemat, {"s": empty}, do_compression=True), large=True)
    five = sparse.csc_array((np.ones(5), (range(5), range(1, 6))), shape=(60_000, 60_000))
    yield arrays("sparse, five ties", "a.mat", lambda: saved(savemat, {"s": five}), readable=True)
    labels = np.array(["x" * 10**6, *map(str, range(299))], dtype=object)
    yield arrays("a long name", "a.mat", lambda: saved(savemat, {"a": np.eye(300), "names": labels}))


def _graphs() -> Iterator[Malformed]:
    def graph(damage: str, name: str, make: Callable[[], bytes], **more: bool) -> Malformed:
        return Malformed("graphs", damage, name, make, **more)

    entities = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    doctype = f'<!DOCTYPE g [<!ENTITY a "ha">{entities}]>'.encode()
    yield graph("entities", "a.graphml", lambda: doctype + b"<graphml>&j;</graphml>")
    external = b'<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]><graphml>&x;</graphml>'
    yield graph("external entity", "a.graphml", lambda: external)
    yield graph("3,000 keys and graphs", "a.graphml", lambda: graphml(3_000, 3_000), large=True, readable=True)
    yield graph("deep XML", "a.graphml", lambda: b"<graphml>" * 200_000)
    start, end = b'<graph edgedefault="directed"><node id="a">', b"</node></graph>"
    yield graph("deep graphs", "a.graphml", lambda: b"<graphml>" + start * 3_000 + end * 3_000 + b"</graphml>")
    yield graph("comments", "a.graphml", lambda: b"<!---->" * 20_000 + b"<graphml/>")
    edge = b"<edges><edge source='0' target='1'/></edges>"
    yield graph("no nodes", "a.gexf", lambda: b"<gexf><graph>" + edge + b"</graph></gexf>")
    yield graph("deep lists", "a.gml", lambda: b"graph [ a " + b"[ a " * 100_000)
    nodes, tie = b"graph [ node [ id 0 ] node [ id 1 ] ", b"edge [ source 0 target 1 ] ]"
    many = numbered(b"edge [ source 0 target 1 b%d 1 ] ", 5_000)
    yield graph("attributes of edges", "a.gml", lambda: nodes + many + b"]", large=True, readable=True)
    different = b"".join(b"node [ id %d a%d 1 ] " % (number, number) for number in range(5_000))
    yield graph("attributes of nodes", "a.gml", lambda: b"graph [ " + different + tie, large=True)


def _networks() -> Iterator[Malformed]:
    """Pajek, UCINET and multinet."""

    def pajek(damage: str, content: bytes, options: Mapping[str, Any] | None = None, **more: bool) -> Malformed:
        return Malformed("pajek", damage, "a.net", lambda: content, options or {}, **more)

    for n in (50_000, 1_000_000, 2_000_000_000):
        yield pajek(f"{n:,} vertices", b"*Vertices %d\n*Arcs\n1 2\n" % n, readable=n == 50_000)
    for n in (1_500, 6_500):
        options = {"absent": "negative"}
        yield pajek(f"pairs of {n:,}", b"*Vertices %d\n*Arcs\n1 2\n" % n, options, readable=n == 1_500)
    yield pajek("a large first set", b"*Vertices 3 999999999\n*Arcs\n1 2\n")
    yield pajek("number of a relation", b"*Vertices 2\n*Arcs :999999999\n1 2\n", readable=True)
    yield pajek("9,000 relations", pajek_relations(9_000), large=True, readable=True)
    yield pajek("200,000 relations", pajek_relations(200_000), large=True)
    headers = ["n=100000000 format=edgelist1", "n=7000", "n=3000", "n=2 nm=2000000000", "n=2 nm=1000000 format=el1"]
    for header in [*headers, f"n={'9' * 100_000}"]:
        content = f"dl {header}\ndata:\n1 2\n".encode()
        yield Malformed("ucinet", header[:30], "a.dl", lambda content=content: content)

    def multinet(damage: str, content: bytes, **more: bool) -> Malformed:
        return Malformed("multinet", damage, "a.mpx", lambda: content, **more)

    edges, layers = b"#EDGES\n", b"#LAYERS\n" + numbered(b"l%d,DIRECTED\n", 9_000)
    attributes = b"#EDGE ATTRIBUTES\n" + numbered(b"a%d,STRING\n", 20_000)
    yield multinet("attributes and lines", attributes + edges + b"a,b,c\n" * 20_000)
    yield multinet("layers and lines", layers + edges + b"a,b,c\n" * 20_000)
    yield multinet("layers", layers + edges + b"a,b,l1\n", large=True, readable=True)


def _lists() -> Iterator[Malformed]:
    def table(damage: str, make: Callable[[], bytes], name: str = "a.csv", **more: bool) -> Malformed:
        return Malformed("long", damage, name, make, **more)

    both = {"large": True, "readable": True}
    yield table("a million columns", lambda: columns(1_000_000), large=True)
    yield table("a million columns, no header", lambda: (b"1," * 1_000_000 + b"\n") * 2, large=True)
    yield table("unused columns", lambda: columns(20_000, b"source,target,relation", b"a,b,r"), **both)
    yield table("open quote", lambda: b'source,target\na,"b\n' + b"a,b\n" * 1_000_000, large=True)
    yield table("blank lines", lambda: b"source,target\n" + b"\n" * 2_000_000 + b"a,b\n", **both)
    yield table("comments", lambda: b"# a\n" * 500_000 + TIES, **both)
    yield table("long name", lambda: TIES + b"a," + b"b" * 1_000_000 + b"\n")
    yield table("wrong numbers", lambda: b"source,target,value\n" + b"a,b,x\n" * 300_000, large=True)
    yield table("wrong widths", lambda: b"source,target,value\n" + b"a,b\n" * 300_000, large=True)
    yield table("large values", lambda: b"source,target,value\na,b,1e308\n")
    yield table("half a character", lambda: TIES + b"a\xed\xa0\x80,b\n", readable=True)
    yield table("zero bytes", lambda: TIES + b"a,\0\n")
    yield table("JSON", lambda: b'[{"source": "a", "target": "b"}]')
    yield table("PDF", lambda: b"%PDF-1.4\n1 0 obj\na,b\n")
    yield table("XML", lambda: b'<?xml version="1.0"?><svg><a b="c,d"/></svg>')
    yield table("web page", lambda: b"<!---->" * 30 + b"<!DOCTYPE html><p>a,b")
    yield table("old Excel", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.xlsx")
    yield table("text in xlsx", lambda: TIES, "a.xlsx", readable=True)
    yield table("zip named csv", lambda: deflated({"ties.csv": TIES}), readable=True)
    yield table("list named graphml", lambda: TIES, "a.graphml")
    header = b"\nsource,relation,target\n"
    yield table("schema", lambda: b'# mrwtd {"objects": ["a"], "relations": []}' + header)
    yield table("deep schema", lambda: b"# mrwtd {" + b'"a":{' * 100_000 + header + b"a,b,c\n")
    yield Malformed("wide", "9,000 relations", "a.csv", lambda: columns(9_000), **both)
    yield Malformed("wide", "99,000 relations", "a.csv", lambda: columns(99_000), large=True)


def _parquets() -> Iterator[Malformed]:
    def parquets(damage: str, make: Callable[[], bytes], **more: bool) -> Malformed:
        return Malformed("parquet", damage, "a.parquet", make, **more)

    ones, n = ["b"] * 5_000, 20_000_000
    yield parquets("one long name", lambda: as_parquet(source=["a" * 1_000_000] * 5_000, target=ones), large=True)
    zero = np.zeros(n, dtype="i4")
    yield parquets("20 million equal rows", lambda: as_parquet(source=zero, target=zero), large=True)
    fixed = pa.array([b"a" * 10**6] * 1_000, pa.binary(10**6))
    yield parquets("long cells", lambda: as_parquet(source=fixed, target=ones[:1_000]), large=True)
    yield parquets("lists", lambda: as_parquet(source=[["a"]], target=[["b"]]))
    yield parquets("columns", lambda: as_parquet(**{f"c{n}": [1] for n in range(3_000)}), large=True)
    yield parquets("bytes", lambda: as_parquet(source=[b"\xff"], target=[b"\xfe"]), readable=True)
