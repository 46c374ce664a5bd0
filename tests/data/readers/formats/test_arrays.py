import io
import zipfile
import zlib

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import Source, read_table
from mrwtd.data.readers.formats import arrays

ADVICE = np.array([[0, 1, 0], [np.nan, 0, 1], [0, 1, 0]])
CALLS = np.array([[0, 12, 3], [5, 0, 9], [40, 0, 0]])


def saved(save, name, *arguments, **named):
    file = io.BytesIO()
    save(file, *arguments, **named)
    return Source(name, file.getvalue())


def mat(**variables):
    return saved(savemat, "data.mat", variables)


def npz(**arrays):
    return saved(np.savez_compressed, "data.npz", **arrays)


def value(table, source, relation, target):
    i, j = table.objects.index(source), table.objects.index(target)
    mask = (table.i == i) & (table.j == j) & (table.k == table.relations.index(relation))
    (result,) = table.values[mask]
    return result


@pytest.mark.parametrize("save", [mat, npz])
@pytest.mark.parametrize("axis", [0, 2])
def test_a_tensor_has_its_relations_in_the_first_or_last_dimension(save, axis):
    source = save(T=np.stack([ADVICE, CALLS], axis=axis), objects=np.array(["ann", "bob", "cat"]))
    table = arrays.read(source)
    assert table.objects == ("ann", "bob", "cat")
    assert table.relations == ("relation 1", "relation 2")
    assert value(table, "cat", "relation 2", "ann") == 40
    assert value(table, "ann", "relation 1", "bob") == 1
    assert np.isnan(value(table, "bob", "relation 1", "ann"))


@pytest.mark.parametrize("save", [mat, npz])
def test_matrices_are_relations_by_their_names(save):
    table = arrays.read(save(advice=ADVICE, calls=CALLS))
    assert sorted(table.relations) == ["advice", "calls"]
    assert table.objects == ("1", "2", "3")
    assert value(table, "1", "calls", "2") == 12


def test_nan_is_unobserved_even_in_a_closed_world(tmp_path):
    path = tmp_path / "advice.npy"
    np.save(path, ADVICE)
    data = mrwtd.read(path, absent="negative", self_pairs="keep")
    assert [relation.name for relation in data.relations] == ["advice"]
    assert len(data) == 8


def test_cells_of_text_name_objects_and_relations():
    names = np.array(["ann", "bob", "Émile"], dtype=object)
    source = mat(T=np.stack([ADVICE, CALLS], axis=2), names=names, relation_names=np.array(["a", "b"], dtype=object))
    table = arrays.read(source)
    assert table.objects == ("ann", "bob", "Émile")
    assert table.relations == ("a", "b")


def test_rows_of_text_lose_their_padding():
    assert arrays.read(mat(A=ADVICE, people=np.array(["al", "barbara", "cy"]))).objects == ("al", "barbara", "cy")


def test_weights_of_the_shape_of_the_tensor():
    tensor = np.stack([ADVICE, CALLS], axis=2)
    table = arrays.read(npz(Y=tensor, weights=np.full(tensor.shape, 0.25)))
    assert table.relations == ("relation 1", "relation 2")
    assert (table.weights == 0.25).all()


def test_a_sparse_matrix_has_its_stored_cells():
    table = arrays.read(mat(calls=sparse.csc_array(np.nan_to_num(CALLS).astype(float))))
    assert len(table.i) == 5
    assert value(table, "3", "calls", "1") == 40


def test_a_sparse_matrix_with_entries_outside():
    content = mat(calls=sparse.csc_array(CALLS.astype(float))).data
    rows, wrong = (np.array([1, row, 0, 0, 1], dtype="<i4").tobytes() for row in (2, 200))
    assert rows in content
    with pytest.raises(DataError, match="outside"):
        arrays.read(Source("data.mat", content.replace(rows, wrong)))


def test_structures_and_vectors_are_left_out_with_a_note():
    table = arrays.read(mat(calls=CALLS, settings={"a": {"b": 1}}, age=np.array([30, 40, 50]), n=3))
    assert table.relations == ("calls",)
    assert "'settings'" in table.notes[0]
    assert "'age'" in table.notes[0]


def test_three_equal_dimensions_are_noted():
    table = arrays.read(npz(T=np.zeros((3, 3, 3))))
    assert any("three dimensions are equal" in note for note in table.notes)


def test_integers_and_booleans_are_numbers():
    assert arrays.read(npz(a=np.eye(3, dtype=bool), b=np.eye(3, dtype=np.uint8))).values.dtype == np.float64


def test_an_array_without_a_file_name_is_detected_by_content(tmp_path):
    path = tmp_path / "unknown"
    with path.open("wb") as file:
        np.save(file, ADVICE)
    assert read_table(path).format == "arrays"


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"a": np.zeros((3, 4))}, "3 × 4"),
        ({"a": np.zeros((3, 3)), "b": np.zeros((4, 4))}, "expected 3 × 3, as in the first"),
        ({"a": np.zeros((3, 4, 5))}, "n × n × m or m × n × n"),
        ({"a": np.zeros((3, 3, 2)), "b": np.zeros((3, 3, 2))}, "one array of three dimensions"),
        ({"a": np.zeros((3, 3, 2)), "w": np.ones((3, 3, 1))}, "weights of shape 3 × 3 × 1"),
        ({"a": np.zeros(5)}, "an n × n × m array"),
        ({"a": np.ones((3, 3)) * 1j}, "complex128"),
        ({"a": np.zeros((3, 3)), "objects": np.array(["x", "y"])}, "2 names; expected 3"),
        ({"a": np.zeros((3, 3)), "objects": np.array(["x", "y", "x"])}, "'x' twice"),
    ],
)
def test_arrays_with_incompatible_shapes_raise_an_error(named, message):
    with pytest.raises(DataError, match=message):
        arrays.read(npz(**named))


def test_several_wrong_matrices_are_listed_at_once():
    with pytest.raises(DataError) as caught:
        arrays.read(npz(a=np.zeros((3, 4)), b=np.zeros((5, 4)), c=np.zeros((3, 3))))
    assert caught.value.total == 2


def test_a_pickle_is_never_loaded():
    class Explodes:
        def __reduce__(self):
            return exec, ("raise SystemExit",)

    source = saved(np.savez, "data.npz", a=np.array([Explodes()], dtype=object))
    with pytest.raises(DataError, match="pickled"):
        arrays.read(source)


def test_an_array_shorter_than_its_header_raises_an_error():
    data = npy_header((100_000, 100_000)) + b"\0" * 64
    with pytest.raises(DataError, match="64 bytes"):
        arrays.read(Source("a.npy", data))


def npy_header(shape):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def test_a_zip_of_zeros_raises_an_error():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        header = npy_header((8_000, 8_000)).replace(b"<f8", b"|b1")
        archive.writestr("a.npy", header + b"\0" * 64_000_000)
    assert len(file.getvalue()) < 100_000
    with pytest.raises(DataError, match="64,000,000 cells"):
        arrays.read(Source("a.npz", file.getvalue()))


def test_a_compressed_variable_expands_within_the_limit():
    file = saved(savemat, "a.mat", {"a": np.zeros((300, 300))}, do_compression=True)
    assert arrays.read(file).values.size == 90_000
    with pytest.raises(DataError, match="more than 10,000 bytes"):
        arrays.read(Source("a.mat", file.data, limit=10_000))


def test_deeply_nested_cells_do_not_crash():
    depth = 100_000
    cell = np.array([6, 8, 1, 0, 5, 8, 1, 1, 1, 0], dtype="<u4").tobytes()
    sizes = np.arange(depth, 0, -1, dtype="<u4") * (len(cell) + 8) - 8
    nested = b"".join(np.array([14, size], dtype="<u4").tobytes() + cell for size in sizes[:-1])
    # Nested cells are omitted at any depth, and nothing remains.
    with pytest.raises(DataError, match="no arrays"):
        arrays.read(
            Source("a.mat", mat(a=1).data[:128] + nested + np.array([14, len(cell)], dtype="<u4").tobytes() + cell)
        )


@pytest.mark.parametrize("keep", [100, 130, 150, 170])
def test_a_truncated_file(keep):
    with pytest.raises(DataError):
        arrays.read(Source("a.mat", mat(a=CALLS).data[:keep]))


def test_a_matlab_7_3_file_raises_an_error():
    with pytest.raises(DataError, match=r"-v7"):
        arrays.read(Source("a.mat", b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n"))


def test_a_damaged_compressed_variable():
    data = saved(savemat, "a.mat", {"a": CALLS}, do_compression=True).data
    assert zlib.decompress(data[136:])
    with pytest.raises(DataError, match="damaged"):
        arrays.read(Source("a.mat", data[:150] + b"\xff\xff" + data[152:]))


def test_an_array_of_negative_size_raises_an_error():
    with pytest.raises(DataError, match="shape"):
        read_table(io.BytesIO(npy_header((-3, -3)) + bytes(72)))
