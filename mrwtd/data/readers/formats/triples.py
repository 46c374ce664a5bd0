"""RDF as N-Triples or N-Quads: `<subject> <predicate> <object> .`, one per line. Literals are left out, with a note."""

import re
from dataclasses import replace

from ....errors import Problems
from ...table import Table
from ..parsing.columns import Selection, load_plain
from ..parsing.lines import Tie, Ties, numbered, quote
from ..source import Source, register_format

_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:#[^\r\n]*+[\r\n]\s*+)*+(?:<[^>\s]++>|_:\S++)\s++<[^>\s]++>\s++[<\"_]")

_ODD_END = re.compile(r"[/#\n]\n")
_UP_TO_LAST_PART = re.compile(r"^.*[/#]", re.MULTILINE)


def matches(source: Source) -> bool:
    """Whether the file has the extension, or starts with a triple."""
    return source.extension in ("nt", "nq") or _START.match(source.start[:4096]) is not None


@register_format("triples", "RDF triples, one per line (N-Triples .nt, N-Quads .nq)", ("nt", "nq"), matches, order=20)
def read(source: Source) -> Table:
    r"""The triples whose object is a resource. Names are shortened if they stay different.

    >>> read(Source("a.nt", b"<http://x/ann> <http://y#knows> <http://x/bob> .\n")).objects
    ('ann', 'bob')
    """
    table = _plain(source) or _line_by_line(source)
    return replace(table, objects=_short(table.objects), relations=_short(table.relations))


def _plain(source: Source) -> Table | None:
    """The table of a file in which every line has three resources and a full stop; None for other files."""
    columns = load_plain(source, Selection(1, 4, range(4), ends=(0, 2)))
    if columns is None or columns.factorized(3).names != ["."]:
        return None
    predicates = columns.factorized(1)
    if not all(name.startswith("<") for name in predicates.names):
        return None
    return Table.from_factorized(columns.factorized(0), predicates, columns.factorized(2), lines=columns.lines)


def _line_by_line(source: Source) -> Table:
    problems, ties, n_literals = Problems(), Ties(), 0
    for number, line in numbered(source.text):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        words = text.split(None, 2)
        if len(words) < 3 or not text.endswith(".") or not words[1].startswith("<"):
            problems.add(quote(text), "<subject> <predicate> <object> .", number)
        elif words[2].startswith('"'):
            n_literals += 1
        else:
            ties.append(Tie(words[0], words[1], words[2].split()[0].removesuffix("."), line=number))
    problems.check()
    table = ties.table(notes=[f"{n_literals:,} rows with texts or numbers are not used."] if n_literals else [])
    return replace(table, values=None, declared={})


def _short(names: tuple[str, ...]) -> tuple[str, ...]:
    """The last part of each address if all differ, otherwise the addresses."""
    # All names as one text, because a name at a time takes ten times as long.
    text = "\n".join(("", *names, "")).replace("\n<", "\n").replace(">\n", "\n")
    if not names or _ODD_END.search(text):
        plain = [name.removeprefix("<").removesuffix(">") for name in names]
        short = [name.rstrip("/#").rpartition("#")[2].rpartition("/")[2] or name for name in plain]
    else:
        plain, short = text.split("\n")[1:-1], _without_common_start(text).split("\n")[1:-1]
    return tuple(short if len(set(short)) == len(short) else plain)


def _without_common_start(text: str) -> str:
    """The last part of the address in each line; most addresses start alike."""
    first = text[1 : text.index("\n", 1)]
    start = first[: max(first.rfind("/"), first.rfind("#")) + 1]
    text = text.replace(f"\n{start}", "\n") if start else text
    return _UP_TO_LAST_PART.sub("", text) if "/" in text or "#" in text else text
