"""All methods on real networks: main metric of each kind of relation, λ by search, splits on which nothing was chosen.

    python -m benchmarks.real_networks [--seconds 600] [--methods NAME …] [--cases NAME …] [--runs 10] [--data FOLDER]

Run r of a training fraction is `data.split(train, seed=900 + r, by="auto")`, the same for all methods. The rank is 20,
or less for small data (`default_rank`). `--data` is a folder with the files of the MIT data sets.

Every score is stored in results/real_networks.csv at once, and stored scores are not computed again: the same command
resumes. Short fits come first, and the first split of a long fit before the last one of a short fit, so that an
unfinished table is useful. `--seconds 0` only writes the tables.

The file may hold scores of several versions of the code. Those of another version are kept for a method only if this
version gives nearly the same scores in some of its cells (`--check 3`): within the standard deviation over splits,
because another machine rounds differently, which can change the chosen λ. `--restart` deletes the scores of `--methods`
first.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

import mrwtd
from benchmarks.board_comparison import LEAST_SPLITS, against_best, stacked_table, totals
from benchmarks.measure import RESULTS, argument_parser, markdown, report, stored_rows, with_version
from mrwtd.comparison.jobs import Job, run_job
from mrwtd.data.relational import RelationalData
from mrwtd.evaluation.evaluate import average
from mrwtd.experiments.method_comparison import Case
from mrwtd.experiments.real import mit_cases
from mrwtd.metrics import METRICS, main_metric
from mrwtd.model.cost import Size
from mrwtd.model.method import Method
from mrwtd.model.parameters import default_rank
from mrwtd.runs import Fit, Hooks
from mrwtd.version import results_version

CASES = (
    Case("Florentine", "florentine"),
    Case("Bank wiring", "bankwiring"),
    Case("Monastery", "monastery"),
    Case("Airports", "airports"),
    Case("AUCS", "aucs"),
    Case("Nations", "nations"),
    Case("Kinship, symmetric", "kinship", {"symmetric": True}),
    Case("Kinship", "kinship"),
    Case("UMLS", "umls"),
)
FRACTIONS = (0.05, 0.10, 0.25, 0.50)
FIRST_SPLIT = 900
RUNS = 10

CELL = ["data", "train", "method"]
KEYS = [*CELL, "run", "kind"]
FILE = RESULTS / "real_networks.csv"

UNKNOWN = 0.02
"""The standard deviation over splits where there is only one."""

SAME = 1.0
"""Scores of two versions are nearly the same within this many standard deviations over splits: of few entries,
rounding can change the chosen λ."""

OURS = "MrWTD"
"""How the names of our methods begin."""

NOTE = """\
Mean ± standard deviation of {runs} splits, or of the number of splits in brackets. Bold: the best, or tied with it \
(two-sample t-test at 0.05). AUPRC: higher is better; MAE and MSE ÷ variance: lower is better. Seconds: time of the \
processor for one fit with its search for λ, at each training fraction.

Versions of the code: {versions}.

The best method of each cell, and our best if that is another:

{leaders}

MrWTD-E against the best of the other methods, in pairs over the splits that both have: the mean difference ± its \
standard error, positive where MrWTD-E is better, with the other method and the number of splits, at least {least}. \
The best of many methods on some splits is partly the luckiest one on them; the last number is the difference from the \
method that is best on the other splits.

| cells | number | mean difference | from the best on other splits | worse by more than two standard errors |
|---|---|---|---|---|
{totals}

{stacked}"""


@dataclass(frozen=True)
class BoardFit:
    """A fit of the board: a job on one of the data sets."""

    name: str
    data: RelationalData
    job: Job

    @property
    def cell(self) -> tuple[str, float, str]:
        return self.name, self.job.train, self.job.label


class ProcessorTime(Hooks):
    """The seconds of the processor that a fit takes, with its search for λ and without its test."""

    seconds = np.nan

    def start(self, label: str, model: Method) -> None:
        self.began = time.process_time()

    def fitted(self, fit: Fit) -> None:
        self.seconds = time.process_time() - self.began


def all_fits(cases: Iterable[Case], methods: Iterable[str], runs: int) -> list[BoardFit]:
    """The fits of the board."""
    fits = []
    for case in cases:
        data = case.load()
        common = {"rank": default_rank(data.n_objects), "seed": FIRST_SPLIT, "by": "auto"}
        fits += [
            BoardFit(case.name, data, Job(method, method, fraction, run, **common))
            for fraction in FRACTIONS
            for method in methods
            for run in range(runs)
        ]
    return fits


@cache
def compile_method(method: str) -> None:
    """Compile all that a method uses, before its time is measured."""
    for name in ("florentine", "airports"):
        run_job(mrwtd.load_dataset(name), Job(method, method, 0.5, 0, rank=2))


def run_fit(fit: BoardFit) -> pd.DataFrame:
    """One row per kind of relation: the mean over the relations of its main metric."""
    compile_method(fit.job.method)
    clock = ProcessorTime()
    rows = run_job(fit.data, fit.job, clock)
    kinds = dict.fromkeys(relation.kind for relation in fit.data.relations)
    main = {kind: main_metric(kind).name for kind in kinds}
    if (rows["metric"] == "").all():
        scores = pd.DataFrame({"kind": list(main), "metric": list(main.values())}).assign(reason=rows["reason"].iloc[0])
    else:
        scores = average(rows[rows["metric"] == rows["kind"].map(main)])
    scores = scores.assign(
        data=fit.name, train=fit.job.train, method=fit.job.label, run=fit.job.run, objects=fit.data.n_objects,
        rank=fit.job.rank, lam=rows["lam"].iloc[0], seconds=round(clock.seconds, 3),
    )  # fmt: skip
    columns = [*KEYS, "metric", "value", "relations", "out_of", "objects", "rank", "lam", "seconds", "reason"]
    return with_version(scores.reindex(columns=columns).round({"value": 6, "lam": 6}))


def stored() -> pd.DataFrame:
    """All stored scores, of every version."""
    rows = stored_rows(FILE, any_version=True)
    return rows.drop_duplicates(KEYS, keep="last") if len(rows) else pd.DataFrame(columns=[*KEYS, "seconds", "version"])


def store(rows: pd.DataFrame) -> None:
    """Add rows at the end of the file."""
    rows.to_csv(FILE, mode="a", header=not FILE.exists(), index=False)


def in_order(fits: list[BoardFit], scores: pd.DataFrame) -> list[BoardFit]:
    """Short fits first, and the first split of a fit before the third one of a fit with a quarter of its time."""
    seconds = scores.groupby(CELL)["seconds"].mean().dropna().to_dict()
    for fit in fits:
        if fit.cell not in seconds:
            method = mrwtd.make_method(fit.job.method, rank=fit.job.rank)
            seconds[fit.cell] = method.cost(Size.of(fit.data, fit.job.train)).seconds
    return sorted(fits, key=lambda fit: seconds[fit.cell] ** 0.5 * (fit.job.run + 1))


def largest_difference(scores: pd.DataFrame, fits: list[BoardFit], method: str, cells: int) -> float:
    """Between stored scores of another version and of this one, in standard deviations over splits.

    That of the shortest fit to each of several data sets.
    """
    others = scores[(scores["method"] == method) & (scores["version"] != results_version())]
    shortest = others.sort_values("seconds").drop_duplicates("data").head(cells)
    keys = set(shortest[[*CELL, "run"]].itertuples(index=False, name=None))
    deviations = scores.groupby([*CELL, "kind"])["value"].std()
    differences = [0.0]
    for fit in fits:
        if (*fit.cell, fit.job.run) in keys:
            both = run_fit(fit)[[*KEYS, "value"]].merge(others, on=KEYS, suffixes=("", "_stored"))
            change = (both["value"] - both["value_stored"]).abs()
            typical = deviations.reindex(pd.MultiIndex.from_frame(both[[*CELL, "kind"]])).to_numpy()
            differences += (change / np.maximum(np.nan_to_num(typical, nan=UNKNOWN), 1e-6)).dropna().tolist()
    return max(differences)


def summary(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard deviation, number of splits and ties of each cell of the board."""
    frame = scores[["data", "train", "method", "run", "kind", "metric", "value"]].assign(relation="all")
    return mrwtd.summarize(frame)


def board(scores: pd.DataFrame, means: pd.DataFrame) -> list[dict[str, object]]:
    """One row per data set, kind and method; bold is tied with the best."""
    seconds = scores.groupby(CELL)["seconds"].mean()
    sizes = scores.groupby("data")[["objects", "rank"]].first()
    rows = []
    for (name, kind, metric, method), cells in means.groupby(["data", "kind", "metric", "method"], sort=False):
        by_fraction = cells.set_index("train")
        measured = [seconds.get((name, fraction, method), np.nan) for fraction in FRACTIONS]
        row: dict[str, object] = {
            "data": f"{name} (n = {sizes['objects'][name]}, rank {sizes['rank'][name]})",
            "relations": kind,
            "metric": METRICS[metric].label,
            "method": method,
        }
        for fraction in FRACTIONS:
            row[f"{fraction:.0%}"] = _score(by_fraction.loc[fraction]) if fraction in by_fraction.index else ""
        row["seconds"] = " / ".join("–" if np.isnan(value) else f"{value:.2g}" for value in measured)
        rows.append(row)
    return rows


def _score(cell: pd.Series) -> str:
    if not cell["n"]:
        return "–"
    mean = f"**{cell['mean']:.3f}**" if cell["tied_with_best"] else f"{cell['mean']:.3f}"
    deviation = "" if cell["n"] == 1 else f" ± {cell['sd']:.3f}"
    return mean + deviation + ("" if cell["n"] == RUNS else f" ({cell['n']})")


def leaders(means: pd.DataFrame) -> list[dict[str, object]]:
    """One row per data set and kind: the best method and, if that is none of ours, our best one too."""
    rows = []
    for (name, kind, metric), cells in means[means["n"] > 0].groupby(["data", "kind", "metric"], sort=False):
        row: dict[str, object] = {"data": name, "relations": kind, "metric": METRICS[metric].label}
        for fraction in FRACTIONS:
            row[f"{fraction:.0%}"] = _leader(cells[cells["train"] == fraction])
        rows.append(row)
    return rows


def _leader(cells: pd.DataFrame) -> str:
    if cells.empty:
        return ""
    cells = cells.sort_values("mean", ascending=METRICS[cells["metric"].iloc[0]].direction == "lower")
    is_ours = cells["method"].str.startswith(OURS)
    if is_ours.iloc[0] or not is_ours.any():
        return _named_score(cells.iloc[0])
    best, ours = cells.iloc[0], cells[is_ours].iloc[0]
    tied = ", tied" if ours["tied_with_best"] else ""
    return f"*{_named_score(best)}*; {_named_score(ours)}{tied}"


def _named_score(cell: pd.Series) -> str:
    return f"{cell['method']} {cell['mean']:.3f}" + ("" if cell["n"] == RUNS else f" ({cell['n']})")


def write_tables(scores: pd.DataFrame) -> None:
    """The file in the order of the table, and the tables."""
    orders = {"data": [case.name for case in CASES], "method": list(mrwtd.METHODS)}
    for column, order in orders.items():
        scores[column] = pd.Categorical(scores[column], list(dict.fromkeys([*order, *scores[column]])))
    scores = scores.sort_values(KEYS)
    scores.to_csv(FILE, index=False)
    scores = scores.astype(dict.fromkeys(orders, "str"))
    means = summary(scores)
    by_version = scores.groupby("version", sort=False)["method"].unique()
    versions = "; ".join(f"{version} ({', '.join(methods)})" for version, methods in by_version.items())
    stacked = against_best(scores)
    note = NOTE.format(
        runs=RUNS, versions=versions, leaders=markdown(leaders(means)), totals=totals(stacked), least=LEAST_SPLITS,
        stacked=markdown(stacked_table(stacked, FRACTIONS)),
    )  # fmt: skip
    report("real_networks", board(scores, means), note)


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--methods", nargs="*", default=list(mrwtd.METHODS))
    parser.add_argument("--cases", nargs="*")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--data", metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=np.inf, help="start no fit after this time")
    parser.add_argument("--check", type=int, default=3, help="cells per method that are compared with another version")
    parser.add_argument("--restart", action="store_true", help="delete the stored scores of the methods")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    scores = stored()
    if options.restart:
        scores = scores[~scores["method"].isin(options.methods)]
        scores.to_csv(FILE, index=False)
    fits = all_fits((*CASES, *mit_cases(options.data)), options.methods, options.runs) if options.seconds else []
    for method in options.methods if fits else ():
        difference = largest_difference(scores, fits, method, options.check)
        if difference > SAME:
            parser.error(f"{method}: scores of another version differ by {difference:.2g} sd; --restart deletes them")
    done = set(scores[[*CELL, "run"]].itertuples(index=False, name=None))
    for fit in in_order(fits, scores):
        if (*fit.cell, fit.job.run) in done or (options.cases and fit.name not in options.cases):
            continue
        if time.monotonic() > end:
            break
        store(run_fit(fit))
    write_tables(stored())
