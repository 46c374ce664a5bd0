import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.data import location
from mrwtd.data.datasets.samples import GENERATORS, dataset_info

FOLDER = location.site_folder() / "sample_data"
FILES = sorted(path.name.removesuffix(".objects.csv") for path in FOLDER.glob("*.objects.csv"))
HERE = [name for name in mrwtd.list_datasets() if not dataset_info(name).needs_folder]

POSITIVES = {
    "kinship": 10_678,
    "nations": 1_992,
    "umls": 6_529,
    "aucs": 620,
    "florentine": 35,
}


def test_samples_are_in_the_documented_order():
    names = mrwtd.list_datasets()
    assert names[:6] == ["kinship", "monastery", "bankwiring", "aucs", "nations", "airports"]
    assert names[6:8] == ["synth-binary", "synth-mixed"]
    assert {"umls", "florentine", "reality-mining", "social-evolution"} <= set(names)


def test_every_file_is_listed_and_every_listed_set_has_a_source():
    assert sorted(set(mrwtd.list_datasets()) - set(GENERATORS)) == FILES
    assert set(GENERATORS) <= set(mrwtd.list_datasets())


def test_files_are_small_and_explained():
    explained = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(path.stat().st_size < 500_000 for path in FOLDER.iterdir())
    assert all(f"**{name}**" in explained or f"**{name}.**" in explained for name in mrwtd.list_datasets())


@pytest.mark.parametrize("name", mrwtd.list_datasets())
def test_dataset_info_has_the_texts_of_a_card(name):
    info = dataset_info(name)
    assert info.title
    assert info.question.endswith("?")
    assert any(character.isdigit() for character in info.citation)
    assert "symmetric" in info.options


@pytest.mark.parametrize("name", HERE)
def test_the_size_is_correct_and_nothing_is_missing(name):
    info, data = dataset_info(name), mrwtd.load_dataset(name)
    assert (data.n_objects, data.n_relations, len(data)) == (info.n_objects, info.n_relations, info.n_entries)
    assert (data.describe()["missing"] == 0).all()
    assert data == mrwtd.load_dataset(name)


@pytest.mark.parametrize("name", HERE)
def test_symmetric_is_undirected_and_loses_no_pair(name):
    data, both = mrwtd.load_dataset(name), mrwtd.load_dataset(name, symmetric=True)
    assert not any(relation.directed for relation in both.relations)
    assert both.objects == data.objects
    assert (both.describe()["missing"] == 0).all()


@pytest.mark.parametrize(("name", "positives"), POSITIVES.items())
def test_positives_of_the_binary_sets(name, positives):
    data = mrwtd.load_dataset(name)
    assert {relation.kind for relation in data.relations} == {"binary"}
    assert np.count_nonzero(data.y > 0) == positives


def test_kinship_is_the_tensor_of_the_paper():
    data = mrwtd.load_dataset("kinship", symmetric=True)
    assert len(data) == 125_580
    assert np.count_nonzero(data.y > 0) == 9_250
    assert [relation.name for relation in data.relations] == [f"term{number}" for number in range(23)]


def test_misspelled_relations_of_nations_are_fixed():
    names = {relation.name for relation in mrwtd.load_dataset("nations").relations}
    assert {"emigrants", "protests"} <= names
    assert not {"eemigrants", "pprotests"} & names


def test_monastery_has_the_absent_as_its_lowest_level():
    data = mrwtd.load_dataset("monastery")
    assert {(r.kind, r.directed, r.levels) for r in data.relations} == {("ordinal", True, (0.0, 1.0, 2.0, 3.0))}
    assert np.count_nonzero(data.y) == 510
    frame = data.to_frame().set_index(["source", "relation", "target"])["value"]
    assert frame["BONAVEN_5", "like1", "ROMUL_10"] == 3
    assert frame["ROMUL_10", "like1", "BONAVEN_5"] == 0


def test_bankwiring_mixes_kinds_and_directions():
    relations = mrwtd.load_dataset("bankwiring").relations
    assert sorted(relation.kind for relation in relations) == ["binary"] * 5 + ["count"]
    assert [relation.name for relation in relations if relation.directed] == ["help", "job_trading"]


def test_aucs_has_groups_and_roles():
    attributes = mrwtd.load_dataset("aucs").attributes
    assert attributes.loc["U1"].tolist() == ["G1", "Associate"]
    assert pd.isna(attributes.loc["U71"]).all()


def test_florentine_is_in_alphabetical_order():
    data = mrwtd.load_dataset("florentine")
    assert list(data.objects) == sorted(data.objects)
    assert [(r.name, int((data.y[data.slice(k)] > 0).sum())) for k, r in enumerate(data.relations)] == [
        ("business", 15),
        ("marriage", 20),
    ]


def test_airports_agree_with_an_atlas():
    data = mrwtd.load_dataset("airports")
    kinds = {relation.name: (relation.kind, relation.directed) for relation in data.relations}
    assert kinds == {"flights": ("count", True), "distance (km)": ("real", False), "same_state": ("binary", False)}
    value = data.to_frame().set_index(["relation", "source", "target"])["value"]
    assert value["distance (km)", "ATL", "LAX"] == pytest.approx(3_130, rel=0.01)
    assert value["distance (km)", "HNL", "JFK"] == pytest.approx(8_010, rel=0.01)
    assert value["same_state", "LAX", "SFO"] == 1
    assert value["same_state", "JFK", "LAX"] == -1
    assert value["flights", "LAX", "SFO"] > 10_000
    assert {"state", "latitude", "longitude"} <= set(data.attributes.columns)


@pytest.mark.parametrize("name", FILES)
def test_reading_the_file_gives_the_ties_of_the_sample(name):
    data = mrwtd.load_dataset(name)
    kinds = {relation.name: relation.kind for relation in data.relations}
    directed = {relation.name: relation.directed for relation in data.relations}
    read = mrwtd.read(FOLDER / f"{name}.csv", kinds=kinds, directed=directed)
    ties = data.subset(data.y > 0)
    assert _ties(read) == _ties(ties)


def _ties(data):
    """Ties as a set: files list objects in another order, so undirected ties may be reversed."""
    directed = {relation.name: relation.directed for relation in data.relations}
    rows = data.to_frame()[["source", "relation", "target", "value"]].astype({"source": "str", "target": "str"})
    return {
        (relation, *((source, target) if directed[relation] else sorted((source, target))), value)
        for source, relation, target, value in rows.itertuples(index=False)
    }


STANDARD = {
    "kinship": (25, 8_544, 1_068, 1_074),
    "umls": (46, 5_216, 652, 661),
    "nations": (55, 1_592, 199, 201),
}


@pytest.mark.parametrize("name", STANDARD)
def test_the_standard_form_has_the_published_parts_and_all_other_pairs(name):
    relations, *ties = STANDARD[name]
    data = mrwtd.load_dataset(name, form="standard")
    train, test, valid = data.published_split()
    assert [int((part.y > 0).sum()) for part in (train, valid, test)] == ties
    assert (test.y > 0).all()
    assert (valid.y > 0).all()
    assert data.n_relations == relations
    assert len(data) == data.n_objects**2 * relations
    assert not (data.y[data.i == data.j] > 0).any()
    assert data.objects == mrwtd.load_dataset(name).objects


def test_the_standard_form_has_the_ties_of_the_sample_and_of_relations_that_it_leaves_out():
    sample, standard = mrwtd.load_dataset("kinship"), mrwtd.load_dataset("kinship", form="standard")
    ties = _ties(standard.subset(standard.y > 0))
    assert ties > _ties(sample.subset(sample.y > 0))
    assert {relation for relation, *_ in ties} - {r.name for r in sample.relations} == {"term24", "term25"}
    assert [r.name for r in standard.relations][:23] == [r.name for r in sample.relations]
    assert mrwtd.load_dataset("kinship", form="sample") == sample


def test_other_samples_have_no_standard_form():
    with pytest.raises(mrwtd.DataError, match="form"):
        mrwtd.load_dataset("aucs", form="standard")
    with pytest.raises(mrwtd.DataError, match="standard"):
        mrwtd.load_dataset("umls", form="public")


def test_wrong_names_and_options_list_the_choices():
    with pytest.raises(mrwtd.DataError, match=r"data set 'kinships'.*kinship, monastery"):
        mrwtd.load_dataset("kinships")
    with pytest.raises(mrwtd.DataError, match=r"option 'rank' for 'kinship'.*symmetric"):
        mrwtd.load_dataset("kinship", rank=3)
    with pytest.raises(mrwtd.DataError, match="n_objects"):
        mrwtd.load_dataset("synth-binary", objects=3)
    with pytest.raises(mrwtd.DataError, match="True or False"):
        mrwtd.load_dataset("kinship", symmetric="yes")


@pytest.mark.parametrize("name", [name for name in mrwtd.list_datasets() if dataset_info(name).needs_folder])
def test_data_sets_that_are_not_included_name_where_to_apply(name):
    with pytest.raises(mrwtd.DataError, match=r"realitycommons\.media\.mit\.edu/\w+\.html"):
        mrwtd.load_dataset(name)


def test_an_installed_package_has_a_site_folder(tmp_path, monkeypatch):
    module = tmp_path / "mrwtd" / "data" / "location.py"
    monkeypatch.setattr(location, "__file__", str(module))
    assert location.site_folder.__wrapped__() == tmp_path
    (tmp_path / "mrwtd" / "site").mkdir(parents=True)
    assert location.site_folder.__wrapped__() == tmp_path / "mrwtd" / "site"
