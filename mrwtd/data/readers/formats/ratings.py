"""Ratings: one row per rating, `user item rating time`, without column names or with names such as userId and movieId.

    196  242  3  881250949            1::1193::5::978300760            userId,movieId,rating,timestamp

Users and items are two types of objects; numbers get their type in front, as in `user 196`. The time is not used.
"""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from ....errors import DataError, Problem
from ...factorized import Factorized
from ...table import Table
from ...two_mode import two_mode_table
from ..parsing.announcements import announcement
from ..parsing.columns import Selection, load
from ..parsing.delimited import records, sniff, try_sniff
from ..parsing.headers import letters
from ..parsing.lines import floats, whole_number
from ..source import Source, register_format
from .contacts import UNIX_TIME

TYPES = ("user", "item")
RELATION = "rating"

SAMPLE = 2_000
"""Number of rows used to recognize ratings."""

MAX_RATING = 10
"""The highest rating, on scales of whole or half numbers from 0."""

MOST_REVERSED = 0.2
"""The largest fraction of rows whose reverse is listed, too: of people who rate each other, it is larger."""

_USERS = ("user", "userid", "reviewerid", "customerid", "customer", "reviewer", "rater")
_ITEMS = (
    "item", "itemid", "movie", "movieid", "book", "bookid", "isbn", "product", "productid", "song", "songid", "artist",
    "artistid", "anime", "animeid", "business", "businessid", "game", "gameid", "joke", "jokeid", "recipe", "recipeid",
    "asin", "title",
)  # fmt: skip
_RATINGS = ("rating", "ratings", "stars", "score", "bookrating", "overall")
_TIMES = ("timestamp", "time", "date", "unixreviewtime")


def matches(source: Source) -> bool:
    """Whether the columns have the names of ratings, or the values: two names, a rating, and seconds since 1970."""
    if not source.is_text:
        return False
    sheet = try_sniff(source)
    if sheet is None or sheet.schema is not None or sheet.width not in (3, 4) or announcement(sheet.comments):
        return False
    named = _has_header(sheet.records[0][1])
    if not named and not (sheet.width == 4 and _is_timed(sheet.records[0][1])):
        return False
    rows = [cells for _, cells in islice(records(sheet.source.head, sheet.separator), SAMPLE)]
    rows = rows[named:-1] or rows[named:]  # the last one can be cut off
    if not rows or any(len(cells) != sheet.width for cells in rows):
        return False
    return _are_ratings([cells[2] for cells in rows], named) and (named or _have_times_and_pairs(rows))


def _has_header(cells: Sequence[str]) -> bool:
    known = (_USERS, _ITEMS, _RATINGS, _TIMES)
    return len(cells) in (3, 4) and all(letters(cell) in names for cell, names in zip(cells, known, strict=False))


def _are_ratings(cells: Sequence[str], named: bool) -> bool:
    """Whether the cells are numbers of a scale; without names, whole or half ones from 0 to 10, and several of them."""
    numbers, wrong = floats(cells)
    if wrong.any() or named:
        return not wrong.any()
    if not 0 <= numbers.min() < numbers.max() <= MAX_RATING:
        return False
    steps = 2 * numbers
    return bool((steps == np.floor(steps)).all())


def _is_timed(cells: Sequence[str]) -> bool:
    """Whether the fourth cell is a time in seconds since 1970."""
    time = whole_number(cells[3]) if len(cells) == 4 else None
    return time is not None and time >= UNIX_TIME


def _have_times_and_pairs(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all rows have a time, and each pair of names is listed once and in one direction."""
    pairs = {(cells[0], cells[1]) for cells in rows}
    n_reversed = sum((b, a) in pairs and a != b for a, b in pairs)
    return all(map(_is_timed, rows)) and len(pairs) == len(rows) and n_reversed <= MOST_REVERSED * len(rows)


@register_format(
    "ratings",
    "one row per rating: user, item, rating and perhaps a time (u.data, ratings.dat, ratings.csv)",
    ("data", "dat", "csv", "tsv", "txt", "gz"),
    matches,
    order=25,
)
def read(source: Source) -> Table:
    r"""The ratings, as ties between users and items.

    >>> table = read(Source("u.data", b"196\t242\t3\t881250949\n186\t196\t5\t891717742\n"))
    >>> table.objects, table.values
    (('user 196', 'user 186', 'item 242', 'item 196'), array([3., 5.]))
    """
    sheet = sniff(source)
    if sheet.width not in (3, 4):
        expected = "3 columns, user, item and rating, or 4 columns with the time"
        raise DataError(Problem(f"{sheet.width} columns", expected, sheet.records[0][0]))
    columns = load(sheet, Selection(sheet.first_line(_has_header), sheet.width, (0, 1), (2,)))
    users, items = columns.names(0, TYPES[0]), columns.names(1, TYPES[1])
    values = columns.numbers(2, RELATION)
    columns.problems.check()
    if not columns.rows:
        raise DataError(Problem("no rows", "at least one rating"))
    if all(map(str.isdecimal, [*users.names, *items.names])):  # both are numbered, often from 1
        users, items = (
            Factorized(column.codes, [f"{kind} {name}" for name in column.names])
            for column, kind in zip((users, items), TYPES, strict=True)
        )
    unused = ", and the time is not used" if sheet.width == 4 else ""
    note = f"The columns are read as user, item and rating{unused}. If both are one set of objects, choose the columns."
    relation = Factorized(np.zeros(columns.rows, dtype=np.int32), [RELATION])
    return two_mode_table(users, relation, items, values, types=TYPES, lines=columns.lines, notes=(note,))
