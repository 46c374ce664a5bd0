"""A published split: chosen on the Train page, used by the run, and named with its results."""

import io
from functools import cache

import numpy as np

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import default_name
from mrwtd.dashboard.pages.train.code_export import in_python, on_command_line
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Choices, Settings, from_query
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import QUICK, open_page

TRAIN, COMPARE = "pages/2_Train.py", "pages/3_Compare.py"


@cache
def with_published_split() -> tuple[str, str]:
    """The id of a user with an uploaded published split and a run of it, and the name of the data set."""
    user = "a-user-with-a-published-split"
    rows = [f"o{i},{relation},o{(i + step) % 12},{int(step < 3)}" for relation in ("r", "s") for i in range(12)
            for step in (1, 2, 4, 5)]  # fmt: skip
    parts = np.random.default_rng(0).permutation(np.resize(["train", "train", "test", "valid"], len(rows)))
    text = "source,relation,target,value,split\n" + "".join(
        f"{row},{part}\n" for row, part in zip(rows, parts, strict=True)
    )
    data, space = mrwtd.read(io.StringIO(text), directed=True), current_user.workspace_of(user)
    digest = space.save_dataset(data, {"file": "ties.csv"})
    settings = Settings(f"own-{digest}", **QUICK, by="published")
    work = train(settings, data, "Ties", space)
    assert work(Job("training", "train", user, work)) is not None
    return user, settings.data


def test_the_split_is_chosen_on_the_train_page() -> None:
    user, name = with_published_split()
    app = open_page(TRAIN, user, data=name)
    menu = app.selectbox(key=keys.PICK + "by")
    assert (menu.label, menu.value) == ("Split", "auto")
    menu.set_value("published").run()
    assert app.query_params["by"] in ("published", ["published"])
    assert not [slider for slider in app.select_slider if slider.label == "Training fraction"]
    assert any("published" in caption.value for caption in app.caption)


def test_the_run_is_tested_on_the_published_entries() -> None:
    user, name = with_published_split()
    (run,) = current_user.workspace_of(user).runs()
    data = current_user.workspace_of(user).data(run.digest)
    assert data is not None
    assert set(run.scores["held_out"]) == {"published"}
    tested = run.scores.drop_duplicates(["method", "relation"]).groupby("method")["entries"].sum()
    assert set(tested) == {len(data.published_split()[1])}
    app = open_page(COMPARE, user, data=name, by="published")
    assert not app.exception
    assert any("published" in caption.value for caption in app.caption)


def test_names_and_code() -> None:
    user, _ = with_published_split()
    (run,) = current_user.workspace_of(user).runs()
    assert default_name(Settings("aucs", by="published")).startswith("as published ·")
    code = in_python(run.spec, {"file": "ties.csv"})
    assert "data.published_split(" in code
    assert "data.split(" not in code
    assert on_command_line(run.spec, {"file": "ties.csv"}).splitlines()[0].endswith("--by published")


def test_data_without_a_published_split_has_no_such_choice() -> None:
    assert Settings("own-4f2a", by="published").change(data="aucs").by == "auto"
    link = {"data": "aucs", "by": "published"}
    settings, messages = from_query(link, ["aucs"], lambda name: Choices(["work"]))
    assert (settings.by, len(messages)) == ("auto", 1)
    settings, messages = from_query(link, ["aucs"], lambda name: Choices(["work"], published=True))
    assert (settings.by, len(messages)) == ("published", 0)
