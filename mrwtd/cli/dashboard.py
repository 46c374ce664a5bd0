"""`mrwtd dashboard`: start the dashboard in a Streamlit server."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import click

from ..data.location import site_folder
from ..errors import DataError, Problem
from ..runs import Run, load_run

PORTS = range(8501, 8601)


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the server.  [default: 8501 or the next free one]")
@click.option("--address", help="Address to listen on.  [default: this computer only]")
@click.option(
    "--open",
    "path",
    type=click.Path(exists=True, path_type=Path),
    metavar="RUN",
    help="Show a run: a folder written by mrwtd fit --out, a zip of it, or an exported run.",
)
def dashboard(port: int | None, address: str | None, path: Path | None) -> None:
    """Start the dashboard and print its URL."""
    if path is not None:
        port = port or next(filter(_is_free, PORTS), PORTS[0])
        click.echo(f"{path.name} is shown at {run_url(_load_tested_run(path), port, address or 'localhost')}")
        os.environ["MRWTD_OPEN"] = str(path.resolve())
    command = [sys.executable, "-m", "streamlit", "run", str(site_folder() / "app.py")]
    for option, value in (("port", port), ("address", address)):
        command += [f"--server.{option}={value}"] if value is not None else []
    if os.name == "posix":
        os.execv(sys.executable, command)  # The server replaces this process and receives its signals.
    sys.exit(subprocess.run(command, check=False).returncode)


def _load_tested_run(path: Path) -> Run:
    """Load a run, and refuse one without test scores before a server is started."""
    run = load_run(path)
    if not run.methods or run.spec.split.train == 1:
        problem = Problem("a run without test entries", "one with a training fraction below 1")
        raise DataError(problem, file=path.name)
    return run


def run_url(run: Run, port: int, host: str = "localhost") -> str:
    """The URL at which the dashboard shows a run.

    >>> from mrwtd.runs import DataRef, RunSpec, SplitSpec
    >>> spec = RunSpec(DataRef("aucs", sample=True), SplitSpec(0.3), ())
    >>> run_url(Run(spec, "finished", 1.0, ("CP",), id="18f-2a"), 8501)
    'http://localhost:8501/Train?data=aucs&run=18f-2a'
    """
    data = run.spec.data.name if run.spec.data.plain_sample else f"own-{run.digest}"
    return f"http://{host}:{port}/Train?{urlencode({'data': data, 'run': run.id})}"


def _is_free(port: int) -> bool:
    with socket.socket() as server:
        return server.connect_ex(("127.0.0.1", port)) != 0
