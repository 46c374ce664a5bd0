"""A published split in a zip: the same kind of list in files called train, test and valid.

The names may contain other words (`wn18rr-train.txt`, `dev.tsv`) and be in a folder. The part of each row is kept for
`RelationalData.published_split`. In the files of OpenKE, `train2id.txt` and others have numbers, after a line with
their count, and `entity2id.txt` and `relation2id.txt` name them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from ....errors import DataError, Problem, Problems
from ...published import PARTS, TRAIN, part_of_name
from ...table import Table
from ..parsing.lines import numbered, quote, whole_number
from ..source import Source, register_format
from . import lists
from .long import unused_note

EXTENSIONS = ("txt", "tsv", "csv", "tab", "dat", "del", "")
"""Extensions of the parts, without the dot."""

NAMES = {"entity": "entity2id", "relation": "relation2id"}
"""The names of the files of OpenKE that give the names of entities and relations."""


def published_files(names: Sequence[str]) -> dict[int, str]:
    """The file of each part among the names of some files; empty if they are not the parts of one list.

    Other files are ignored. There must be a file for training and at least one other part, each once.

    >>> published_files(["FB/test.txt", "FB/train.txt", "FB/README.md"])
    {1: 'FB/test.txt', 0: 'FB/train.txt'}
    >>> published_files(["train.txt", "a/test.txt", "b/test.txt"]), published_files(["likes.csv", "test.csv"])
    ({}, {})
    """
    files, other_words = dict[int, str](), set[tuple[str, ...]]()
    for name in names:
        path = PurePosixPath(name)
        part, words = part_of_name(path.stem)
        if part is None or path.suffix.lower().removeprefix(".") not in EXTENSIONS:
            continue
        if part in files:
            return {}
        files[part] = name
        other_words.add(words)
    return files if TRAIN in files and len(files) > 1 and len(other_words) == 1 else {}


def matches(source: Source) -> bool:
    """Whether a zip has the parts of a list, and each has text."""
    if not source.is_zip or not published_files(source.member_names):
        return False
    return all(member.is_text for member in _parts(source).values())


@register_format(
    "splits", "a published split: lists called train, test and valid, together or in a zip", ("zip",), matches, order=52
)
def read(source: Source) -> Table:
    r"""The rows of all parts, one part after the other.

    >>> import io, zipfile
    >>> with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
    ...     archive.writestr("train.txt", "ann likes bob\nbob likes cat\n")
    ...     archive.writestr("test.txt", "cat likes ann\n")
    >>> read(Source("ties.zip", buffer.getvalue())).part
    array([0, 0, 1], dtype=int8)
    """
    parts = _parts(source)
    if not parts:
        raise DataError(Problem("no published split", "lists called train and test, and perhaps valid"))
    names = _names(source)

    def read_part(member: Source) -> Table:
        # A list that names no relation is one relation in all parts.
        return _numbers(member, names) if names else lists.read_list(replace(member, title=source.stem))

    tables = lists.read_each(parts.values(), read_part)
    table, sizes = lists.concatenate(tables), [part.i.size for part in tables]
    counts = ", ".join(f"{PARTS[part]} {size:,}" for part, size in zip(parts, sizes, strict=True))
    used = {member.name for member in parts.values()} | {f"{name}.txt" for name in NAMES.values() if names}
    unused = sorted({member.name for member in source.members} - used)
    note = f"The files are the parts of a published split: {counts} rows."
    notes = (*table.notes, note, *unused_note(unused, "file"))
    return replace(table, part=np.repeat(np.array(list(parts), dtype=np.int8), sizes), notes=notes)


def _parts(source: Source) -> dict[int, Source]:
    """The files of the parts that are not empty, in the order of `PARTS`."""
    members = dict(zip(source.member_names, source.members, strict=True))
    parts = {part: members[name] for part, name in sorted(published_files(source.member_names).items())}
    return {part: member for part, member in parts.items() if member.start.strip()}


def _names(source: Source) -> Mapping[str, Mapping[str, str]]:
    """For entities and relations in the files of OpenKE, the name of each number; empty if they are not there."""
    files = {member.stem.lower(): member for member in source.members}
    if not all(name in files for name in NAMES.values()):
        return {}
    return {noun: _names_by_number(files[name], noun) for noun, name in NAMES.items()}


def _names_by_number(source: Source, noun: str) -> dict[str, str]:
    """The names in a file with a name and a number per line, below a line with their count."""
    names, problems = dict[str, str](), Problems()
    for line, text in numbered(source.text):
        name, _, number = text.rstrip().replace("\t", " ").rpartition(" ")
        if not name.strip():
            continue  # the count, or a blank line
        if whole_number(number) is None or number in names:
            problems.add(quote(text), f"the name and the number of a different {noun}", line, f"file {source.name!r}")
        names[number] = name.strip()
    problems.check()
    return names


def _numbers(source: Source, names: Mapping[str, Mapping[str, str]]) -> Table:
    """The rows of a part with the numbers of head, tail and relation, in this order, below a line with their count."""
    rows, problems, lines = list[tuple[str, str, str]](), Problems(), list[int]()
    for line, text in numbered(source.text):
        words = text.split()
        if len(words) < 2:
            continue  # the count, or a blank line
        known = len(words) == 3 and all(word in names["entity"] for word in words[:2]) and words[2] in names["relation"]
        if known:
            head, tail = (names["entity"][word] for word in words[:2])
            rows.append((head, names["relation"][words[2]], tail))
            lines.append(line)
        else:
            problems.add(quote(text), "the numbers of two entities and a relation", line)
    problems.check()
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return Table.from_names(*map(list, columns), lines=np.array(lines, dtype=np.int64))
