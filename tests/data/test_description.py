import numpy as np
import pytest

from mrwtd import Relation, RelationalData
from mrwtd.data.description import COLUMNS, summarize_values


@pytest.fixture
def described(data):
    return data.describe()


@pytest.fixture
def data():
    relations = [
        Relation("likes", "binary", directed=True),
        Relation("meets", "binary", directed=False),
        Relation("trust", "ordinal", directed=True, levels=(1, 2, 5)),
        Relation("calls", "count", directed=True),
        Relation("empty", "real", directed=True),
    ]
    rows = [
        (0, 0, 1, 1), (0, 1, 0, 1), (0, 0, 2, 1), (0, 2, 0, -1), (0, 1, 2, -1),
        (1, 0, 1, 1), (1, 1, 2, -1), (1, 2, 2, 1),
        (2, 0, 1, 0), (2, 1, 2, 2),
        (3, 0, 3, 40), (3, 3, 0, 0),
    ]  # fmt: skip
    k, i, j, y = np.array(rows).T
    return RelationalData(["a", "b", "c", "d"], relations, i, j, k, y)


def test_there_is_one_row_per_relation_with_the_documented_columns(described):
    assert described.index.tolist() == ["likes", "meets", "trust", "calls", "empty"]
    assert described.columns.tolist() == list(COLUMNS)
    assert described["kind"].tolist() == ["binary", "binary", "ordinal", "count", "real"]
    assert described["entries"].tolist() == [5, 3, 2, 2, 0]


def test_density_and_missing_are_fractions_of_possible_pairs(described):
    # 12 ordered pairs of 4 objects; 10 unordered ones with self-pairs, since one is known.
    assert described["density"].tolist() == pytest.approx([3 / 12, 2 / 10, 2 / 12, 1 / 12, 0])
    assert described["missing"].tolist() == pytest.approx([7 / 12, 7 / 10, 10 / 12, 10 / 12, 1])


def test_balance_is_a_fraction_of_the_known_entries(described):
    assert described["balance"].tolist()[:4] == pytest.approx([3 / 5, 2 / 3, 1, 1 / 2])
    assert np.isnan(described.loc["empty", "balance"])


def test_the_range_is_in_the_unit_of_the_values(described):
    assert described["low"].tolist()[:4] == [-1, -1, 1, 0]
    assert described["high"].tolist()[:4] == [1, 1, 5, 40]


def test_symmetry_is_the_fraction_of_pairs_that_agree(described):
    assert described["symmetry"].tolist()[:2] == [0.5, 1.0]
    assert np.isnan(described.loc["trust", "symmetry"])
    assert described.loc["calls", "symmetry"] == 0


def test_the_spread_of_values_means_something_for_every_kind(data):
    assert summarize_values(data) == ["60% ties", "67% ties", "50% are 1", "50% above 0", ""]


@pytest.mark.parametrize(
    ("ties", "words"), [(0, "0%"), (1, "0.1%"), (38, "3.8%"), (500, "50%"), (999, "99.9%"), (1000, "100%")]
)
def test_zero_and_one_hundred_percent_are_exact(ties, words):
    i, j = np.divmod(np.arange(1000), 100)
    y = np.where(np.arange(1000) < ties, 1, -1)
    relation = [Relation("likes", "binary", directed=True)]
    assert summarize_values(RelationalData(map(str, range(100)), relation, i, j, np.zeros(1000, dtype=int), y)) == [
        f"{words} ties"
    ]


def test_the_spread_of_real_values_is_their_mean_and_deviation():
    relation = [Relation("near", "real", directed=True)]
    for unit, words in ((1, "3 ± 1"), (500, "1,500 ± 500"), (1e149, "3e+149 ± 1e+149")):
        assert summarize_values(RelationalData("ab", relation, [0, 1], [1, 0], [0, 0], [2 * unit, 4 * unit])) == [words]
