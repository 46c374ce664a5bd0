"""Build the stored run that the dashboard shows to new users: mrwtd/dashboard/state/example.

python -m tools.build_example

The run is that of the first split. With it are stored the scores of all its methods on `SPLITS` random splits.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import mrwtd
from mrwtd.comparison.repeats import plan_repeats, repeat_with_curves
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import Training, default_name, recipient
from mrwtd.dashboard.state import current_run
from mrwtd.dashboard.state.settings import Settings
from mrwtd.dashboard.state.stored_splits import write_splits
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.evaluation import standings
from mrwtd.runs import Workspace
from mrwtd.runs.quota import size_of
from mrwtd.runs.store import write_about

OUT = current_run.EXAMPLE
METHODS = ("MrWTD", "MrWTD-B", "RESCAL", "MMMF+", "BPTF", "Degree")
SPLITS = 10


def main() -> None:
    """Train on the first data set of the dashboard, and copy the run."""
    data = mrwtd.load_dataset(Settings.data)
    settings = Settings(methods=METHODS).resolved(data)
    with tempfile.TemporaryDirectory() as folder:
        space = Workspace(Path(folder))
        name = f"stored example, {SPLITS} splits, {default_name(settings)}"
        title = dataset_info(settings.data).title
        work = Training(settings, data, "", recipient(settings, data, title, space, name))
        run = work(Job("example", "train", "tools", work))
        assert run is not None
        assert run.folder is not None
        split = run.spec.split
        plan = plan_repeats(run.models(), split.train, split.stratify, split.by)
        repeated = repeat_with_curves(data, plan, SPLITS, first=split.seed)
        assert repeated is not None
        write_splits(run, repeated)
        means = standings.standings_over_splits(repeated.scores)
        means = means[(means["relation"] == standings.MEAN) & (means["metric"] == "auprc")].set_index("method")
        run = replace(run, summary={name: round(float(means["value"][name]), 6) for name in run.methods})
        write_about(run.folder, run)
        shutil.rmtree(OUT, ignore_errors=True)
        shutil.copytree(run.folder, OUT)
    print(f"{OUT.name}: {size_of(OUT):,} bytes, {dict(run.summary)}")
    print(means[["value", "spread", "n", "best", "tied_with_best", "p"]].round(3).to_string())


if __name__ == "__main__":
    main()
