"""`mrwtd compare`: several methods on the same splits, and which of them are tied with the best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..baselines import METHODS
from ..comparison import Finished
from ..comparison import compare as compare_methods
from ..comparison import jobs as every_job
from ..data.reciprocity import describe_split
from ..data.splitting import TRAINING_FRACTION
from ..errors import DataError, Problem
from ..evaluation import summarize
from ..metrics import shown_metrics
from ..model.parameters import default_rank
from .data_options import Asked, takes_data
from .method_options import chosen_parameters, takes_hold_out, takes_parameters, takes_workers
from .output import Status, echo_json, notes, shape

RUNS, QUICK_RUNS = 20, 2

EXAMPLES = """
\b
Examples:
  mrwtd compare kinship --symmetric --method MrWTD-L --method RESCAL --train 0.05 --train 0.1
  mrwtd compare ties.csv --loss calls=poisson --quick
  mrwtd compare ties.csv --runs 20 --jobs 4 --out comparison     (run it again to go on where it stopped)
  mrwtd compare ties.csv --scheduler tcp://127.0.0.1:8786
"""


@click.command(epilog=EXAMPLES)
@takes_data
@click.option(
    "--method", "methods", type=click.Choice(METHODS), multiple=True, help="May be repeated; without it, all."
)
@click.option(
    "--train",
    "shares",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    multiple=True,
    default=(TRAINING_FRACTION,),
    show_default=True,
    help="The share of the entries to learn from. May be repeated.",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help=f"Splits of each size.  [default: {RUNS}, {QUICK_RUNS} if quick]",
)
@takes_parameters
@takes_hold_out
@click.option("--stratify", is_flag=True, help="Keep the share of each class in the splits.")
@click.option("--quick", is_flag=True, help="Few runs: good for a first look.")
@takes_workers
@click.option("--correction", type=click.Choice(["holm"]), help="Correct the t-tests for their number.")
@click.option("--per-relation", is_flag=True, help="Summarise relation by relation, in place of their average.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write what comes out to this folder.")
@click.option("--restart", is_flag=True, help="Delete the fits that --out has kept of the same, and run them again.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def compare(
    asked: Asked,
    methods: tuple[str, ...],
    shares: tuple[float, ...],
    rank: int | None,
    runs: int | None,
    lam: float | str,
    seed: int,
    by: str,
    stratify: bool,
    quick: bool,
    jobs: int,
    scheduler: str | None,
    correction: str | None,
    per_relation: bool,
    out: Path | None,
    restart: bool,
    as_json: bool,
    **own: Any,
) -> None:
    """Compare methods on the same random splits of DATA, with the same rank and the same search for λ.

    --loss, --positive-weight, --init and --ensemble are for the method MrWTD; the others have their own. --out FOLDER
    writes scores.csv and summary.csv, and keeps every finished fit in FOLDER/finished: what was interrupted
    goes on from there. Fits of another version of mrwtd are refused: --restart deletes them.
    """
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    data = asked.load(seed)
    if not as_json:
        notes(data)
    given = chosen_parameters(data, **own)
    chosen = methods or METHODS
    if given and "MrWTD" not in chosen:
        raise click.UsageError(
            f"--{next(iter(given)).replace('_', '-')} is for the method MrWTD, which is not compared."
        )
    if restart and out is None:
        raise click.UsageError("--restart has no meaning without --out: no fits are kept.")
    finished = None if out is None else Finished(out / "finished", data)
    request: dict[str, Any] = {
        "methods": {name: {"method": name} | (given if name == "MrWTD" else {}) for name in chosen},
        "train": shares,
        "rank": default_rank(data.n_objects) if rank is None else rank,
        "runs": runs or (QUICK_RUNS if quick else RUNS),
        "seed": seed,
        "lam": lam,
        "stratify": stratify,
        "by": by,
    }
    if restart and finished is not None:
        finished.restart(job.key for job in every_job(**request))
    with Status() as status:
        scores = compare_methods(
            data,
            **request,
            n_jobs=jobs,
            scheduler=scheduler,
            progress=status.progress,
            keep=None if finished is None else finished.keep,
            kept=finished,
        )
    failures = scores[scores["metric"] == ""]
    if len(failures) == len(scores):
        raise DataError(Problem(f"no method that works ({failures['reason'].iloc[0]})", "at least one"))
    summary = summarize(scores, correction=correction, per_relation=per_relation)
    written = []
    if out is not None:
        for name, frame in (("scores.csv", scores), ("summary.csv", summary)):
            written.append(out / name)
            frame.to_csv(written[-1], index=False)
    if as_json:
        files = [str(file) for file in written]
        held_out = describe_split(data, by)
        echo_json({"data": shape(data), "held_out": held_out, "summary": summary, "scores": scores, "files": files})
        return
    click.echo(as_text(summary))
    click.echo(describe_split(data, by))
    for (method, reason), rows in failures.groupby(["method", "reason"], sort=False):
        click.echo(f"{method} failed in {len(rows)} fits: {reason}")
    for file in written:
        click.echo(f"Wrote {file}")


def as_text(summary: pd.DataFrame) -> str:
    """The metrics that are shown of each kind: one line per method, one column per training size.

    >>> print(as_text(pd.DataFrame({"kind": "binary", "metric": "auprc", "train": [0.1], "method": ["CP"],
    ...     "mean": [0.5], "sd": [0.01], "n": [20], "tied_with_best": [True]})))
    auprc of binary relations, mean (standard deviation)
    method        train 0.1
        CP 0.5000 (0.0100)*
    * tied with the best: a 2-sample t-test does not tell them apart at 0.05
    """
    by = ["kind", *(["relation"] if "relation" in summary else [])]
    parts = []
    shown = (
        (group, rows, metric.name)
        for group, rows in summary.groupby(by, sort=False)
        for metric in shown_metrics(str(group[0]))
    )
    for group, rows, metric in shown:
        own = rows[rows["metric"] == metric]
        cells = pd.DataFrame(
            {
                "method": own["method"],
                "train": "train " + own["train"].astype(str),
                "cell": [
                    "failed" if n == 0 else f"{_short(mean)} ({_short(sd)}){'*' if tied else ' '}"
                    for mean, sd, n, tied in zip(own["mean"], own["sd"], own["n"], own["tied_with_best"], strict=True)
                ],
            }
        )
        wide = cells.pivot_table(index="method", columns="train", values="cell", aggfunc="first")
        wide = wide.reindex(index=cells["method"].unique(), columns=cells["train"].unique()).reset_index()
        what = f"{metric} of {group[-1]}" if len(group) > 1 else f"{metric} of {group[0]} relations"
        parts.append(f"{what}, mean (standard deviation)\n{wide.to_string(index=False)}\n")
    parts.append("* tied with the best: a 2-sample t-test does not tell them apart at 0.05")
    return "\n".join(parts)


def _short(value: float) -> str:
    """Four decimals, and a power of ten where there would be many digits before them.

    >>> _short(0.5), _short(90_261_385_262.172)
    ('0.5000', '9.026e+10')
    """
    return f"{value:.4f}" if abs(value) < 1e4 else f"{value:.4g}"
