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
from tests.dashboard.pages.open_pages import TOP


def test_other_files_are_refused_as_mit_data() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    app = open_data(data="florentine")
    app.session_state[keys.EXPANDERS] = {"mit": True}
    app.run()
    upload(app, ("se.zip", packed.getvalue()), field=keys.MIT + "social-evolution")
    app.button(key="use-social-evolution").click().run()
    assert not app.exception
    assert app.error
    assert query_params(app) == {"data": "florentine"}


def test_uploads_with_one_name_are_numbered_the_same_everywhere() -> None:
    files = [("ties.csv", GOOD.replace("ann", name).encode()) for name in ("ann", "eve", "dan")]
    app = use(upload(open_data(), files[0]))
    first = chosen_data(app)
    app = use(upload(choose_sample(app), files[1]))
    second = chosen_data(app)
    assert any("ties.csv (2), 3 objects, 2 relations" in unescaped(text.value) for text in app.success)
    app = use(upload(choose_sample(app), files[0]))  # the first once more
    assert chosen_data(app) == first
    assert menu(app, "data").options[len(SAMPLES) :] == ["Your file: ties.csv (2)", "Your file: ties.csv"]
    listed = [unescaped(text.value).split("**")[1] for text in app.markdown if "uploaded" in text.value]
    assert listed == ["ties.csv (2)", "ties.csv"]
    assert any("Your file: ties.csv<" in text.proto.body for text in app.sidebar.get("html"))
    app = app.button(key=f"remove-{first}").click().run()
    app = use(upload(app, files[2]))
    assert menu(app, "data").options[len(SAMPLES) :] == ["Your file: ties.csv", "Your file: ties.csv (2)"]
    app = menu(app, "data").select(second).run()
    assert any("Your file: ties.csv (2)<" in text.proto.body for text in app.sidebar.get("html"))
    assert any(unescaped(text.value).startswith("**ties.csv (2)** will be removed") for text in app.markdown)


def test_the_same_content_under_another_name_gets_that_name() -> None:
    app = use(upload(open_data(), ("old.csv", GOOD.encode())))
    name = chosen_data(app)
    app = use(upload(choose_sample(app), ("new.csv", GOOD.encode())))
    assert chosen_data(app) == name
    assert menu(app, "data").options[len(SAMPLES) :] == ["Your file: new.csv"]


SURVEYS = "id.A,id.B,relationship,survey.date\n1,2,CloseFriend,2008-09-09\n3,1,PoliticalDiscussant,2008-09-09\n"


def test_mit_data_is_named_by_its_title_and_confirmed() -> None:
    app = open_data()
    app.session_state[keys.EXPANDERS] = {"mit": True}
    app = upload(app.run(), ("RelationshipsFromSurveys.csv", SURVEYS.encode()), field=keys.MIT + "social-evolution")
    app.button(key="use-social-evolution").click().run()
    assert not app.error
    title = dataset_info("social-evolution").title
    assert unescaped(app.success[0].value).startswith(f"In use now: {title}, 84 objects")
    assert menu(app, "data").options[len(SAMPLES) :] == [title]
    assert (stored_info(app)["dataset"], stored_info(app)["file"]) == (
        "social-evolution",
        "RelationshipsFromSurveys.csv",
    )


def test_uploaded_data_sets_are_listed_with_size_and_use() -> None:
    app = use(upload(open_data(), ("old.csv", GOOD.encode())))
    app = use(upload(choose_sample(app), ("new.csv", GOOD.replace("ann", "eve").replace("cat", "dan").encode())))
    rows = [unescaped(text.value) for text in app.markdown if "uploaded" in text.value]
    assert [("in use" in row, "3 objects, 2 relations" in row) for row in rows] == [(True, True), (False, True)]


def test_uploaded_files_are_still_there_after_a_visit_to_another_page() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    menu_labelled(app, "Format").select("long").run()
    app = app.switch_page(str(TOP / "pages/8_Learn.py")).run().switch_page(str(TOP / PAGE)).run()
    assert not app.exception
    assert any(text.startswith("Still here: ties.csv.") for text in captions(app))
    assert menu_labelled(app, "Format").value == "long"
    assert can_use(app)
    app.button(key=f"remove-{keys.FILE}-0").click().run()
    assert not can_use(app)
    assert not any("Still here" in text for text in captions(app))
    used = use(upload(app, ("ties.csv", GOOD.encode())))
    assert not used.exception
    assert user_datasets.is_uploaded(chosen_data(used))
    assert not any("Still here" in text for text in captions(used))
