"""Self-pairs: a constant diagonal is left out unless the user wants it."""

import io

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError

MATRIX = np.array([[0, 3, 1], [2, 0, 1], [1, 2, 0]])


def dl(text: str) -> io.BytesIO:
    stream = io.BytesIO(text.encode())
    stream.name = "ranks.dl"
    return stream


def npz(**arrays: np.ndarray) -> io.BytesIO:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    stream.seek(0)
    stream.name = "ranks.npz"
    return stream


RANKS = "dl n=3 format=fullmatrix diagonal present\ndata:\n0 3 1\n2 0 1\n1 2 0\n"
CSV = ",a,b,c\na,0,3,1\nb,2,0,1\nc,1,2,0\n"
PAJEK = "*Vertices 3\n*Matrix\n0 3 1\n2 0 1\n1 2 0\n"


def sources():
    for name, text in (("ranks.csv", CSV), ("ranks.net", PAJEK), ("ranks.dl", RANKS)):
        stream = io.BytesIO(text.encode())
        stream.name = name
        yield stream
    yield npz(ranks=MATRIX)


def test_a_constant_diagonal_is_left_out_in_every_format_with_a_note():
    for source in sources():
        data = mrwtd.read(source)
        assert len(data) == 6, source.name
        assert (data.i != data.j).all()
        assert [note for note in data.notes if "self-pairs are all 0" in note], source.name
        assert data.relations[0].levels == (1, 2, 3), source.name


def test_a_switch_brings_the_diagonal_back():
    for source in sources():
        data = mrwtd.read(source, self_pairs="keep")
        assert len(data) == 9, source.name
        assert not [note for note in data.notes if "self-pairs" in note]


def test_a_diagonal_with_information_stays_unless_it_is_dropped():
    diagonal = MATRIX + np.diag([1, 0, 0])
    assert len(mrwtd.read(npz(ranks=diagonal))) == 9
    assert len(mrwtd.read(npz(ranks=diagonal), self_pairs="drop")) == 6
    both = mrwtd.read(npz(first=diagonal, second=MATRIX))
    assert np.diff(both.bounds).tolist() == [9, 6]


def test_one_self_loop_fills_in_the_others_with_a_note_only():
    text = "source,target\na,b\nb,c\nc,c\n"
    filled = mrwtd.read(io.StringIO(text), absent="negative", directed=True)
    assert len(filled) == 9
    (note,) = [note for note in filled.notes if "self-pair" in note]
    assert "1 self-pair is listed" in note
    assert " 2 " in note
    assert len(mrwtd.read(io.StringIO(text), absent="negative", directed=True, self_pairs="drop")) == 6


def test_files_of_the_package_are_restored_with_their_diagonal():
    data = mrwtd.read(npz(ranks=MATRIX), self_pairs="keep")
    stream = io.BytesIO()
    mrwtd.write(data, stream, format="csv")
    stream.seek(0)
    assert mrwtd.read(stream) == data


def test_other_words_are_refused():
    with pytest.raises(DataError, match="self_pairs"):
        mrwtd.read(dl(RANKS), self_pairs="maybe")


def test_problems_name_the_line_of_the_file_after_rows_are_left_out():
    text = "source,target,value\na,a,0\nb,b,0\na,b,1\nb,a,x\n"
    with pytest.raises(DataError, match="line 5"):
        mrwtd.read(io.StringIO(text))
    text = "source,target,value\na,a,0\nb,b,0\na,b,1\na,b,2\nb,a,1\n"
    with pytest.raises(DataError) as error:
        mrwtd.read(io.StringIO(text))
    assert {problem.line for problem in error.value.problems} & {4, 5}
