"""What a visitor has uploaded: its names, its list, and the sets of MIT; without a browser."""

from __future__ import annotations

import io
import zipfile

from mrwtd.dashboard.state import keys, user_datasets
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.pages.data_page import (
    GOOD,
    PAGE,
    SHOWN,
    address,
    back,
    can_use,
    captions,
    drop,
    menu,
    own_of,
    plain_text,
    start,
    told,
    use,
)
from tests.dashboard.pages.opening import TOP


def test_the_files_of_mit_that_are_none_are_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    at = start(data="florentine")
    at.session_state[keys.EXPANDERS] = {"mit": True}
    at.run()
    drop(at, ("se.zip", packed.getvalue()), field=keys.MIT + "social-evolution")
    at.button(key="use-social-evolution").click().run()
    assert not at.exception
    assert at.error
    assert address(at) == {"data": "florentine"}


def test_uploads_of_one_name_keep_their_numbers_everywhere() -> None:
    files = [("ties.csv", GOOD.replace("ann", name).encode()) for name in ("ann", "eve", "dan")]
    at = use(drop(start(), files[0]))
    first = own_of(at)
    at = use(drop(back(at), files[1]))
    second = own_of(at)
    assert "In use now: ties.csv (2), 3 objects, 2 relations." in [plain_text(text.value) for text in at.success]
    at = use(drop(back(at), files[0]))  # the first once more
    assert own_of(at) == first
    assert menu(at, "data").options[len(SHOWN) :] == ["Your file: ties.csv (2)", "Your file: ties.csv"]
    listed = [plain_text(text.value).split("**")[1] for text in at.markdown if "uploaded" in text.value]
    assert listed == ["ties.csv (2)", "ties.csv"]
    assert any("Your file: ties.csv<" in text.proto.body for text in at.sidebar.get("html"))
    at = at.button(key=f"remove-{first}").click().run()
    at = use(drop(at, files[2]))
    assert menu(at, "data").options[len(SHOWN) :] == ["Your file: ties.csv", "Your file: ties.csv (2)"]
    at = menu(at, "data").select(second).run()
    assert any("Your file: ties.csv (2)<" in text.proto.body for text in at.sidebar.get("html"))
    assert any(plain_text(text.value).startswith("**ties.csv (2)** is removed") for text in at.markdown)


def test_the_same_content_under_another_name_has_that_name() -> None:
    at = use(drop(start(), ("old.csv", GOOD.encode())))
    name = own_of(at)
    at = use(drop(back(at), ("new.csv", GOOD.encode())))
    assert own_of(at) == name
    assert menu(at, "data").options[len(SHOWN) :] == ["Your file: new.csv"]


SURVEYS = "id.A,id.B,relationship,survey.date\n1,2,CloseFriend,2008-09-09\n3,1,PoliticalDiscussant,2008-09-09\n"


def test_a_set_of_mit_is_called_by_its_title_and_confirmed() -> None:
    at = start()
    at.session_state[keys.EXPANDERS] = {"mit": True}
    at = drop(at.run(), ("RelationshipsFromSurveys.csv", SURVEYS.encode()), field=keys.MIT + "social-evolution")
    at.button(key="use-social-evolution").click().run()
    assert not at.error
    title = dataset_info("social-evolution").title
    assert plain_text(at.success[0].value).startswith(f"In use now: {title}, 84 objects")
    assert menu(at, "data").options[len(SHOWN) :] == [title]
    assert (told(at)["dataset"], told(at)["file"]) == ("social-evolution", "RelationshipsFromSurveys.csv")


def test_data_sets_of_ones_own_are_listed_with_their_size_and_the_one_in_use() -> None:
    at = use(drop(start(), ("old.csv", GOOD.encode())))
    at = use(drop(back(at), ("new.csv", GOOD.replace("ann", "eve").replace("cat", "dan").encode())))
    rows = [plain_text(text.value) for text in at.markdown if "uploaded" in text.value]
    assert [("in use" in row, "3 objects, 2 relations" in row) for row in rows] == [(True, True), (False, True)]


def test_files_that_were_dropped_are_still_there_after_a_look_at_another_page() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    at = at.switch_page(str(TOP / "pages/8_Learn.py")).run().switch_page(str(TOP / PAGE)).run()
    assert not at.exception
    assert any(text.startswith("Still here: ties.csv.") for text in captions(at))
    assert can_use(at)
    at.button(key=f"remove-{keys.FILE}-0").click().run()
    assert not can_use(at)
    assert not any("Still here" in text for text in captions(at))
    used = use(drop(at, ("ties.csv", GOOD.encode())))
    assert not used.exception
    assert user_datasets.is_uploaded(own_of(used))
    assert not any("Still here" in text for text in captions(used))
