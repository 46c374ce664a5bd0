"""The table of relations of an upload: menus that set a column for all relations."""

from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.pages.data.data_texts import SAMPLED, SAMPLED_PER_TIE
from tests.dashboard.pages.data_page import (
    GOOD,
    menu_labelled,
    open_data,
    schema,
    stored_data,
    stored_info,
    upload,
    use,
)


def _uploaded() -> AppTest:
    return upload(open_data(), ("ties.csv", GOOD.encode()))


def test_a_menu_sets_a_column_for_all_relations() -> None:
    app = menu_labelled(_uploaded(), "Unlisted pairs").select("no tie, or 0").run()
    assert schema(app)["absent"].tolist() == ["no tie, or 0", "no tie, or 0"]
    app = menu_labelled(app, "Direction").select(False).run()
    assert stored_info(use(app))["how"] == {"directed": {"likes": False, "calls": False}, "absent": "negative"}


def test_the_menu_is_empty_if_relations_differ_and_clearing_it_restores_the_guesses() -> None:
    app = _uploaded()
    assert menu_labelled(app, "Kind").value is None  # binary and count
    app = menu_labelled(app, "Kind").select("real").run()
    assert schema(app)["kind"].tolist() == ["real", "real"]
    assert menu_labelled(app, "Kind").value == "real"
    app = menu_labelled(app, "Kind").select(None).run()
    assert schema(app)["kind"].tolist() == ["binary", "count"]


def test_the_number_of_sampled_pairs_per_tie_can_be_changed() -> None:
    app = _uploaded()
    assert not app.number_input
    app = menu_labelled(app, "Unlisted pairs").select(SAMPLED).run()
    (number,) = [field for field in app.number_input if field.label == SAMPLED_PER_TIE]
    assert number.value == 5
    app = use(number.set_value(2).run())
    assert stored_info(app)["how"] == {"absent": 2}
    # Two sampled pairs for the tie of each relation, and the three listed entries.
    assert len(stored_data(app)) == 3 + 2 * 2


VISITS = "source,target,value\n" + "".join(f"w{i},e{j},{(i * j) % 2}\n" for i in range(4) for j in range(3))
MATRIX = ",ann,bob,cat\nann,1,1,0\nbob,0,1,1\ncat,1,0,1\n"


def test_the_menu_of_objects_reads_a_list_as_two_mode_data() -> None:
    app = upload(open_data(), ("visits.csv", VISITS.encode()))
    assert menu_labelled(app, "Objects").value == "auto"
    app = use(menu_labelled(app, "Objects").select("yes").run())
    assert stored_info(app)["how"]["two_mode"] is True
    assert stored_data(app).relations[0].types == ("source", "target")


def test_the_menu_of_objects_reads_a_matrix_as_one_type() -> None:
    app = upload(open_data(), ("visits.csv", b",e1,e2,e3\nann,1,0,1\nbea,0,1,1\n"))
    app = use(menu_labelled(app, "Objects").select("no").run())
    assert stored_info(app)["how"]["two_mode"] is False
    assert stored_data(app).object_types is None


def test_the_menu_of_self_pairs_brings_a_diagonal_back() -> None:
    app = upload(open_data(), ("likes.csv", MATRIX.encode()))
    assert menu_labelled(app, "Self-pairs").value == "auto"
    app = use(menu_labelled(app, "Self-pairs").select("keep").run())
    assert stored_info(app)["how"] == {"self_pairs": "keep"}
    assert len(stored_data(app)) == 9
