"""An owner with runs to share, and what a page shows of a shared run."""

import io
from dataclasses import dataclass

from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.hosting.identity import identities
from mrwtd.hosting.publications import Publications
from mrwtd.runs import DataRef, MethodSpec, Run, RunSpec, SplitSpec, Workspace, execute
from tests.dashboard.pages.open_pages import open_page

START, TRAIN, COMPARE, DATA = "app.py", "pages/2_Train.py", "pages/3_Compare.py", "pages/1_Data.py"
METHODS = (MethodSpec("MrWTD", "MrWTD", {"rank": 2, "lam": 1.0, "seed": 3}), MethodSpec("Degree", "Degree"))


@dataclass(frozen=True)
class Owner:
    """A user with a run of a sample, and two runs of an upload."""

    user: str
    sample: Run
    upload: Run
    secret: Run

    @property
    def space(self) -> Workspace:
        return current_user.workspace_of(self.user)

    @property
    def links(self) -> Publications:
        return Publications(self.space.folder.parent)

    def share(self, run: Run, *, with_data: bool = False) -> str:
        return self.links.publish(self.space.folder.name, run.id, with_data=with_data).token


def made(space: Workspace, data: mrwtd.RelationalData, reference: DataRef, name: str) -> Run:
    return space.save_run(execute(RunSpec(reference, SplitSpec(0.6, 3, "entry"), METHODS), data), name=name)


def made_owner() -> Owner:
    user, sample = identities().issue(), mrwtd.load_dataset("florentine")
    space, renamed = current_user.workspace_of(user), rename(sample, user)
    digest = space.save_dataset(renamed, {"file": "families.csv", "how": {}})
    upload = DataRef("families.csv", "Your file: families.csv", digest)
    return Owner(
        user,
        made(space, sample, DataRef("florentine", "Florence", sample.digest(), sample=True), "for the class"),
        made(space, renamed, upload, "of the upload"),
        made(space, renamed, upload, "not for others"),
    )


def rename(data: mrwtd.RelationalData, user: str) -> mrwtd.RelationalData:
    """The data with other names of objects, so that each owner has data that nobody else has loaded."""
    table = data.to_frame()
    for end in ("source", "target"):
        table[end] = table[end].astype(str) + user[-4:]
    buffer = io.BytesIO(table.to_csv(index=False).encode())
    buffer.name = "families.csv"
    return mrwtd.read(buffer)


def reader() -> str:
    return identities().issue()


def settings(app: AppTest) -> Settings:
    return app.session_state[keys.SETTINGS]


def press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def labels(app: AppTest) -> set[str]:
    return {button.label for button in (*app.button, *app.get("download_button"))}


def shows(app: AppTest, run: Run) -> bool:
    """Whether the page works, has the banner, and shows the run."""
    assert not app.exception
    assert not app.error
    banner = any("Shared by link" in text.value and run.name in text.value for text in app.markdown)
    return banner and settings(app).run == run.id and current_run_name(app) == run.display_name


def current_run_name(app: AppTest) -> str:
    facts = " ".join(text.proto.body for text in app.sidebar.get("html"))
    return facts.partition("Run: ")[2].partition("<")[0]


def warned(app: AppTest) -> str:
    return " ".join(warning.value for warning in app.warning)


def history_of(user: str, **query: str) -> AppTest:
    app = open_page(START, user, **query)
    app.session_state[keys.EXPANDERS] = {"history": True}
    return app.run()
