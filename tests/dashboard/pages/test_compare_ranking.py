"""The Ranking section of the Compare page."""

import pandas as pd

import mrwtd
from mrwtd.dashboard.jobs import Job, on_demand
from mrwtd.dashboard.pages.compare.ranking import by_relation
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.compare_page import PAGE, texts, user_with_runs
from tests.dashboard.pages.open_pages import QUICK, open_page


def test_the_scores_are_those_of_evaluate_ranking() -> None:
    user = user_with_runs(2)
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "ranking"})
    assert not app.exception
    overall, relations = (frame.value for frame in app.dataframe)
    data = mrwtd.load_dataset("florentine")
    run = current_user.workspace_of(user).runs()[0]
    test = run.spec.split.parts(data)[1]
    for label, model in run.models().items():
        scores = mrwtd.evaluate_ranking(model, test, data)
        rows = scores[(scores["side"] == "both") & (scores["metric"] == "mrr")].set_index("relation")["value"]
        assert overall[label]["MRR"].startswith(f"{rows['']:.3f}")
        assert relations[label]["marriage"].startswith(f"{rows['marriage']:.3f}")
    assert relations.index.tolist() == ["All relations", "business", "marriage"]


def test_the_end_and_the_score_can_be_chosen() -> None:
    settings = {"compare.section": "ranking", "compare.ends": "head", "compare.ranked": "hits@10"}
    app = open_page(PAGE, user_with_runs(2), data="florentine", **settings)
    assert not app.exception
    assert app.session_state[keys.SETTINGS].get("compare.ends") == "head"
    counts = app.dataframe[1].value["Ranks"]
    assert int(counts["All relations"]) == int(counts["business"]) + int(counts["marriage"])


def test_longer_work_is_a_job(monkeypatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", -1.0)
    app = open_page(PAGE, user_with_runs(2), data="florentine", **{"compare.section": "ranking"})
    assert not app.dataframe
    assert "Rank the ties" in [button.label for button in app.button]


def test_relations_that_are_not_binary_are_not_ranked() -> None:
    user, data = "a-user-with-monks", mrwtd.load_dataset("monastery")
    work = train(Settings("monastery", **QUICK), data, "Monastery", current_user.workspace_of(user))
    assert work(Job("training", "train", user, work)) is not None
    app = open_page(PAGE, user, data="monastery", **{"compare.section": "ranking"})
    assert "binary" in texts(app)
    assert not app.dataframe


def test_a_published_test_part_of_ties_starts_with_the_ranking() -> None:
    user = "a-user-with-published-ties"
    florentine = mrwtd.load_dataset("florentine")
    part = (florentine.y > 0) & (florentine.i % 2 == 0)
    columns = (florentine.i, florentine.j, florentine.k, florentine.y)
    data = mrwtd.RelationalData(florentine.objects, florentine.relations, *columns, part=part.astype(int))
    space = current_user.workspace_of(user)
    settings = Settings(f"own-{space.save_dataset(data, {'file': 'ties.csv'})}", **QUICK, by="published")
    work = train(settings, data, "Ties", space)
    assert work(Job("training", "train", user, work)) is not None
    app = open_page(PAGE, user, data=settings.data)
    assert not app.exception
    assert app.dataframe[0].value.index.tolist() == ["MRR", "Hits@1", "Hits@3", "Hits@10"]
    # The test ties are negatives in training, like all other unlisted pairs, so the ranks are not too good.
    assert not app.warning
    assert any("negatives in training" in caption.value for caption in app.caption)


def test_the_page_warns_where_non_ties_were_trained_on_and_test_ties_were_not() -> None:
    app = open_page(PAGE, user_with_runs(2), data="florentine", **{"compare.section": "ranking"})
    assert any("of all pairs" in warning.value for warning in app.warning)


def test_a_relation_may_have_the_name_of_a_third() -> None:
    relations = ["", "", "Rare relations", "b"]
    rows = pd.DataFrame({"relation": relations, "frequency": ["", "rare", "rare", "medium"], "method": "CP"})
    table = by_relation(rows.assign(value=[0.1, 0.2, 0.3, 0.4], count=7))
    assert table.index.tolist() == ["All relations", "Rare relations", "Rare relations", "b"]
    assert [cell[:5] for cell in table["CP"]] == ["0.100", "0.200", "0.300", "0.400"]
