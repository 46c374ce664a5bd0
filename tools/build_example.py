"""Build the stored run that the dashboard shows to new users: mrwtd/dashboard/state/example.zip.

python -m tools.build_example
"""

import tempfile
from pathlib import Path

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import default_name, train
from mrwtd.dashboard.state import current_run
from mrwtd.dashboard.state.settings import Settings
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.runs import Workspace

OUT = current_run.EXAMPLE
METHODS = ("MrWTD", "RESCAL", "MMMF+", "BPTF", "Degree")


def main() -> None:
    """Train on the first data set of the dashboard, and export the run."""
    data = mrwtd.load_dataset(Settings.data)
    settings = Settings(methods=METHODS).resolved(data.n_objects)
    with tempfile.TemporaryDirectory() as folder:
        space = Workspace(Path(folder))
        work = train(
            settings, data, dataset_info(settings.data).title, space, f"stored example, {default_name(settings)}"
        )
        run = work(Job("example", "train", "tools", work))
        assert run is not None
        OUT.write_bytes(space.export(run.id))
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes, {dict(run.summary)}")


if __name__ == "__main__":
    main()
