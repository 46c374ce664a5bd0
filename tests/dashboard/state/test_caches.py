"""Caches shared by all users: equal work is done once, and no user gets the results of another."""

import io
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.pages.compare import compare_cache
from mrwtd.dashboard.state import current_run, current_user, run_cache, user_datasets
from mrwtd.dashboard.state.caches import HASH_FUNCS, Keyed, cached_data
from mrwtd.dashboard.state.current_run import Result
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import open_trained

OBJECTS = "abcdefgh"


def upload(ties: int) -> mrwtd.RelationalData:
    """Eight objects, whose ties are the pairs at a distance below that number."""
    rows = [f"{a},knows,{b},{int(abs(i - j) < ties)}" for i, a in enumerate(OBJECTS) for j, b in enumerate(OBJECTS)]
    return mrwtd.read(io.StringIO("\n".join(["source,relation,target,value", *rows])))


@pytest.fixture
def as_user(monkeypatch: pytest.MonkeyPatch):
    def become(user: str) -> str:
        monkeypatch.setattr(current_user, "user_id", lambda: user)
        return user

    return become


def counting(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> list[object]:
    """Count the calls of a function."""
    calls, original = [], getattr(where, name)

    def counted(*args: object, **named: object) -> object:
        calls.append(args)
        return original(*args, **named)

    monkeypatch.setattr(where, name, counted)
    return calls


def save(data: mrwtd.RelationalData) -> str:
    return user_datasets.save(data, ["ties.csv"])


def trained(user: str, name: str) -> Result:
    """The result of a run with the same id for every user."""
    settings = Settings(name, rank=2, lam=1.0, train=0.5, methods=("MrWTD",))
    job = Job(
        "training",
        "train",
        user,
        train(settings, user_datasets.load(name), "ties", current_user.workspace()),
        id="one-run",
    )
    return current_run.open_run(job.execute())


def test_uploads_with_the_same_name_and_other_content_have_different_results(
    as_user, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: dict[str, Result] = {}
    names: dict[str, str] = {}
    for ties in (2, 4):
        user = as_user(uuid4().hex)
        names[user] = save(upload(ties))
        opened[user] = trained(user, names[user])
    (ann, bob), calls = opened, counting(monkeypatch, run_cache, "score_pairs")
    assert user_datasets.display_name(names[bob]) == "ties.csv"
    assert opened[ann].run.id == opened[bob].run.id
    assert opened[ann].key != opened[bob].key
    truths = []
    for user in (ann, bob, ann, bob):
        as_user(user)
        assert user_datasets.load(names[user]) == opened[user].data
        pairs = run_cache.scored_pairs(opened[user], "MrWTD", "knows", 1.0)
        truths.append(len(opened[user].data.subset(opened[user].data.y > 0)))
        assert pairs is run_cache.scored_pairs(opened[user], "MrWTD", "knows", 1.0)
    assert len(calls) == 2
    assert truths[0] != truths[1]
    assert compare_cache.base_rates(opened[ann]) != compare_cache.base_rates(opened[bob])
    assert not compare_cache.standings(opened[ann]).equals(compare_cache.standings(opened[bob]))
    with pytest.raises(mrwtd.DataError, match="deleted"):
        user_datasets.load(names[ann])  # by bob, although it is in the cache
    density = [as_user(user) and user_datasets.describe(names[user]).loc["knows", "density"] for user in (ann, bob)]
    assert density[0] < density[1]


def test_the_same_content_is_described_once_for_all_users(as_user, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch, mrwtd.RelationalData, "describe")
    for _ in range(2):
        as_user(uuid4().hex)
        name = save(upload(3))
        assert name.startswith(UPLOAD_PREFIX)
        before = len(calls)
        for _ in range(3):
            user_datasets.describe(name)
    assert before == len(calls) == 1


@pytest.mark.parametrize("page", ["app.py", "pages/3_Compare.py", "pages/5_Network.py"])
def test_data_is_digested_once_for_any_number_of_page_views(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_trained(page)
    calls = counting(monkeypatch, mrwtd.RelationalData, "digest")
    app.run()
    assert not app.exception
    assert calls == []


def test_a_result_is_identified_by_its_key_and_not_hashed() -> None:
    calls: list[str] = []

    @cached_data(max_entries=4)
    def name_of(result: Result) -> str:
        calls.append(result.key)
        return result.key

    nothing: Any = object()  # which could not be hashed
    result = Result(nothing, nothing, nothing, nothing, nothing, {}, nothing, "one")
    assert [name_of(variant) for variant in (result, replace(result, scores=object()), replace(result, key="two"))] == [
        "one",
        "one",
        "two",
    ]
    assert calls == ["one", "two"]
    assert {Result, Keyed} <= set(HASH_FUNCS)
