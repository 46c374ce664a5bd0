"""`mrwtd fit`: fit a method to a part of the entries, score the rest, and write a run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..baselines import METHODS, make_method
from ..dashboard.widgets.formatting import format_elapsed
from ..data.relational import RelationalData
from ..data.splitting import TRAINING_FRACTION, describe_split
from ..evaluation import average, prediction_table, top_predictions
from ..metrics import metrics_of
from ..model.method import Method
from ..model.parameters import default_rank
from ..model.progress import Iteration
from ..runs import Fit, Hooks, MethodSpec, Run, RunSpec, SplitSpec, evaluations, execute, write_run
from ..runs.drafts import link
from .data_options import DataOptions, data_options
from .method_options import chosen_parameters, hold_out_or_published_option, parameter_options
from .option_types import json_option
from .output import Status, echo_estimated, echo_json, shape, table

QUICK = {"max_iter": 50, "tol": 1e-3}

EXAMPLES = """
\b
Examples:
  mrwtd fit kinship --symmetric --train 0.1
  mrwtd fit ties.csv --loss friendship=logistic --loss calls=poisson --out run
  mrwtd fit ties.csv --absent negative --train 1 --top 50 --out run
  mrwtd fit train-valid-test.zip --absent 5 --by published
  mrwtd fit ties.csv --kinds calls=count --undirected --json > fit.json
"""


@click.command(epilog=EXAMPLES)
@data_options
@click.option("--method", type=click.Choice(METHODS), default="MrWTD", show_default=True, help="Method to fit.")
@parameter_options
@click.option(
    "--train",
    "fraction",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="FRACTION",
    default=TRAINING_FRACTION,
    show_default=True,
    help="Fraction of the entries to train on; the rest is scored. 1 trains on all.",
)
@hold_out_or_published_option
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    default=100,
    show_default=True,
    help="With --train 1: number of pairs to predict per relation.",
)
@click.option("--quick", is_flag=True, help="Stop early: good for a first look.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the results.")
@click.option(
    "--table", "ending", type=click.Choice(["csv", "parquet"]), default="csv", help="Format of the predictions."
)
@json_option
def fit(
    source: DataOptions,
    method: str,
    seed: int,
    fraction: float,
    by: str,
    top: int,
    quick: bool,
    out: Path | None,
    ending: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Fit a method to DATA: the name of a sample (mrwtd datasets), a file, or - for standard input.

    --out FOLDER writes a run, which mrwtd dashboard --open FOLDER shows and mrwtd.load_run reads. The folder contains
    model.npz, metrics.csv, and predictions.csv with the test entries. With --train 1 there are no test entries, and the
    best-scoring unknown pairs are predicted.
    """
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # before the fit: fail early if the folder cannot be created
    data = source.load_with_notes(seed, as_json=as_json)
    parameters = {"rank": default_rank(data.n_objects), **chosen_parameters(data, seed=seed, **options)}
    if quick:
        accepted = make_method(method).get_params()
        parameters |= {name: value for name, value in QUICK.items() if name in accepted}
    methods = (MethodSpec(method, method, parameters),)
    spec = RunSpec(source.reference(data, seed), SplitSpec(fraction, seed, by), methods)
    with Status() as status:
        hooks = _StatusHooks(status)
        run = execute(spec, data, hooks)
    result, train, test = hooks.result, hooks.train, hooks.test
    if result.model is None:
        raise result.error or KeyboardInterrupt
    model, tested, seconds = result.model, len(test) > 0, result.seconds
    scores = result.scores if tested else None
    held_out = describe_split(data, by) if tested else ""
    predicted: pd.DataFrame | None = None
    if not tested:
        predicted = top_predictions(model, data, top)
    elif out is not None:
        predicted = prediction_table(model, test)
    files = [] if out is None else _write(out, ending, run, data, scores, predicted)
    if as_json:
        echo_json(
            {
                "data": shape(data),
                "train": len(train),
                "test": len(test),
                "by": by if tested else None,
                "held_out": held_out,
                "method": method,
                "parameters": model.get_params(),
                "losses": model.losses_,
                "rank": model.rank_,
                "lam": getattr(model, "lam_", None),
                "seconds": seconds,
                "evaluations": evaluations(model),
                "converged": model.converged_,
                "messages": model.messages_,
                "metrics": [] if scores is None else scores,
                "average": [] if scores is None else average(scores),
                "predictions": [] if tested else predicted,
                "files": [str(file) for file in files],
                "run": None if out is None else str(out),
            }
        )
        return
    _echo_fit(source.data, data, train, model, method, seconds)
    if scores is not None:
        _echo_scores(scores)
        click.echo(f"\n{held_out}")
        echo_estimated(scores)
    elif predicted is not None and out is None:
        text = table(predicted) if len(predicted) else "There are none: every pair is known."
        click.echo(f"\nThe {top} best-scoring unknown pairs of each relation\n{text}")
    for file in files:
        click.echo(f"Wrote {file}")
    if out is not None:
        click.echo(f"Show it with: mrwtd dashboard --open {out}")


class _StatusHooks(Hooks):
    """Shows the iterations of the fit, and stores the split and the result."""

    train: RelationalData
    test: RelationalData
    result: Fit

    def __init__(self, status: Status):
        self._status = status

    def split(self, train: RelationalData, test: RelationalData) -> None:
        self.train, self.test = train, test

    def iteration(self, label: str, step: Iteration) -> None:
        self._status.iteration(step)

    def fitted(self, fit: Fit) -> None:
        self.result = fit


def _write(
    out: Path, ending: str, run: Run, data: RelationalData, scores: pd.DataFrame | None, predicted: pd.DataFrame | None
) -> list[Path]:
    """Write the run, and with it the model, the scores and the predictions under plain names."""
    reference, split = run.spec.data, run.spec.split
    about = {"file": reference.name, "how": dict(reference.options), "notes": list(data.notes)}
    about |= {"dataset": reference.name} if reference.sample else {}
    name = f"{run.methods[0]} · {split.label} · rank {run.spec.methods[0].parameters['rank']}"
    write_run(out, replace(run, name=name), None if reference.plain_sample else data, about)
    files = [out / "model.npz"]
    files[0].unlink(missing_ok=True)
    link(out / "models" / "0.npz", files[0])
    if scores is not None:
        files.append(out / "metrics.csv")
        scores.to_csv(files[-1], index=False)
    if predicted is not None:
        files.append(out / f"predictions.{ending}")
        (predicted.to_csv if ending == "csv" else predicted.to_parquet)(files[-1], index=False)
    return files


def _echo_fit(
    name: str, data: RelationalData, train: RelationalData, model: Method, method: str, seconds: float
) -> None:
    click.echo(
        f"{name}: {data.n_objects:,} objects, {data.n_relations:,} relations, {len(data):,} entries, "
        f"{len(train):,} for training"
    )
    lam = f", λ = {model.lam_:g}" if hasattr(model, "lam_") else ""
    rank = f", rank {model.rank_}" if "rank" in model.get_params() else ""
    click.echo(f"{method}{rank}{lam}: {format_elapsed(seconds)}, {evaluations(model):,} evaluations")
    for message in model.messages_:
        click.echo(f"Note: {message}", err=True)


def _echo_scores(scores: pd.DataFrame) -> None:
    """Print one table per kind of relation, with averages, and the reasons for missing scores."""
    means = average(scores)
    for kind in scores["kind"].unique():
        rows, names = scores[scores["kind"] == kind], [metric.name for metric in metrics_of(kind)]
        wide = rows.pivot_table(index="relation", columns="metric", values="value", observed=True)
        wide = wide.reindex(index=rows["relation"].unique(), columns=names).reset_index()
        mean = means[means["kind"] == kind].set_index("metric").reindex(names)
        if len(wide) > 1:
            wide.loc[len(wide)] = ["average", *mean["value"]]
        click.echo(f"\n{kind}\n{table(wide)}")
        for metric, counts in mean[mean["relations"] < mean["out_of"]].iterrows():
            click.echo(f"The average of {metric} is over {counts['relations']} of {counts['out_of']} relations.")
    missing = scores[scores["reason"] != ""]
    for (relation, reason), rows in missing.groupby(["relation", "reason"], sort=False):
        click.echo(f"No {', '.join(rows['metric'])} of {relation}: {reason}.")
