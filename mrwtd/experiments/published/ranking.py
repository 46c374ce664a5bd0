"""Filtered ranks of the test ties of the standard split of Kinship, UMLS and Nations, beside published numbers.

Training: the train ties are positive, and every other cell of the n × n × m grid is negative. This includes self-pairs
and the held-out ties, because the train file does not show which ones these are. Each setting is fitted once, the one
with the highest MRR on the valid ties is chosen for each method, and its numbers on the test ties are shown. Nothing is
ever fitted to the valid ties.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from ...data.relational import RelationalData
from ...evaluation.ranking import RANKING_METRICS, evaluate_ranking
from ...model.diagnostics import without_warnings
from ...runs import RunSpec, SplitSpec
from .settings import Setting
from .stored_jobs import Progress, StoredJob, run_stored

TRAIN_FRACTION = 0.8


class RankingJob(StoredJob):
    """One setting on one data set. There is one split, the standard one."""

    @property
    def spec(self) -> RunSpec:
        """The specification of the run; views count as a parameter."""
        return self._spec_with(SplitSpec(TRAIN_FRACTION, by="published"), views=list(self.setting.views))


def run_ranking_job(job: RankingJob, data: RelationalData) -> pd.DataFrame:
    """The metrics of the valid and of the test ties, one row each.

    >>> job = RankingJob("nations", Setting("MrWTD-L", {"rank": 2, "lam": 10.0, "seed": 0}))
    >>> import mrwtd
    >>> rows = run_ranking_job(job, mrwtd.load_dataset("nations", form="standard"))
    >>> rows["part"].unique().tolist(), rows["metric"].unique().tolist()
    (['valid', 'test'], ['mrr', 'hits@1', 'hits@3', 'hits@10'])
    """
    train, test, valid = data.published_split()
    with threadpool_limits(1), without_warnings():
        model, seconds = job.fit(train)
        frames = [evaluate_ranking(model, part, known=data).assign(part=name) for name, part in
                  (("valid", valid), ("test", test))]  # fmt: skip
    scores = pd.concat(frames, ignore_index=True)
    scores = scores[(scores["relation"] == "") & (scores["frequency"] == "") & (scores["side"] == "both")]
    scores = scores[["metric", "value", "part", "count"]].rename(columns={"count": "entries"})
    rows = scores.assign(method=job.label, relation="all", kind="binary", seconds=seconds)
    return job.rows(rows.reset_index(drop=True))


def run_ranking(
    settings: Iterable[tuple[str, Setting]], folder: Path, progress: Progress | None = None, restart: bool = False
) -> pd.DataFrame:
    """The rows of all settings, each with the name of its data; those in the folder are not run again."""
    jobs = [RankingJob(data, setting) for data, setting in settings]
    return run_stored(jobs, run_ranking_job, folder, progress, restart)


def chosen(scores: pd.DataFrame) -> pd.DataFrame:
    """The setting with the highest valid MRR of each method and data set: one row, with both parts' metrics."""
    wide = scores.pivot_table(
        index=["data", "label", "setting", "seconds"], columns=["part", "metric"], values="value", sort=False
    )
    best = wide["valid", "mrr"].groupby(["data", "label"], sort=False).idxmax()
    picked = wide.loc[best.tolist()]
    columns = {("valid", "mrr"): "valid mrr"} | {("test", metric): metric for metric in RANKING_METRICS}
    frame = picked[list(columns)].set_axis(list(columns.values()), axis=1).reset_index()
    tried = scores.groupby(["data", "label"])["setting"].nunique().rename("tried").reset_index()
    return frame.merge(tried, on=["data", "label"])
