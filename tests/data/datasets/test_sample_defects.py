"""The defects listed in sample_data/README.md are those of the files."""

import re
from itertools import combinations

import pytest

import mrwtd
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.data.location import site_folder

README = (site_folder() / "sample_data" / "README.md").read_text(encoding="utf-8")
DEFECTS = README.split("## Known defects\n")[1].split("\n## ")[0]
DIRECTED = ("kinship", "nations", "umls", "monastery", "bankwiring", "airports")


def ties(name):
    """The ties of each directed relation between different objects, as pairs of names."""
    data = mrwtd.load_dataset(name)
    pairs = {relation.name: set() for relation in data.relations if relation.directed}
    for row in data.to_frame().itertuples():
        if row.relation in pairs and row.value > 0 and row.source != row.target:
            pairs[row.relation].add((row.source, row.target))
    return pairs


def paragraph(heading):
    return DEFECTS.split(f"**{heading}.**")[1].split("\n\n**")[0]


def table_row(name):
    (row,) = re.findall(rf"^\| {name} \|(.*)\|$", DEFECTS, re.MULTILINE)
    return row


@pytest.mark.parametrize("name", DIRECTED)
def test_mutual_relations_are_those_that_the_table_lists(name):
    relations, mutual, listed = (cell.strip() for cell in table_row(name).split("|"))
    counted = {
        relation: (sum((b, a) in pairs for a, b in pairs), len(pairs))
        for relation, pairs in ties(name).items()
        if pairs
    }
    counted = {relation: pair for relation, pair in counted.items() if 5 * pair[0] >= 4 * pair[1]}
    info = {relation: (int(a), int(b)) for relation, a, b in re.findall(r"`([^`]+)` (\d+)/(\d+)", listed)}
    assert info == counted
    assert int(mutual) == len(info)
    assert int(relations) == len(ties(name))


def test_samples_that_the_table_leaves_out_have_no_directed_relation():
    for name in {
        path.name.removesuffix(".objects.csv") for path in (site_folder() / "sample_data").glob("*.objects.csv")
    }:
        assert (name in DIRECTED) == bool(ties(name))


@pytest.mark.parametrize("way", ["same direction", "reversed"])
def test_relations_that_repeat_each_other_are_those_that_the_table_lists(way):
    info = set(re.findall(r"`([^`]+)` = `([^`]+)`", table_row(way)))
    for name in DIRECTED:
        pairs = ties(name)
        repeated = set()
        for first, second in combinations(sorted(pairs), 2):
            compared = pairs[second] if way == "same direction" else {(b, a) for a, b in pairs[second]}
            common = len(pairs[first] & compared)
            if common and 5 * common >= 4 * max(len(pairs[first]), len(compared)):
                repeated.add((first, second))
        assert repeated == (info if name == "nations" else set()), name


def test_unknown_pairs_of_nations_add_up_and_could_all_be_negatives():
    counts = {
        name: int(count)
        for name, count in re.findall(r"`(\w+)` (\d+)", paragraph("Unknown pairs that count as negative"))
    }
    pairs = ties("nations")
    assert sum(counts.values()) == 424
    assert 424 + 11 == 435
    assert set(counts) <= set(pairs)
    for relation, count in counts.items():
        assert count <= 14 * 13 - len(pairs[relation])
    assert sum(14 * 13 - len(listed) for listed in pairs.values()) == 8_018
    assert "exports" not in pairs


def test_kinship_terms_exclude_each_other_and_no_sample_has_a_tie_of_an_object_with_itself():
    pairs = ties("kinship")
    assert sum(map(len, pairs.values())) == len(set().union(*pairs.values())) == 10_678
    assert 104 * 103 == 10_712
    for name in ("kinship", "nations", "umls"):
        data = mrwtd.load_dataset(name)
        itself = data.i == data.j
        assert itself.sum() == (2_392 if name == "kinship" else 0)
        assert not (data.y[itself] > 0).any()


def test_relations_with_few_ties_are_counted():
    info = {name: int(count) for name, count in re.findall(r"`([\w-]+)` (\d+)", paragraph("Few ties"))}
    counts = {
        relation: len(listed)
        for name in ("nations", "umls")
        for relation, listed in ties(name).items()
        if len(listed) < 5
    }
    assert info == counts


@pytest.mark.parametrize("name", mrwtd.list_datasets())
def test_caveats_agree_with_the_readme(name):
    caveat = dataset_info(name).caveat
    assert bool(caveat) == (name in ("kinship", "nations", "umls", "airports"))
    for number in re.findall(r"\d[\d,]*(?!%)\b", caveat.replace("80%", "")):
        assert number in README or number.replace(",", "") in README
