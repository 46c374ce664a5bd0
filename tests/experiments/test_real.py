import zipfile

import numpy as np
import pytest
from scipy.io import savemat

import mrwtd
from mrwtd.experiments.experiment import EXPERIMENTS


@pytest.fixture
def folder(tmp_path):
    """Files in the format of Reality Mining, with ten invented people."""
    rng = np.random.default_rng(0)
    ties = {name: np.where(rng.random((10, 10)) < 0.3, 1.0, np.nan) for name in ("friends", "lab", "outlab")}
    place = tmp_path / "mit"
    place.mkdir()
    savemat(place / "realitymining.mat", {"network": ties})
    return place


def test_user_data_is_compared_like_kinship_with_the_papers_numbers(folder, tmp_path):
    real = EXPERIMENTS["real"]
    options = real.presets["quick"].change(methods=("Degree",), train=(0.9,), runs=1, folder=str(folder), n_jobs=1)
    outcome = real.run(options, tmp_path)
    assert list(outcome.scores["data"].unique()) == ["Kinship", "Reality Mining"]
    (note,) = outcome.notes[1:]
    assert note.startswith("Not run: Social Evolution (")
    assert "--data" in note
    assert "--data FOLDER" in real.command(options)
    assert str(folder) not in real.command(options)


def test_a_zip_of_the_files_is_read(folder, tmp_path):
    archive = tmp_path / "reality.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(folder / "realitymining.mat", "deep/RealityMining.mat")
    real = EXPERIMENTS["real"]
    cases = real.cases(real.presets["quick"].change(folder=str(archive)))
    assert [case.name for case in cases] == ["Kinship", "Reality Mining"]
    assert cases[1].load().n_objects == 10


def test_the_rank_experiment_only_needs_social_evolution(folder):
    rank = EXPERIMENTS["rank"]
    with pytest.raises(mrwtd.DataError, match="RelationshipsFromSurveys"):
        rank.cases(rank.presets["quick"].change(folder=str(folder)))
    assert [case.name for case in rank.cases(rank.presets["quick"])] == ["Kinship", "AUCS"]


@pytest.mark.parametrize("place", ["no such folder", "."])
def test_a_folder_without_the_files_is_refused(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    real = EXPERIMENTS["real"]
    with pytest.raises(mrwtd.DataError, match=r"realitymining\.mat"):
        real.run(real.presets["quick"].change(folder=place), tmp_path)


def test_kinship_is_prepared_as_in_the_paper():
    (kinship,) = EXPERIMENTS["real"].default_cases
    data = kinship.load()
    assert (data.n_objects, data.n_relations, len(data)) == (104, 23, 125_580)
    assert not any(relation.directed for relation in data.relations)
