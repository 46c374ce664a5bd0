"""Suggestions of what the columns of a list are."""

import pytest

from mrwtd.data.readers.first_rows import first_rows
from mrwtd.data.readers.source import Source


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("1 ann bob 3\n1 bob cat 40\n", "relation source target value"),
        ("ann bob 0.5\nbob cat 2\n", "source target value"),
        ("0\t7\t1\n1\t8\t2\n2\t7\t0\n", "source relation target"),  # numbers between two objects are relations
        ("6,2,4,1289241911\n2,6,-1,1289241912\n2,7,4,1289241919\n", "source target value -"),
        ("wave,ego,alter,closeness\n1,ann,bob,3\n2,bob,cat,5\n", "- source target -"),
        ("person a;person b;closeness\nann;bob;3\nbob;cat;5\n", "source target value"),
    ],
)
def test_columns_are_known_by_name_or_content(text: str, roles: str) -> None:
    rows = first_rows(Source("ties.txt", text.encode()))
    assert [rows.suggested.get(position, "-") for position in range(rows.width)] == roles.split()
