"""Small valid files of all formats, by the name of their reader."""

import io
import re
import struct
import zipfile

import numpy as np
import openpyxl
import pandas as pd
from scipy import sparse
from scipy.io import savemat

from mrwtd import Relation, RelationalData
from mrwtd.data.writers import write

MATRIX = np.array([[0, 1, 2.5], [1, 0, np.nan], [0, 1, 0]])
DATA = RelationalData(
    ["ann", "bob", "cat"],
    [Relation("likes", "ordinal", directed=True, levels=(1, 2, 3)), Relation("kin", "binary", directed=False)],
    i=[0, 1, 0, 1], j=[1, 2, 1, 2], k=[0, 0, 1, 1], y=[2, 0, 1, -1], w=[0.5, 1, 1, 1],
    attributes=pd.DataFrame({"group": ["x", "y", None]}, index=["ann", "bob", "cat"]),
)  # fmt: skip


def written(name):
    file = io.BytesIO()
    write(DATA, file, name)
    return file.getvalue()


def saved(save, *arguments, **named):
    file = io.BytesIO()
    save(file, *arguments, **named)
    return file.getvalue()


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            # Without a timestamp, so that every run tests the same files.
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def unzipped(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


SHEETS = {name: (["", "ann", "bob"], ["ann", 0, 1], ["bob", 1.5, None]) for name in ("likes", "kin")}
GEPHI = {
    "Edges": (
        ["Source", "Target", "Type", "Kind", "Weight"],
        [1, 2, "Directed", "likes", 3],
        [2, 3, "Directed", "kin", 1],
    ),
    "Nodes": (["Id", "Label", "group"], [1, "ann", "x"], [2, "bob", "y"], [3, "cat", "x"], [4, "dan", "y"]),
}

NODEXL = {
    "Edges": (
        [None, None, "Labels"],
        ["Vertex 1", "Vertex 2", "Label"],
        ["ann", "bob", "likes"],
        ["bob", "cat", "kin"],
    ),
    "Vertices": ([None, "Graph Metrics"], ["Vertex", "Degree"], ["ann", 1], ["bob", 2], ["cat", 1], ["dan", 0]),
    "Overall Metrics": (["Graph Metric", "Value"], ["Graph Type", "Directed"]),
}


def workbook(sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    members = unzipped(saved(lambda file: book.save(file)))
    return zipped({name: re.sub(rb"\d+-\d+-\d+T[\d:]+Z", b"2000-01-01T00:00:00Z", m) for name, m in members.items()})


def ucinet_header(names=("ann", "bob", "cat"), columns=None, *, matrices=(), dtype=7, version=b"V6404", wide=True):
    """A header of UCINET's files: sizes and labels of columns, rows and perhaps matrices."""
    dimensions = [columns or names, names, *([matrices] if matrices else [])]
    size = "<I" if version == b"V6404" else "<H"
    texts = [name.encode("utf-16-le" if wide else "latin-1") for labels in dimensions for name in labels]
    return b"".join(
        [
            b"\x05", version, struct.pack("<4H", 26, 11, 18, 3), struct.pack("<H", 3 if wide else 2),
            struct.pack("<BH", dtype, len(dimensions)),
            *(struct.pack(size, len(labels)) for labels in dimensions), b"\x02", b"ab", b"\x01" * len(dimensions),
            *(struct.pack("<H", len(text)) + text for text in texts),
        ]
    )  # fmt: skip


NUMBERS = np.array([[0, 1, 2.5], [1e38, 0, 1], [0, 3, 0]])

VARIABLES = {
    "T": np.stack([MATRIX, MATRIX.T], axis=2),
    "names": np.array(["ann", "bob", "cat"], dtype=object),
    "chars": np.array(["a", "bb"]),
    "settings": {"a": 1.0},
}

EXAMPLES = {
    "arrays": {
        "a.npy": saved(np.save, MATRIX),
        "a.npz": saved(np.savez, T=VARIABLES["T"], objects=np.array(["ann", "bob", "cat"]), w=np.full((3, 3, 2), 0.5)),
        "a.mat": saved(savemat, VARIABLES),
        "b.mat": saved(savemat, {"s": sparse.csc_array(np.nan_to_num(MATRIX)), "b": MATRIX > 0}),
        "c.mat": saved(savemat, VARIABLES, do_compression=True),
    },
    "contacts": {
        "a.txt": b"31220 1558 1567 3B 3A\n31220 1567 1560 3A 3B\n31240 1558 1567 3B 3A\n31300 1560 1574 3B teacher\n",
        "a.csv": b"1240913019,78,77\n1240913019,78,96\n1240913039,77,96\n1240913059,96,78\n",
    },
    "graphs": {
        "a.graphml": written("graphml"),
        "a.gexf": written("gexf"),
        "b.graphml": b"""<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d" for="edge" attr.name="layer" attr.type="string"><default>kin</default></key>
<key id="e" for="edge" attr.name="weight" attr.type="double"/><key id="n" for="node" attr.name="label" attr.type="int"/>
<graph id="g" edgedefault="directed"><node id="a"><data key="n">1</data></node>
<node id="b"><data key="n">2</data></node>
<edge id="x" source="a" target="b" directed="false"><data key="d">likes</data><data key="e">0.5</data></edge>
</graph></graphml>""",
        "b.gexf": b"""<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz"><graph>
<attributes class="node"><attribute id="0" title="n" type="integer"><default>1</default></attribute></attributes>
<nodes><node id="0" label="a"><viz:size value="2"/></node><node id="1" label="b"><attvalues>
<attvalue for="0" value="7"/></attvalues></node></nodes>
<edges><edge id="0" source="0" target="1" type="mutual" weight="2.5" label="x" start="1"/></edges></graph></gexf>""",
        "a.gml": b"""Creator "me"
graph [ directed 1 node [ id 1 label "ann" age 3.5 ] node [ id 2 label "b&#233;" graphics [ x 1 ] ]
edge [ source 1 target 2 type "x" weight 2 ] edge [ source 1 target 2 type "y" weight 1 ] ]""",
        "a.json": b"""{"directed": false, "multigraph": false, "graph": {},
"nodes": [{"id": "ann", "age": 3}, {"id": 7}],
"links": [{"source": "ann", "target": 7, "relation": "kin", "weight": 2.5}]}""",
        "b.json": b"""{"elements": {"nodes": [{"data": {"id": "a"}}, {"data": {"id": "b", "name": "Bob"}}],
"edges": [{"data": {"source": "a", "target": "b", "interaction": "pp"}}]}}""",
        "c.json": b'{"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1, "value": 3}]}',
        "d.json": b'{"ann": ["bob", "cat"], "bob": ["ann"]}',
        "e.json": b"""{"directed": false, "nodes": [{"id": "ann", "bipartite": 0}, {"id": "e1", "bipartite": 1},
{"id": "bea", "bipartite": 0}], "links": [{"source": "e1", "target": "ann"}, {"source": "bea", "target": "e1"}]}""",
        "b.gml": b"""graph [ node [ id 1 type 0 ] node [ id 2 type 1 ] node [ id 3 type 0 ]
edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]""",
        "a.zip": zipped({"a.graphml": written("graphml"), "b.gexf": written("gexf")}),
    },
    "lists": {
        "a.zip": zipped({"one.txt": b"a\tr\tb\nb\tr\tc\n", "two.txt": b"c\ts\td\n"}),
        "b.zip": zipped({"likes.csv": b"source,target\na,b\n", "calls.csv": b"from,to,value,weight\na,b,3,0.5\n"}),
    },
    "splits": {
        "a.zip": zipped({"train.txt": b"a\tr\tb\nb\tr\tc\n", "valid.txt": b"c\ts\td\n", "test.txt": b"a\ts\tc\n"}),
        "b.zip": zipped({
            "kg/train2id.txt": b"2\n0 1 0\n1 2 1\n", "kg/test2id.txt": b"1\n0 2 0\n",
            "kg/entity2id.txt": b"3\nann\t0\nbob lee\t1\ncat\t2\n", "kg/relation2id.txt": b"2\nlikes\t0\nkin\t1\n",
        }),
    },
    "multinet": {
        "a.mpx": b"""#VERSION\n3.0\n#TYPE\nmultiplex\n#LAYERS\nlunch,UNDIRECTED\nadvice,DIRECTED,LOOPS
#ACTOR ATTRIBUTES\ngroup,STRING\nage,NUMERIC\n#EDGE ATTRIBUTES\nadvice,rank,NUMERIC\n
#ACTORS\nann,"G,1",3\nbob,NA,NA\n#VERTICES\ncat,lunch\n#EDGES\nann,bob,lunch\nbob,ann,advice,3\n""",
        "b.mpx": b"#TYPE multilayer\n#LAYERS\na,a,DIRECTED\n#EDGES\nx,a,y,a\n-- no\ny,a,z,a\n",
    },
    "pajek": {
        "a.net": b"""% a comment\n*Network a\n*Vertices 3\n1 "ann lee" 0.1 0.2\n2 bob\n*Arcs :1 "likes"\n1 2 3 c Blue
*Edges :2 "kin"\n2: 1 3\n*Arcslist :3\n1 2 3\n*Edgeslist :4\n3 -1 -2\n*Matrix :5 "far"\n0 1 2\n1 0 nan\n2 1 0\n""",
        "a.paj": b"""*Network club\n*Vertices 3\n1 "ann"\n2 "bob"\n3 "cat"\n*Arcs\n1 2 2 [1]\n1 2 -2 [2]\n
*Network late\n*Vertices 2\n1 "bob"\n2 "dan"\n*Edges\n1 2\n\n*Partition town\n*Vertices 3\n1\n2\n2\n*Vector age
*Vertices 2\n30.5\n41\n*Permutation order\n*Vertices 2\n2\n1\n""",
        "b.net": b"*Vertices 3 1\n*Matrix\n1 0\n",
        "c.net": b"*Vertices 5 2\n1 ann\n2 bea\n3 e1\n*Edges\n1 3\n4 2\n*Arcs :2\n5 1\n",
    },
    "text graphs": {
        "a.ncol": b"ann bob 2.5\nbob cat\n",
        "a.lgl": b"# ann\nbob 2\ncat\n# dan\nann 1\n",
        "a.tgf": b"1 ann lee\n2 bob\n3 cat\n#\n1 2 likes\n2 3 4.5\n",
        "a.sif": b"ann likes bob cat\nbob pp cat\ndan\n",
        "a.dimacs": b"c a comment\np edge 4 2\ne 1 2\ne 2 3\n",
        "b.txt": b"c a comment\np sp 3 2\na 1 2 5\na 3 2 7.5\n",
        "a.graph": b"% a comment\n4 3 001\n2 5 3 1\n1 5\n1 1 4 2\n3 2\n",
        "a.adjlist": b"# a comment\nann bob cat\nbob cat\ndan\n",
        "c.txt": b"ann -> bob\nbob -- cat: 3\ncat <-> dan: likes\n",
        "a.dot": b'digraph {\n  a [label="ann lee"];\n  a -> b -> c [weight=2.5]\n  c -> a [label=likes];\n}\n',
        "d.txt": b"ann bob {'weight': 3}\nbob cat {'weight': 4.5, 'relation': 'kin'}\n",
    },
    "matrix market": {
        "a.mtx": b"%%MatrixMarket matrix coordinate real general\n% x\n3 3 3\n1 2 0.5\n2 1 3\n3 3 1e2\n",
        "b.mtx": b"%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
        "c.mtx": b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n",
    },
    "network tables": {
        "a.gdf": b"""nodedef>name VARCHAR,age DOUBLE\nann,31\nbob,\nedgedef>node1 VARCHAR,node2 VARCHAR,weight DOUBLE
ann,bob,2.5\n""",
        "a.vna": b'*Node data\nID age\nann 3\n"bob lee" 4\n*Tie data\nfrom to friends calls\nann "bob lee" 1 3\n',
    },
    "triples": {
        "a.nt": b"""<http://x/ann> <http://y#knows> <http://x/bob> .\n# no\n_:b <http://y#age> "3"^^<http://int> .
<http://x/bob> <http://y#knows> _:b .\n""",
    },
    "ratings": {
        "u.data": b"196\t242\t3\t881250949\n186\t302\t1\t891717742\n22\t242\t5\t878887116\n22\t186\t4\t880606923\n",
        "ratings.dat": b"1::1193::5::978300760\n1::661::3::978302109\n2::1193::4::978298413\n",
        "ratings.csv": b"userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n2,31,3.0,1260759179\n",
    },
    "ucinet": {
        "a.dl": b"""DL N=2 NM=2\nFORMAT = FULLMATRIX DIAGONAL PRESENT\nLABELS:\n"ann lee",bob\nMATRIX LABELS: a b
DATA:\n0 1\n1.5 NA\n0 0 1 1\n""",
        "b.dl": b"dl nr=3 nc=3 nm=2 format=edgelist1\nrow labels: a b c\ndata: 1 2 3\nb c\n!\n3 1 0.5\n",
        "c.dl": b"dl n=2\nlabels embedded\ndata:\nann bob\nann 0 1\nbob 1 0\n",
        "g.dl": b"dl nr=2 nc=3\nrow labels: ann bea\ncolumn labels: e1 e2 e3\ndata:\n1 0 1\n0 NA 0\n",
        "e.dl": b"dl nr=3 nc=2 format=edgelist2\nrow labels: a b c\ncolumn labels: x y\ndata:\n1 1\n2 y 3\nc 2\n",
        "f.dl": b"dl nr=3 nc=2 format=nodelist2 labels embedded\ndata:\nann x y\nbob x\ncat y\n",
        "d.dl": b"dl n=3 format=lowerhalf diagonal absent\ndata:\n1\n0 1\n",
    },
    "ucinet-pair": {
        "a.zip": zipped({"a.##h": ucinet_header(), "a.##d": NUMBERS.astype("<f4").tobytes()}),
        "b.zip": zipped({
            "b.##h": ucinet_header(matrices=("likes", "kin"), dtype=1, version=b"DATE:", wide=False),
            "b.##d": bytes([0, 1, 0, 1, 0, 1, 0, 1, 0] * 2),
        }),
        "c.zip": zipped({"c.##h": ucinet_header(columns=("x", "y"), dtype=1), "c.##d": bytes([0, 1, 1, 1, 0, 1])}),
    },
    "long": {
        "a.csv": written("csv"),
        "b.csv": b'''source,target,relation,value,weight
ann,"bob, jr",likes,3,0.5\nbob,cat,likes,1,1\n# no\ncat,ann,kin,yes,1\n''',
        "konect.txt": b"% asym positive\n% 3 3 3\n1 2 1 100\n2 1 1 120\n1 3 25 160\n",
        "bip.txt": b"% bip unweighted\n% 3 2 2\n1 1\n1 2\n2 2\n",
        "snap.txt": b"# Undirected graph: a.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n0\t2\n",
        "c.tsv": b"ann\tlikes\tbob\nbob\tlikes\tcat\n",
        "gephi.xlsx": workbook(GEPHI),
        "nodexl.xlsx": workbook(NODEXL),
        "gephi.zip": zipped({
            "Edges.csv": b"Source,Target,Type,Id,Label,timeset,Weight\n1,2,Undirected,0,,,1\n2,3,Undirected,1,,,2\n",
            "Nodes.csv": b"Id,Label,timeset,group\n1,ann,,x\n2,bob,,y\n3,cat,,x\n4,dan,,y\n",
        }),
    },
    "multilayer": {
        "a.edges": b"1 1 2 1\n1 2 3 1\n2 1 3 0.5\n",
        "a.zip": zipped({
            "a_multiplex.edges": b"1 1 2 1\n1 2 3 1\n2 1 3 1\n",
            "a_layers.txt": b"layerID layerLabel\n1 advice\n2 close friend\n",
            "a_nodes.txt": b"nodeID nodeLabel nodeCity\n1 ann 1\n2 bob 1\n3 cat 2\n4 dan 2\n",
        }),
    },
    "wide": {"a.csv": b"source;target;likes;calls\nann;bob;1;12\nbob;cat;;3,5\n"},
    "matrices": {
        "a.zip": zipped({"likes.csv": b",ann,bob\nann,0,1\nbob,,0\n", "kin.csv": b",ann,bob\nann,0,1\nbob,1,0\n"}),
        "a.xlsx": workbook(SHEETS),
        "r.csv": b"1,2,3,4\n0,1,0,0\n1,0,1,0\n0,1,0,0\n0,0,1,0\n",
        "a.csv": b",ann,bob,cat\nann,0,1,0\nbob,1,0,NA\ncat,0,2,0\n",
        "b.csv": b",e1,e2,e3\nann,1,0,1\nbea,0,NA,1\n",
    },
    "parquet": {"a.parquet": written("parquet")},
}  # fmt: skip
"""Small valid files of each format, by the name of its reader."""
