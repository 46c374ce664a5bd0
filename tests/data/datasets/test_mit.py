import bz2
import contextlib
import io
import mmap
import zipfile

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.io import savemat

import mrwtd
from mrwtd.data.datasets import mit
from mrwtd.data.datasets.archive import open_members
from mrwtd.data.readers.source import MAPPED

NAN = float("nan")
FRIENDS = np.array([[NAN, 1, NAN], [NAN, NAN, NAN], [1, NAN, NAN]])
LAB = np.array([[NAN, 5, NAN], [2, NAN, NAN], [NAN, NAN, NAN]])
OUTLAB = np.array([[NAN, 0, NAN], [NAN, NAN, 1], [NAN, NAN, NAN]])

CSV = {
    "RelationshipsFromSurveys.csv": (
        "id.A,id.B,relationship,survey.date\n"
        "1,2,CloseFriend,2008-09-09\n1,2,CloseFriend,2009-05-18\n2,2,CloseFriend,2008-09-09\n"
        "1,3,SocializeTwicePerWeek,2008-09-09\n2,1,PoliticalDiscussant,2008-09-09\n"
        "3,1,FacebookAllTaggedPhotos,2008-09-09\n84,1,BlogLivejournalTwitter,2008-09-09\n"
    ),
    "Calls.csv": (
        '"user_id","time_stamp","duration","dest_user_id_if_known","dest_phone_hash"\n'
        "1,2008-10-01 10:00:00,60,2,ab\n1,2008-10-01 11:00:00,60,,cd\n1,2008-10-02 10:00:00,6,2,ab\n"
    ),
    "SMS.csv": (
        "user.id,time,incoming,dest.user.id.if.known,dest.phone.hash\n"
        "1,2008-10-01 10:00:00,0,2,ab\n1,2008-10-01 10:00:00,1,3,cd\n1,2008-10-01 10:00:00,1,NA,\xe9f\n"
    ),
    "Proximity.csv": (
        "user.id,remote.user.id.if.known,time,prob2\n2,1,2008-10-01 10:00:00,0.5\n1,2,2008-10-01 10:06:00,\n"
    ),
}


@pytest.fixture
def reality(tmp_path):
    network = {"friends": FRIENDS, "lab": LAB, "outlab": OUTLAB, "sub_sort": [[4, 9, 11]]}
    savemat(tmp_path / "realitymining.mat", {"network": network, "s": {"mac": [1, 2, 3]}})
    return tmp_path


@pytest.fixture
def dormitory(tmp_path):
    for name, text in CSV.items():
        (tmp_path / name).write_text(text, encoding="latin-1")
    return tmp_path


def positives(data):
    frame = data.subset(data.y > 0).to_frame()
    return {tuple(row) for row in frame[["source", "relation", "target"]].itertuples(index=False)}


def zipped(folder, inside="data/"):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"{inside}{path.name}")
    stream.seek(0)
    return stream


def test_reality_mining_reads_the_survey(reality):
    data = mrwtd.load_dataset("reality-mining", folder=reality)
    assert data.objects == ("4", "9", "11")
    assert [relation.name for relation in data.relations] == ["friendship", "in-lab", "out-of-lab"]
    assert len(data) == 3 * 9
    assert positives(data) == {
        ("4", "friendship", "9"),
        ("11", "friendship", "4"),
        ("4", "in-lab", "9"),
        ("9", "in-lab", "4"),
        ("9", "out-of-lab", "11"),
    }


def test_reality_mining_as_in_the_paper(tmp_path):
    empty = np.full((94, 94), NAN)
    savemat(tmp_path / "realitymining.mat", {"network": {"friends": empty, "lab": empty, "outlab": empty}})
    data = mrwtd.load_dataset("reality-mining", folder=tmp_path, symmetric=True)
    assert (data.n_objects, data.n_relations, len(data)) == (94, 3, 13_395)


def test_reality_mining_can_leave_empty_cells_unobserved(reality):
    data = mrwtd.load_dataset("reality-mining", folder=reality, absent="unobserved")
    assert len(data) == 6
    assert np.count_nonzero(data.y < 0) == 1  # the one 0 in the survey


def test_a_missing_matrix_omits_its_relation(tmp_path):
    savemat(tmp_path / "realitymining.mat", {"network": {"friends": FRIENDS, "lab": LAB}})
    data = mrwtd.load_dataset("reality-mining", folder=tmp_path)
    assert [relation.name for relation in data.relations] == ["friendship", "in-lab"]
    assert data.objects == ("1", "2", "3")
    assert any("out-of-lab" in note and "network.outlab" in note for note in data.notes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"s": 1}, "no struct 'network'"),
        ({"network": FRIENDS}, "no struct 'network'"),
        ({"network": {"other": FRIENDS}}, "friends, lab, outlab"),
        ({"network": {"friends": FRIENDS[:2]}}, "square"),
        ({"network": {"friends": "names"}}, "square"),
        ({"network": {"friends": FRIENDS, "lab": np.ones((2, 2))}}, "of the same size"),
    ],
)
def test_other_matlab_files_raise_an_error(tmp_path, content, message):
    savemat(tmp_path / "realitymining.mat", content)
    with pytest.raises(mrwtd.DataError, match=message):
        mrwtd.load_dataset("reality-mining", folder=tmp_path)


@settings(deadline=None)
@given(content=st.binary(max_size=300), cut=st.integers(0, 300))
@example(content=bytes(44), cut=292)
def test_damaged_matlab_files_are_data_errors(content, cut):
    stream = io.BytesIO()
    savemat(stream, {"network": {"friends": FRIENDS}})
    intact = stream.getvalue()
    # Random bytes at the end may be a valid matrix.
    for damaged, refused in (
        (content, pytest.raises(mrwtd.DataError)),
        (intact[:cut], pytest.raises(mrwtd.DataError)),
        (intact[:cut] + content, contextlib.suppress(mrwtd.DataError)),
    ):
        file = io.BytesIO(damaged)
        file.name = "realitymining.mat"
        with refused:
            mrwtd.load_dataset("reality-mining", folder=file)


def test_a_large_file_in_a_zip_stays_out_of_memory(reality):
    packed = zipped(reality)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large/b.mat", bytes(3 * MAPPED))
    large = open_members(packed, ["b.mat"])["b.mat"]
    assert isinstance(large.content, mmap.mmap)
    assert large.data == bytes(3 * MAPPED)
    savemat(reality / "realitymining.mat", {"s": np.zeros(MAPPED // 4), "network": {"friends": FRIENDS}})
    data = mrwtd.load_dataset("reality-mining", folder=zipped(reality))
    assert positives(data) == {("1", "friendship", "2"), ("3", "friendship", "1")}


def test_files_beyond_the_size_limit_raise_an_error_with_advice(reality, monkeypatch):
    monkeypatch.setattr(mit, "MATLAB_LIMIT", 100)
    with pytest.raises(mrwtd.DataError, match=r"more than 100 bytes after decompression; .* unpack it"):
        mrwtd.load_dataset("reality-mining", folder=zipped(reality))
    assert mrwtd.load_dataset("reality-mining", folder=reality).n_relations == 3  # the size on disk does not matter


@pytest.mark.parametrize("name", ["realitymining (1).mat", "RealityMining.mat", "mine.mat"])
def test_the_file_may_have_another_name(reality, name):
    expected = mrwtd.load_dataset("reality-mining", folder=reality)
    path = (reality / "realitymining.mat").rename(reality / name)
    assert mrwtd.load_dataset("reality-mining", folder=path) == expected


def test_names_of_repeated_downloads_are_recognized_in_a_zip(dormitory):
    expected = mrwtd.load_dataset("social-evolution", folder=dormitory)
    (dormitory / "Calls.csv").rename(dormitory / "Calls (2).csv")
    assert mrwtd.load_dataset("social-evolution", folder=zipped(dormitory)) == expected


def test_other_uploaded_files_get_a_message_with_the_expected_files(reality):
    other = io.BytesIO(b"a,b")
    other.name = "ties.csv"
    with pytest.raises(mrwtd.DataError, match=r"^ties.csv: .*expected realitymining.mat, or a zip"):
        mrwtd.load_dataset("reality-mining", folder=other)
    with pytest.raises(mrwtd.DataError, match="expected a zip with Rel"):
        mrwtd.load_dataset("social-evolution", folder=zipped(reality))


def test_social_evolution_reads_eight_relations(dormitory):
    data = mrwtd.load_dataset("social-evolution", folder=dormitory)
    assert (data.n_objects, data.n_relations) == (84, 8)
    assert (data.objects[0], data.objects[-1]) == ("1", "84")
    assert positives(data) == {
        ("1", "CloseFriend", "2"),
        ("1", "SocializeTwicePerWeek", "3"),
        ("2", "PoliticalDiscussant", "1"),
        ("3", "FacebookAllTaggedPhotos", "1"),
        ("84", "BlogLivejournalTwitter", "1"),
        ("1", "calls", "2"),
        ("1", "SMS", "2"),
        ("3", "SMS", "1"),  # incoming for 1, so 3 is the sender
        ("1", "proximity", "2"),
    }
    assert (data.describe()["missing"] == 0).all()
    assert [relation.name for relation in data.relations if not relation.directed] == ["proximity"]
    assert not data.notes


def test_social_evolution_as_in_the_paper(dormitory):
    data = mrwtd.load_dataset("social-evolution", folder=dormitory, symmetric=True)
    assert len(data) == 8 * 84 * 83 // 2
    assert ("1", "SMS", "3") in positives(data)


@pytest.mark.parametrize("lost", CSV)
def test_relations_of_a_missing_file_are_left_out_with_a_note(dormitory, lost):
    (dormitory / lost).unlink()
    data = mrwtd.load_dataset("social-evolution", folder=dormitory)
    assert data.n_relations == (3 if lost.startswith("Relationships") else 7)
    assert any(lost in note for note in data.notes)


def test_a_zip_by_path_by_stream_and_packed_files(dormitory, tmp_path_factory):
    expected = mrwtd.load_dataset("social-evolution", folder=dormitory)
    assert mrwtd.load_dataset("social-evolution", folder=zipped(dormitory)) == expected
    other = tmp_path_factory.mktemp("other")
    (other / "SocialEvolution.zip").write_bytes(zipped(dormitory, "a/b/").getvalue())
    assert mrwtd.load_dataset("social-evolution", folder=other / "SocialEvolution.zip") == expected
    packed = other / "toSend" / "SocialEvolution"
    packed.mkdir(parents=True)
    for path in dormitory.iterdir():
        (packed / f"{path.name}.bz2").write_bytes(bz2.compress(path.read_bytes()))
    assert mrwtd.load_dataset("social-evolution", folder=str(other)) == expected


def test_subjects_become_attributes(dormitory):
    (dormitory / "Subjects.csv").write_text("user_id,year_school,floor\n1,Freshman,f282.4\n2,,\n")
    attributes = mrwtd.load_dataset("social-evolution", folder=dormitory).attributes
    assert attributes.loc["1"].tolist() == ["Freshman", "f282.4"]
    assert attributes.loc[["2", "84"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("Calls.csv", "a,b\n1,2\n", r"Calls.csv, line 1: .*'user.id'"),
        ("Calls.csv", "user_id,dest_user_id_if_known\n1,2\n1,two\n", r"Calls.csv, line 3, .*'two'"),
        ("SMS.csv", "", "SMS.csv"),
        ("SMS.csv", 'user.id,dest.user.id.if.known\n1,"2\n', "SMS.csv"),
        ("Proximity.csv", "\0\1\2", "Proximity.csv: found a binary file"),
    ],
)
def test_bad_tables_name_the_place(dormitory, name, text, message):
    (dormitory / name).write_text(text)
    with pytest.raises(mrwtd.DataError, match=message):
        mrwtd.load_dataset("social-evolution", folder=dormitory)


@settings(deadline=None)
@given(content=st.binary(max_size=60), name=st.sampled_from(sorted(CSV)), header=st.booleans())
def test_damaged_tables_only_raise_data_errors(content, name, header):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("Proximity.csv", CSV["Proximity.csv"])
        if name != "Proximity.csv":
            archive.writestr(name, (CSV[name].splitlines()[0].encode() + b"\n") * header + content)
    with contextlib.suppress(mrwtd.DataError):
        data = mrwtd.load_dataset("social-evolution", folder=stream)
        assert "proximity" in {relation.name for relation in data.relations}


def test_people_outside_the_study_are_omitted_and_counted(dormitory):
    (dormitory / "Calls.csv").write_text("user_id,dest_user_id_if_known\n1,2\n1,900\n0,1\n")
    data = mrwtd.load_dataset("social-evolution", folder=dormitory)
    assert any("2 rows" in note for note in data.notes)
    (dormitory / "Calls.csv").write_text("user_id,dest_user_id_if_known\n1,900\n")
    data = mrwtd.load_dataset("social-evolution", folder=dormitory)
    assert data.n_relations == 7
    assert any(note.startswith("calls: left out") for note in data.notes)


@pytest.mark.parametrize("name", ["reality-mining", "social-evolution"])
def test_a_folder_without_the_files_names_where_to_apply(name, tmp_path):
    with pytest.raises(mrwtd.DataError, match="apply for it at"):
        mrwtd.load_dataset(name, folder=tmp_path)
    with pytest.raises(mrwtd.DataError, match="nowhere"):
        mrwtd.load_dataset(name, folder=tmp_path / "nowhere")
    for nonsense in (io.BytesIO(b"no archive"), 5, "\0", io.StringIO("text")):
        with pytest.raises(mrwtd.DataError):
            mrwtd.load_dataset(name, folder=nonsense)
    with pytest.raises(mrwtd.DataError):
        mrwtd.load_dataset(name, folder=io.BytesIO(zipped(tmp_path).getvalue()[:-5]))
