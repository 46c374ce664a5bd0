"""`mrwtd fit`: learn from a part of the entries, score the rest, and write a run with predictions, model and scores."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..baselines import METHODS, make_method
from ..data.reciprocity import describe_split
from ..data.relational import RelationalData
from ..data.splitting import TRAINING_FRACTION
from ..evaluation import average, likeliest, predictions
from ..metrics import metrics_of
from ..model.method import Method
from ..model.parameters import default_rank
from ..model.progress import Iteration
from ..runs import Fit, Hooks, MethodSpec, Run, RunSpec, SplitSpec, evaluations, execute, write_run
from .data_options import Asked, takes_data
from .method_options import chosen_parameters, takes_hold_out, takes_parameters
from .output import Status, duration, echo_json, notes, shape, table

QUICK = {"max_iter": 50, "tol": 1e-3}

EXAMPLES = """
\b
Examples:
  mrwtd fit kinship --symmetric --train 0.1
  mrwtd fit ties.csv --loss friendship=logistic --loss calls=poisson --out run
  mrwtd fit ties.csv --absent negative --train 1 --top 50 --out run
  mrwtd fit ties.csv --kinds calls=count --undirected --json > fit.json
"""


@click.command(epilog=EXAMPLES)
@takes_data
@click.option("--method", type=click.Choice(METHODS), default="MrWTD", show_default=True, help="What to fit.")
@takes_parameters
@click.option(
    "--train",
    "share",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    default=TRAINING_FRACTION,
    show_default=True,
    help="The share of the entries to learn from; the rest is scored. 1 learns from all.",
)
@takes_hold_out
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    default=100,
    show_default=True,
    help="With --train 1: pairs to predict.",
)
@click.option("--quick", is_flag=True, help="Stop early: good for a first look.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write what comes out to this folder.")
@click.option("--table", "ending", type=click.Choice(["csv", "parquet"]), default="csv", help="Of the predictions.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def fit(
    asked: Asked,
    method: str,
    seed: int,
    share: float,
    by: str,
    top: int,
    quick: bool,
    out: Path | None,
    ending: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Fit a method to DATA: the name of a sample (mrwtd datasets), a file, or - for standard input.

    --out FOLDER writes a run, which mrwtd dashboard --open FOLDER shows and mrwtd.load_run reads, and in it model.npz,
    metrics.csv, and predictions.csv with the entries that were not learned from. With --train 1 there are none, and the
    best-scoring pairs that are not known are predicted.
    """
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # before the fit: a folder that cannot be made must not cost a fit
    data = asked.load(seed)
    if not as_json:
        notes(data)
    parameters = {"rank": default_rank(data.n_objects), **chosen_parameters(data, seed=seed, **given)}
    parameters |= _quick(method) if quick else {}
    methods = (MethodSpec(method, method, parameters),)
    spec = RunSpec(asked.reference(data, seed), SplitSpec(share, seed, by), methods)
    with Status() as status:
        hooks = _Watching(status)
        run = execute(spec, data, hooks)
    result, train, test = hooks.result, hooks.train, hooks.test
    if result.model is None:
        raise result.error or KeyboardInterrupt
    model, scores, seconds = result.model, result.scores, result.seconds
    held_out = "" if test is None else describe_split(data, by)
    answers = likeliest(model, data, top) if test is None else predictions(model, test) if out is not None else None
    written = [] if out is None else _write(out, ending, run, data, scores, answers)
    if as_json:
        echo_json(
            {
                "data": shape(data),
                "train": len(train),
                "test": 0 if test is None else len(test),
                "by": None if test is None else by,
                "held_out": held_out,
                "method": method,
                "parameters": model.get_params(),
                "losses": model.losses_,
                "lam": getattr(model, "lam_", None),
                "seconds": seconds,
                "evaluations": evaluations(model),
                "converged": model.converged_,
                "messages": model.messages_,
                "metrics": [] if scores is None else scores,
                "average": [] if scores is None else average(scores),
                "predictions": answers if test is None else [],
                "files": [str(file) for file in written],
                "run": None if out is None else str(out),
            }
        )
        return
    _say(asked.data, data, train, model, method, seconds)
    if scores is not None:
        _say_scores(scores)
        click.echo(f"\n{held_out}")
    elif answers is not None and out is None:
        shown = table(answers) if len(answers) else "There are none: every pair is known."
        click.echo(f"\nThe {top} best-scoring pairs of each relation that are not known\n{shown}")
    for file in written:
        click.echo(f"Wrote {file}")
    if out is not None and test is not None:
        click.echo(f"To see it: mrwtd dashboard --open {out}")


def _quick(method: str) -> dict[str, float]:
    """What makes a fit quick; a method that has nothing to iterate is quick as it is."""
    takes = make_method(method).get_params()
    return {name: value for name, value in QUICK.items() if name in takes}


class _Watching(Hooks):
    """Shows the steps of the fit, and holds its parts."""

    train: RelationalData
    test: RelationalData | None
    result: Fit

    def __init__(self, status: Status):
        self._status = status

    def split(self, train: RelationalData, test: RelationalData | None) -> None:
        self.train, self.test = train, test

    def iteration(self, label: str, seen: Iteration) -> None:
        self._status.iteration(seen)

    def fitted(self, fit: Fit) -> None:
        self.result = fit


def _write(
    out: Path, ending: str, run: Run, data: RelationalData, scores: pd.DataFrame | None, answers: pd.DataFrame | None
) -> list[Path]:
    """Write the run, and beside its parts the files that have had these names from the first."""
    reference, split = run.spec.data, run.spec.split
    about = {"file": reference.name, "how": dict(reference.options), "notes": list(data.notes)}
    about |= {"dataset": reference.name} if reference.sample else {}
    name = f"{run.methods[0]} · {split.train:.0%} · rank {run.spec.methods[0].parameters['rank']}"
    stored = replace(run, name=name)
    write_run(out, stored, None if reference.plain_sample else data, about)
    files = [out / "model.npz"]
    files[0].unlink(missing_ok=True)
    try:
        os.link(out / "models" / "0.npz", files[0])  # a second name, not a second copy
    except OSError:
        shutil.copyfile(out / "models" / "0.npz", files[0])
    if scores is not None:
        files.append(out / "metrics.csv")
        scores.to_csv(files[-1], index=False)
    if answers is not None:
        files.append(out / f"predictions.{ending}")
        if ending == "csv":
            answers.to_csv(files[-1], index=False)
        else:
            answers.to_parquet(files[-1], index=False)
    return files


def _say(name: str, data: RelationalData, train: RelationalData, model: Method, method: str, seconds: float) -> None:
    click.echo(
        f"{name}: {data.n_objects:,} objects, {data.n_relations:,} relations, {len(data):,} entries, "
        f"{len(train):,} to learn from"
    )
    lam = f", λ = {model.lam_:g}" if hasattr(model, "lam_") else ""
    rank = f", rank {model.get_params()['rank']}" if "rank" in model.get_params() else ""
    click.echo(f"{method}{rank}{lam}: {duration(seconds)}, {evaluations(model):,} evaluations")
    for message in model.messages_:
        click.echo(f"Note: {message}", err=True)


def _say_scores(scores: pd.DataFrame) -> None:
    """A table for each kind of relation, with the averages below, and why scores are missing."""
    means = average(scores)
    for kind in scores["kind"].unique():
        own, names = scores[scores["kind"] == kind], [metric.name for metric in metrics_of(kind)]
        wide = own.pivot_table(index="relation", columns="metric", values="value", observed=True)
        wide = wide.reindex(index=own["relation"].unique(), columns=names).reset_index()
        mean = means[means["kind"] == kind].set_index("metric").reindex(names)
        row = pd.DataFrame([["average", *mean["value"]]], columns=["relation", *names])
        click.echo(f"\n{kind}\n{table(pd.concat([wide, row], ignore_index=True) if len(wide) > 1 else wide)}")
        partial = mean[mean["relations"] < mean["out_of"]]
        for metric, counts in partial.iterrows():
            click.echo(f"The average of {metric} is over {counts['relations']} of {counts['out_of']} relations.")
    missing = scores[scores["reason"] != ""]
    for (relation, reason), rows in missing.groupby(["relation", "reason"], sort=False):
        click.echo(f"No {', '.join(rows['metric'])} of {relation}: {reason}.")
