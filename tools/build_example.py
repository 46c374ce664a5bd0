"""Build the stored run that the dashboard shows to new users: mrwtd/dashboard/state/example.

python -m tools.build_example
"""

import shutil
import tempfile
from pathlib import Path

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import default_name, train
from mrwtd.dashboard.state import current_run
from mrwtd.dashboard.state.settings import Settings
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.runs import Workspace
from mrwtd.runs.quota import size_of

OUT = current_run.EXAMPLE
METHODS = ("MrWTD", "RESCAL", "MMMF+", "BPTF", "Degree")


def main() -> None:
    """Train on the first data set of the dashboard, and copy the run."""
    data = mrwtd.load_dataset(Settings.data)
    settings = Settings(methods=METHODS).resolved(data)
    with tempfile.TemporaryDirectory() as folder:
        space = Workspace(Path(folder))
        work = train(
            settings, data, dataset_info(settings.data).title, space, f"stored example, {default_name(settings)}"
        )
        run = work(Job("example", "train", "tools", work))
        assert run is not None
        assert run.folder is not None
        shutil.rmtree(OUT, ignore_errors=True)
        shutil.copytree(run.folder, OUT)
    print(f"{OUT.name}: {size_of(OUT):,} bytes, {dict(run.summary)}")


if __name__ == "__main__":
    main()
