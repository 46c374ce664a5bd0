"""Two-mode data: one set of objects with a type each, and relations that connect two types."""

import io
import pickle

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError, MrWTD, Relation, RelationalData
from mrwtd.analysis.edges import unknown_pairs
from mrwtd.analysis.missing_as_zero import fill_missing
from mrwtd.analysis.new_objects import KnownRelationship, example_relationships, fold_in_object
from mrwtd.analysis.pair_predictions import count_unknown_pairs, pair_of, predict_pair
from mrwtd.analysis.reliability import assess_reliability
from mrwtd.data.possible_pairs import PossiblePairs
from mrwtd.data.splitting import describe_split
from mrwtd.data.symmetrize import symmetrize
from mrwtd.runs import MethodSpec, execute
from tests.stored_runs import spec_of

ATTENDS = Relation("attends", "binary", True, types=("woman", "event"))
TYPES = ("woman", "woman", "woman", "event", "event")
LIST = "who,what\n" + "".join(f"w{i},e{j}\n" for i in range(4) for j in range(3) if (i + j) % 4)


def file(text: str, name: str) -> io.BytesIO:
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


@pytest.fixture
def data() -> RelationalData:
    return RelationalData(
        ["ann", "bea", "cat", "e1", "e2"], [ATTENDS], [0, 1, 1, 2], [3, 3, 4, 4], [0] * 4, [1, 1, -1, 1],
        object_types=TYPES,
    )  # fmt: skip


def test_only_pairs_of_the_right_types_are_possible():
    pairs = PossiblePairs.of(ATTENDS, TYPES)
    assert pairs.count == 6
    assert pairs.cells().tolist() == [3, 4, 8, 9, 13, 14]
    assert pairs.contains([0, 3, 0, 3], [3, 0, 1, 4]).tolist() == [True, False, False, False]


def test_pairs_within_one_type_are_those_of_its_objects():
    friends = PossiblePairs.of(Relation("friends", "binary", False, types=("woman", "woman")), TYPES)
    assert friends.cells().tolist() == [1, 2, 7]
    assert friends.count == 3
    assert PossiblePairs.of(Relation("likes", "binary", True, types=("event", "event")), TYPES, True).count == 4


def test_sampled_pairs_are_possible_and_not_listed():
    pairs = PossiblePairs.of(ATTENDS, ["woman"] * 40 + ["event"] * 30)
    cells = pairs.sample(np.array([40, 41]), 100, np.random.default_rng(0))
    assert len(set(cells.tolist())) == 100
    assert not {40, 41} & set(cells.tolist())
    assert ((cells // 70 < 40) & (cells % 70 >= 40)).all()


def test_the_data_refuses_pairs_that_cannot_exist():
    with pytest.raises(DataError, match="'e1', of type 'event', as a source"):
        RelationalData(["ann", "e1"], [ATTENDS], [1], [0], [0], [1], object_types=["woman", "event"])
    with pytest.raises(DataError, match="no object of type 'woman'"):
        RelationalData(["ann", "e1"], [ATTENDS], [0], [1], [0], [1])
    with pytest.raises(DataError, match="directed=True"):
        Relation("attends", "binary", False, types=("woman", "event"))


def test_types_survive_parts_pickles_and_files(data):
    assert data.subset([0]).object_types == data.select_relations(["attends"]).object_types == TYPES
    assert pickle.loads(pickle.dumps(data)) == data
    plain = RelationalData(data.objects, [Relation("attends", "binary", True)], data.i, data.j, data.k, data.y)
    assert plain != data
    assert plain.digest() != data.digest()
    for name in ("csv", "parquet", "graphml", "gexf"):
        stream = io.BytesIO()
        mrwtd.write(data, stream, format=name)
        stream.seek(0)
        stream.name = f"data.{name}"
        assert mrwtd.read(stream) == data, name


def test_facts_count_possible_pairs_only(data):
    facts = data.describe().loc["attends"]
    assert facts["density"] == 3 / 6
    assert facts["missing"] == pytest.approx(2 / 6)
    assert np.isnan(facts["reciprocity"])
    assert count_unknown_pairs(data, "attends") == 2
    assert symmetrize(data) is data


def test_zeros_are_filled_in_between_the_types(data):
    filled = fill_missing(data.subset([0, 1]), data.subset([2, 3]))
    assert filled.zeros == filled.missing == 4
    assert filled.false_zeros == 1


@pytest.mark.parametrize("method", ["MrWTD", "Degree", "Common neighbours", "RESCAL"])
def test_candidates_are_possible_pairs(data, method):
    model = mrwtd.make_method(method, rank=2, lam=1.0).fit(data)
    i, j, _, ranked = unknown_pairs(model, data, data.subset([]), top=100)
    assert ranked
    assert set(zip(i.tolist(), j.tolist(), strict=True)) == {(0, 4), (2, 3)}


def test_a_model_keeps_the_types_on_disk(data):
    model = MrWTD(rank=1, lam=1.0).fit(data)
    stream = io.BytesIO()
    model.save(stream)
    again = mrwtd.load_model(io.BytesIO(stream.getvalue()))
    assert again.object_types_ == TYPES
    assert again.rank_pairs("attends").equals(model.rank_pairs("attends"))
    assert len(model.rank_pairs("attends")) == 6


def test_a_new_object_has_the_type_of_its_end(data):
    model = MrWTD(rank=1, lam=1.0).fit(data)
    reliability = assess_reliability(model, data)
    woman = fold_in_object(model, "dora", [KnownRelationship("attends", "e1")])
    table = woman.relationships("attends", reliability)
    assert set(table["source"]) == {"dora"}
    assert set(table["target"]) == {"e1", "e2"}
    event = fold_in_object(model, "e3", [KnownRelationship("attends", "ann", outward=False)])
    assert set(event.relationships("attends", reliability)["source"]) == {"ann", "bea", "cat"}
    assert {item.other for item in example_relationships(data, "attends")} >= {"e1", "e2"}


def test_two_objects_are_predicted_in_the_only_possible_direction(data):
    model = MrWTD(rank=1, lam=1.0).fit(data)
    assert pair_of(data, 0, 3, 0) == pair_of(data, 0, 0, 3) == (0, 3)
    assert pair_of(data, 0, 0, 1) is None
    rows = predict_pair(model, data, data.subset([]), assess_reliability(model, data), 3, 0)
    assert rows[["source", "target"]].to_numpy().tolist() == [["ann", "e1"]]


def test_a_list_is_read_as_two_mode_data_on_request():
    plain = mrwtd.read(file("source,target\n" + LIST.partition("\n")[2], "visits.csv"))
    assert plain.object_types is None
    assert any("two-mode" in note for note in plain.notes) == (len(plain) >= 10)
    data = mrwtd.read(
        file("source,target\n" + LIST.partition("\n")[2], "visits.csv"), two_mode=("person", "place"), absent="negative"
    )
    assert data.relations[0].types == ("person", "place")
    assert len(data) == 12
    assert np.count_nonzero(data.y > 0) == len(plain)


def test_an_object_of_both_types_is_refused():
    with pytest.raises(DataError, match="both as source and as target: 'b'"):
        mrwtd.read(file("source,target\na,b\nb,c\n", "ties.csv"), two_mode=True)


def test_two_mode_data_language():
    text = "dl nr=2 nc=3\nformat = fullmatrix diagonal present\nrow labels: ann bea\ncolumn labels: e1 e2 e3\ndata:\n"
    data = mrwtd.read(file(f"{text}1 0 1\n0 1 0\n", "visits.dl"))
    assert data.objects == ("ann", "bea", "e1", "e2", "e3")
    assert data.object_types == ("row", "row", "column", "column", "column")
    assert data.y.tolist() == [1, -1, 1, -1, 1, -1]
    unlabelled = mrwtd.read(file("dl nr=2 nc=3\ndata:\n1 0 1\n0 1 0\n", "visits.dl"))
    assert unlabelled.objects == ("1 (row)", "2 (row)", "1 (column)", "2 (column)", "3")
    embedded = mrwtd.read(file("dl nr=2 nc=3\nlabels embedded\ndata:\ne1 e2 e3\nann 1 0 1\nbea 0 1 0\n", "visits.dl"))
    assert embedded.objects == data.objects
    assert embedded.y.tolist() == data.y.tolist()


def test_two_mode_matrix():
    data = mrwtd.read(file(",e1,e2,e3\nann,1,0,1\nbea,0,1,\n", "visits.csv"))
    assert data.relations[0].types == ("row", "column")
    assert len(data) == 5
    one = mrwtd.read(file(",e1,e2,e3\nann,1,0,1\nbea,0,1,\n", "visits.csv"), two_mode=False)
    assert one.object_types is None
    assert len(one) == 5


def test_a_common_label_is_an_error():
    with pytest.raises(DataError, match="no common label"):
        mrwtd.read(file(",ann,e2\nann,1,0\nbea,0,1\n", "visits.csv"), format="matrices")


def test_splits_do_not_mention_reverse_pairs(data):
    assert describe_split(data, "entry") == describe_split(data, "pair") == describe_split(data, "auto")
    assert "reverse" not in describe_split(data, "entry")
    mixed = RelationalData(
        data.objects, [ATTENDS, Relation("likes", "binary", True)], [0, 1], [3, 2], [0, 1], [1, 1], object_types=TYPES
    )
    assert describe_split(mixed, "pair").endswith("in both directions.")
    assert "reverse" in describe_split(mixed, "entry")


def test_a_run_keeps_the_types():
    pairs = PossiblePairs.of(ATTENDS, ["woman"] * 12 + ["event"] * 8)
    i, j = np.divmod(pairs.cells(), 20)
    types = ["woman"] * 12 + ["event"] * 8
    names, y = [f"o{position}" for position in range(20)], np.where((i + j) % 2, 1, -1)
    data = RelationalData(names, [ATTENDS], i, j, np.zeros(i.size, dtype=int), y, object_types=types)
    methods = tuple(MethodSpec(name, name, {"rank": 2, "lam": 0.1}) for name in ("MrWTD", "RESCAL", "Degree"))
    run = execute(spec_of(data, methods), data)
    assert all(model.object_types_ == tuple(types) for model in run.models().values())
    ours = run.scores[(run.scores["method"] == "MrWTD") & (run.scores["metric"] == "auprc")]["value"]
    assert ours.item() > 0.95


def test_a_mask_with_impossible_pairs_leaves_the_number_of_represented_pairs():
    """The mask is a square matrix of all objects, which hides everything but women × events, and one tie."""
    ties = "source,target\n" + "".join(f"w{i},e{j}\n" for i in range(5) for j in range(4) if i == j or j == 3)
    options = {"two_mode": ("woman", "event"), "absent": 1}
    names = mrwtd.read(file(ties, "ties.csv")).objects
    observed = {(a, b) for a in names for b in names if a[0] == "w" and b[0] == "e"} - {("w0", "e0")}
    mask = "source,target,value\n" + "".join(f"{a},{b},{int((a, b) in observed)}\n" for a in names for b in names)
    data = mrwtd.read(file(ties, "ties.csv"), mask=file(mask, "mask.csv"), **options)
    assert len(data) == 14  # 7 ties that are not hidden, and as many negatives
    assert data.represents.sum() == 5 * 4 - 1
