"""Ratings: user, item, rating and time, as recommender systems publish them."""

import io

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import detect_format
from mrwtd.data.readers.read import read_first_rows

MILLENNIUM = 946_684_800


def ratings(separator="\t", header="", n=600, seed=0):
    """A look-alike of a published list: users and items are both numbered from 1."""
    rng = np.random.default_rng(seed)
    pairs = sorted({(int(user), int(item)) for user, item in rng.integers(1, [60, 90], size=(n, 2))}, key=hash)
    times = rng.integers(MILLENNIUM, MILLENNIUM + 10**8, len(pairs))
    rows = [(*pair, int(rng.integers(1, 6)), int(time)) for pair, time in zip(pairs, times, strict=True)]
    return header + "".join(separator.join(map(str, row)) + "\n" for row in rows), rows


def file(text, name):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


@pytest.mark.parametrize(
    ("name", "separator", "header"),
    [
        ("u.data", "\t", ""),
        ("ratings.dat", "::", ""),
        ("ratings.csv", ",", "userId,movieId,rating,timestamp\n"),
        ("ratings.txt", " ", ""),
    ],
)
def test_users_and_items_are_two_types_and_ratings_ordinal(name, separator, header):
    text, rows = ratings(separator, header)
    assert detect_format(file(text, name)) == "ratings"
    data = mrwtd.read(file(text, name))
    (relation,) = data.relations
    assert (relation.name, relation.kind, relation.levels) == ("rating", "ordinal", (1, 2, 3, 4, 5))
    assert relation.types == ("user", "item")
    assert len(data) == len(rows)
    assert data.n_objects == len({user for user, *_ in rows}) + len({item for _, item, *_ in rows})
    values = dict(zip(zip(data.i.tolist(), data.j.tolist(), strict=True), data.original_values(0), strict=True))
    user, item, rating, _ = rows[7]
    assert values[tuple(map(data.objects.index, (f"user {user}", f"item {item}")))] == rating
    assert any("time is not used" in note for note in data.notes)


def test_half_stars_and_names_of_items():
    text = "reviewerID,asin,overall\nann,B001,4.5\nbob,B001,3\nann,B002,0.5\n"
    data = mrwtd.read(file(text, "books.csv"))
    assert data.objects == ("ann", "bob", "B001", "B002")
    assert [(relation.kind, relation.types) for relation in data.relations] == [("real", ("user", "item"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # people who rate each other, from −10 to 10
        ("6,2,4,1289241911\n6,5,-2,1289241941\n2,6,5,1289243140\n", "matrices"),
        ("".join(f"{a},{b},{3 + (a < b)},1289241911\n" for a in range(5) for b in range(5) if a != b), "matrices"),
        # no times, one value, a pair twice, layers of a network
        ("1 2 3 4\n2 3 4 5\n3 4 5 6\n", "long"),
        ("1 2 5 881250949\n1 3 5 881250950\n", "matrices"),
        ("1 2 5 881250949\n1 2 4 881250950\n", "matrices"),
        # contacts, with the time first
        ("1240913019\t78\t77\n1240913019\t78\t96\n1240913039\t77\t96\n", "contacts"),
        ("31220 1558 1567 3B 3A\n31220 1567 1560 3A 3B\n31240 1558 1567 3B 3A\n", "contacts"),
    ],
)
def test_other_lists_are_no_ratings(text, expected):
    assert detect_format(file(text, "list.txt")) == expected


def test_the_suggested_columns_of_ratings_leave_out_the_time():
    text, _ = ratings()
    assert read_first_rows(file(text, "u.data")).suggested == {0: "source", 1: "target", 2: "value"}
    times = "1 2 1082040961\n2 3 1082155839\n3 1 1082414391\n"
    assert read_first_rows(file(times, "messages.txt")).suggested == {0: "source", 1: "target", 2: "time"}


def test_the_last_row_can_be_cut_off():
    text, _ = ratings()
    data = mrwtd.read(file(text[: text.rindex("\t") + 3], "u.data"))
    assert set(data.objects) == set(mrwtd.read(file(text, "u.data")).objects)


def test_large_numbers_are_no_ratings():
    assert (
        detect_format(file("a\tb\t1e308\t881250949\nb\tc\t1\t881250949\nc\td\t2\t881250949\n", "u.data")) != "ratings"
    )


def test_problems_have_lines():
    text, _ = ratings("::")
    with pytest.raises(DataError) as caught:
        mrwtd.read(file(text + "7::8::five::978300760\n7::9\n", "ratings.dat"), format="ratings")
    assert {problem.line for problem in caught.value.problems} == {text.count("\n") + 2, text.count("\n") + 1}


def test_names_with_colons_are_no_columns():
    assert mrwtd.read(file("a::b,likes,c::d\nc::d,likes,a::b\n", "ties.csv")).objects == ("a::b", "c::d")
