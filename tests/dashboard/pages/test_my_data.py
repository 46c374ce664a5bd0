"""Uploaded data sets: their names, their list, and the data sets of MIT; without a browser."""

import io
import zipfile

from mrwtd.dashboard.state import keys, user_datasets
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.pages.data_page import (
    GOOD,
    PAGE,
    SAMPLES,
    can_use,
    captions,
    choose_sample,
    chosen_data,
    menu,
    menu_labelled,
    open_data,
    query_params,
    stored_info,
    unescaped,
    upload,
    use,
)
from tests.dashboard.pages.opening import TOP


def test_other_files_are_refused_as_mit_data() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    at = open_data(data="florentine")
    at.session_state[keys.EXPANDERS] = {"mit": True}
    at.run()
    upload(at, ("se.zip", packed.getvalue()), field=keys.MIT + "social-evolution")
    at.button(key="use-social-evolution").click().run()
    assert not at.exception
    assert at.error
    assert query_params(at) == {"data": "florentine"}


def test_uploads_with_one_name_are_numbered_the_same_everywhere() -> None:
    files = [("ties.csv", GOOD.replace("ann", name).encode()) for name in ("ann", "eve", "dan")]
    at = use(upload(open_data(), files[0]))
    first = chosen_data(at)
    at = use(upload(choose_sample(at), files[1]))
    second = chosen_data(at)
    assert "In use now: ties.csv (2), 3 objects, 2 relations." in [unescaped(text.value) for text in at.success]
    at = use(upload(choose_sample(at), files[0]))  # the first once more
    assert chosen_data(at) == first
    assert menu(at, "data").options[len(SAMPLES) :] == ["Your file: ties.csv (2)", "Your file: ties.csv"]
    listed = [unescaped(text.value).split("**")[1] for text in at.markdown if "uploaded" in text.value]
    assert listed == ["ties.csv (2)", "ties.csv"]
    assert any("Your file: ties.csv<" in text.proto.body for text in at.sidebar.get("html"))
    at = at.button(key=f"remove-{first}").click().run()
    at = use(upload(at, files[2]))
    assert menu(at, "data").options[len(SAMPLES) :] == ["Your file: ties.csv", "Your file: ties.csv (2)"]
    at = menu(at, "data").select(second).run()
    assert any("Your file: ties.csv (2)<" in text.proto.body for text in at.sidebar.get("html"))
    assert any(unescaped(text.value).startswith("**ties.csv (2)** will be removed") for text in at.markdown)


def test_the_same_content_under_another_name_gets_that_name() -> None:
    at = use(upload(open_data(), ("old.csv", GOOD.encode())))
    name = chosen_data(at)
    at = use(upload(choose_sample(at), ("new.csv", GOOD.encode())))
    assert chosen_data(at) == name
    assert menu(at, "data").options[len(SAMPLES) :] == ["Your file: new.csv"]


SURVEYS = "id.A,id.B,relationship,survey.date\n1,2,CloseFriend,2008-09-09\n3,1,PoliticalDiscussant,2008-09-09\n"


def test_mit_data_is_named_by_its_title_and_confirmed() -> None:
    at = open_data()
    at.session_state[keys.EXPANDERS] = {"mit": True}
    at = upload(at.run(), ("RelationshipsFromSurveys.csv", SURVEYS.encode()), field=keys.MIT + "social-evolution")
    at.button(key="use-social-evolution").click().run()
    assert not at.error
    title = dataset_info("social-evolution").title
    assert unescaped(at.success[0].value).startswith(f"In use now: {title}, 84 objects")
    assert menu(at, "data").options[len(SAMPLES) :] == [title]
    assert (stored_info(at)["dataset"], stored_info(at)["file"]) == ("social-evolution", "RelationshipsFromSurveys.csv")


def test_uploaded_data_sets_are_listed_with_size_and_use() -> None:
    at = use(upload(open_data(), ("old.csv", GOOD.encode())))
    at = use(upload(choose_sample(at), ("new.csv", GOOD.replace("ann", "eve").replace("cat", "dan").encode())))
    rows = [unescaped(text.value) for text in at.markdown if "uploaded" in text.value]
    assert [("in use" in row, "3 objects, 2 relations" in row) for row in rows] == [(True, True), (False, True)]


def test_uploaded_files_are_still_there_after_a_visit_to_another_page() -> None:
    at = upload(open_data(), ("ties.csv", GOOD.encode()))
    menu_labelled(at, "Format").select("long").run()
    at = at.switch_page(str(TOP / "pages/8_Learn.py")).run().switch_page(str(TOP / PAGE)).run()
    assert not at.exception
    assert any(text.startswith("Still here: ties.csv.") for text in captions(at))
    assert menu_labelled(at, "Format").value == "long"
    assert can_use(at)
    at.button(key=f"remove-{keys.FILE}-0").click().run()
    assert not can_use(at)
    assert not any("Still here" in text for text in captions(at))
    used = use(upload(at, ("ties.csv", GOOD.encode())))
    assert not used.exception
    assert user_datasets.is_uploaded(chosen_data(used))
    assert not any("Still here" in text for text in captions(used))
