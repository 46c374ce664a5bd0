"""Malformed files of all formats: examples that are damaged, or have names of other formats.

The same seed gives the same files. They are made when their content is asked for.
"""

import gzip
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mrwtd.data.readers import FORMATS
from tests.data.readers.example_files import EXAMPLES, unzipped, zipped

NUMBERS = (b"999999999", b"99999999999999999999999", b"-1", b"1e308", b"1e999", b"0", b"nan", b"65536")
PIECES = (b"\0", b"\xff", b"\xed\xa0\x80", b"\r", b'"', b"<", b"&#xD800;", b"]", b",,,,", b"\xe2\x80\xae")
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "cp037")


@dataclass(frozen=True)
class Malformed:
    """A file: its format, what is wrong with it, its name, a function for its content, and options of `read`."""

    format: str
    damage: str
    name: str
    make: Callable[[], bytes]
    options: Mapping[str, Any] = field(default_factory=dict)
    large: bool = False
    """Whether it takes seconds to make or to read."""
    readable: bool = False
    """Whether it is unusual, but has to be read."""
    same_as: tuple[str, bytes] | None = None
    """The name and the content of a file with the same data, if there is one."""
    part_of: tuple[str, bytes] | None = None
    """The name and the content of a file that has been truncated."""


def _examples() -> Iterator[tuple[str, str, bytes]]:
    for reader, files in EXAMPLES.items():
        for name, content in files.items():
            yield reader, name, content


def damaged_files(seed: int, per_kind: int = 8) -> Iterator[Malformed]:
    """Examples that are truncated, have flipped bytes, other numbers, stray pieces or another encoding."""
    for reader, name, content in _examples():
        for damage, change in DAMAGES.items():
            if damage == "damaged member" and content[:2] != b"PK":
                continue
            for number in range(per_kind):
                rng = random.Random(f"{seed} {reader} {name} {damage} {number}")
                options = rng.choice([{}, {}, {"absent": "negative"}, {"absent": 2}])
                whole = (name, content) if damage == "truncated" and not options else None
                yield Malformed(reader, damage, name, partial(change, content, rng), options, part_of=whole)
        for encoding in ENCODINGS:
            same = (name, content) if content.isascii() and encoding.startswith("utf") else None
            yield Malformed(reader, "bad encoding", name, partial(_encode, content, encoding), same_as=same)


def unchanged_files() -> Iterator[Malformed]:
    """Examples in another form that has the same data: compressed, or as text with other ends of lines."""
    for reader, name, content in _examples():
        forms = {"gzip": (f"{name}.gz", partial(gzip.compress, content))}
        if not name.endswith(".zip"):
            forms["zip"] = "a.zip", partial(zipped, {name: content})
        if b"\0" not in content and content[:2] != b"PK":
            for form, change in TEXT_FORMS.items():
                forms[form] = name, partial(change, content)
        for form, (new_name, make) in forms.items():
            yield Malformed(reader, form, new_name, make, same_as=(name, content))


def flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 2, 8, 64])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def other_number(data: bytes, rng: random.Random) -> bytes:
    """Another number in place of one in the text, or of four bytes."""
    places = [*re.finditer(rb"\d+", data)] if b"\0" not in data else []
    if places:
        place = rng.choice(places)
        return data[: place.start()] + rng.choice(NUMBERS) + data[place.end() :]
    start = rng.randrange(max(len(data) - 4, 1))
    return data[:start] + rng.choice([b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\0\0\0\x40"]) + data[start + 4 :]


def insert(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] + rng.choice(PIECES) * rng.choice([1, 3, 1000]) + data[start:]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] + data[start : start + rng.randrange(1, 200)] * rng.choice([2, 50]) + data[start:]


def _in_member(data: bytes, rng: random.Random) -> bytes:
    members = unzipped(data)
    name = rng.choice(sorted(members))
    change = rng.choice([flip, other_number, insert, _repeat])
    return zipped(members | {name: change(members[name] or b" ", rng)})


def _encode(data: bytes, encoding: str) -> bytes:
    return data.decode("latin-1").encode(encoding, errors="replace")


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "truncated": lambda data, rng: data[: rng.randrange(1, len(data))],
    "flipped bytes": flip,
    "huge numbers": other_number,
    "stray bytes": insert,
    "repeated part": _repeat,
    "damaged member": _in_member,
}


TEXT_FORMS: dict[str, Callable[[bytes], bytes]] = {
    "ends of lines": lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "blank lines": lambda data: data + b"\n\n",
}
"""Changes of a text that leave its data as they are."""

CHOICES: tuple[tuple[str, bytes, Mapping[str, Any]], ...] = (
    ("a.csv", b"1,ann,bob,3,x\n2,bob,cat,1,y\n2,cat,ann,2,x\n", {"time": 0, "source": 1, "target": 2, "value": 3}),
    ("b.txt", b"k;ann;bob;3,5;x;y\nk;bob;cat;1;y;x\n",
     {"relation": 0, "source": 1, "target": 2, "weight": 3, "source_attributes": 4, "target_attributes": [5],
      "header": False, "separator": "semicolon"}),
    ("c.tsv", b"who\twhom\tlikes\tcalls\nann\tbob\t1\t12\nbob\tcat\t0\t3\n",
     {"source": "who", "target": "whom", "value": ["likes", "calls"]}),
    ("d.xlsx", EXAMPLES["long"]["gephi.xlsx"], {"source": 0, "target": 1, "relation": 3, "value": 4, "sheet": "Edges"}),
    ("e.txt", b"ann bob 1\nbob cat 2\n", {"source": 0, "target": 99}),
)  # fmt: skip
"""Lists with columns that a user chooses, the last one with a column that does not exist."""


def files_with_columns(seed: int, per_kind: int = 8) -> Iterator[Malformed]:
    """Damaged lists whose columns were chosen before."""
    for name, content, columns in CHOICES:
        for damage, change in DAMAGES.items():
            for number in range(per_kind if damage != "damaged member" or content[:2] == b"PK" else 0):
                rng = random.Random(f"{seed} columns {name} {damage} {number}")
                yield Malformed("columns", damage, name, partial(change, content, rng), {"columns": columns})


CELLS = ("ann", "bob", "", "1", "-1", "1e999", "nan", "=1+1", "#", "%", '"', '""', ",", ";", "\t", "a\nb", "\0",
         "\u202e", "<b>", "$x$", "é" * 300, "x" * 5000, "ann\u00a0", "∞", "true")  # fmt: skip
"""What users paste."""


def pasted_tables(seed: int, count: int = 60) -> Iterator[Malformed]:
    """Tables of the field for a small network, with cells from anywhere."""
    from mrwtd.dashboard.pages.data.typed_network import TypedFile

    for number in range(count):
        rng = random.Random(f"{seed} pasted {number}")
        usual, people = rng.choice([0, 0.5, 0.9, 0.99]), ("ann", "bob", "cat")
        usual_cells = (people, ("likes", "calls"), people, ("0", "1", "2"))
        rows = [
            tuple(rng.choice(cells if rng.random() < usual else CELLS) for cells in usual_cells)
            for _ in range(rng.choice([1, 3, 40]))
        ]
        file = TypedFile(tuple(rows))
        yield Malformed("pasted table", f"table {number}", file.name, file.getvalue, {"columns": file.columns})


def renamed_files() -> Iterator[Malformed]:
    """Every example under the extension of every other format."""
    endings = sorted({ending for reader in FORMATS.values() for ending in reader.extensions} - {"gz"})
    for reader, name, content in _examples():
        for ending in endings:
            if not name.endswith(f".{ending}"):
                other = f"{name.partition('.')[0]}.{ending}"
                yield Malformed(reader, f"{name} renamed", other, partial(bytes, content), same_as=(name, content))
