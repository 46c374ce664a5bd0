"""Data that cannot be learned from: messages and buttons on the Data and the Train page, without a browser."""

from streamlit.testing.v1 import AppTest

from tests.dashboard.pages.data_page import chosen_data, open_data, stored_data, stored_info, unescaped, upload, use
from tests.dashboard.pages.open_pages import TOP

TIES = "source,relation,target\nann,knows,bob\nbob,knows,cat\ncat,likes,ann\n"
TRADE = "source,relation,target,value\nus,trade,uk,90000\nuk,trade,us,1\nuk,trade,fr,2\nfr,trade,uk,3\nus,trade,fr,0\n"


def buttons(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def click(app: AppTest, label: str) -> AppTest:
    app = next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def test_only_ties_are_recognized_on_the_data_page_and_unlisted_pairs_can_be_set() -> None:
    app = use(upload(open_data(), ("ties.csv", TIES.encode())))
    assert any("knows, likes" in unescaped(text.value) for text in app.warning)
    app = click(app, "Set unlisted pairs to no tie")
    assert stored_info(app)["how"]["absent"] == {"knows": "negative", "likes": "negative"}
    assert sorted(stored_data(app).original_values(0)) == [-1, -1, -1, -1, 1, 1]
    assert "Set unlisted pairs to no tie" not in buttons(app)


def test_heavy_tails_are_recognized_on_the_train_page_and_the_other_settings_stay() -> None:
    app = use(upload(open_data(), ("trade.csv", TRADE.encode())))
    before = chosen_data(app)
    app = app.switch_page(str(TOP / "pages/2_Train.py")).run()
    app = click(app, "Use log(1 + y) as real")
    assert chosen_data(app) != before
    assert [(relation.name, relation.kind) for relation in stored_data(app).relations] == [("log(1 + trade)", "real")]
    assert stored_info(app)["how"] == {"transform": {"trade": "log1p"}}


def test_samples_have_no_messages() -> None:
    assert not [label for label in buttons(open_data(data="aucs")) if "unlisted" in label]
