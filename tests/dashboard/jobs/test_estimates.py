"""Estimates of the time and memory of a training."""

import re

import pytest

import mrwtd
from mrwtd.dashboard.jobs import estimates
from mrwtd.dashboard.state.settings import Settings


def test_a_training_above_the_memory_limit_is_refused_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mrwtd.load_dataset("florentine")
    estimates.check(Settings("florentine"), data)
    monkeypatch.setattr(estimates, "available", lambda: 3e6)
    with pytest.raises(
        mrwtd.DataError, match=r"about \d+ MB of memory.*at most 3 MB.*choose a rank of \d+ or less"
    ) as refused:
        estimates.check(Settings("florentine", rank=100), data)
    rank = int(re.search(r"a rank of (\d+)", str(refused.value))[1])
    estimates.check(Settings("florentine", rank=rank), data)
    assert estimates._what_fits(Settings("florentine", rank=1, ensemble=16), data, 5e4) == "no ensemble"
    monkeypatch.setattr(estimates, "available", lambda: 1e3)
    with pytest.raises(mrwtd.DataError, match="less data"):
        estimates.check(Settings("florentine"), data)
    monkeypatch.setattr(estimates, "available", lambda: None)
    estimates.check(Settings("florentine"), data)


def test_estimates_grow_with_the_settings() -> None:
    data = mrwtd.load_dataset("florentine")
    base = Settings("florentine", lam=1.0, methods=("MrWTD",))
    small = estimates.estimate(base, data)
    for more in (base.change(rank=40), base.change(lam="auto", ensemble=8), base.change(rank="auto")):
        large = estimates.estimate(more, data)
        assert large.seconds > small.seconds
        assert large.memory >= small.memory
