"""`mrwtd dashboard`: start the dashboard in a Streamlit server."""

import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

import click

from ..dashboard.jobs.estimates import available
from ..data.location import site_folder
from ..errors import DataError, Problem
from ..hosting.config import SESSION_ONLY, VARIABLE, Config, config
from ..hosting.machine_check import DEFAULT_PORT, Finding, check_machine
from ..runs import Run, load_run
from .option_types import config_option

PORTS = range(DEFAULT_PORT, DEFAULT_PORT + 100)


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the server.  [default: 8501 or the next free one]")
@click.option("--address", help="Address to listen on.  [default: this computer only]")
@click.option("--base-path", default="", metavar="PATH", help="Path of the dashboard behind a proxy, such as /mrwtd.")
@config_option("TOML file with limits for uploads, jobs and workspaces; docs/server.toml lists them.")
@click.option("--session-only", is_flag=True, help="Store nothing: runs and uploads end with the browser session.")
@click.option("--check", is_flag=True, help="Check whether this machine is suitable for a server, and start none.")
@click.option(
    "--open",
    "path",
    type=click.Path(exists=True, path_type=Path),
    metavar="RUN",
    help="Show a run: a folder written by mrwtd fit --out, a zip of it, or an exported run.",
)
def dashboard(
    port: int | None,
    address: str | None,
    base_path: str,
    session_only: bool,
    check: bool,
    path: Path | None,
) -> None:
    """Start the dashboard and print its URL."""
    if session_only:
        os.environ[SESSION_ONLY] = "1"
        config.cache_clear()
    if check:
        sys.exit(_print_findings(address or "localhost", port))
    options = {"maxUploadSize": config().uploads.max_mb, "baseUrlPath": base_path.strip("/")}
    if path is not None:
        port = port or next(filter(_is_free, PORTS), PORTS[0])
        url = run_url(_load_fitted_run(path), port, address or "localhost", base_path)
        click.echo(f"{path.name} is shown at {url}")
        os.environ["MRWTD_OPEN"] = str(path.resolve())
    command = [sys.executable, "-m", "streamlit", "run", str(site_folder() / "app.py")]
    for option, value in {"port": port, "address": address, **options}.items():
        command += [f"--server.{option}={value}"] if value not in (None, "") else []
    if os.name == "posix":
        os.execv(sys.executable, command)  # The server replaces this process and receives its signals.
    sys.exit(subprocess.run(command, check=False).returncode)


def _print_findings(address: str, port: int | None) -> int:
    """Print what was found on this machine. The exit status is 1 if the dashboard cannot run on it."""
    findings, settings = [], Config()
    try:
        settings = config()
        findings.append(Finding("config", "ok", Path(os.environ.get(VARIABLE, "")).name or "no file: the defaults"))
    except DataError as error:
        findings += [Finding("config", "problem", f"{error.file}: {problem}") for problem in error.problems]
    findings += check_machine(settings, available(), address, port)
    for finding in findings:
        click.echo(finding)
    count = Counter(finding.status for finding in findings)
    click.echo(f"Problems: {count['problem']}, warnings: {count['warning']}")
    return int(count["problem"] > 0)


def _load_fitted_run(path: Path) -> Run:
    """Load a run, and refuse one without a fitted method before a server is started."""
    run = load_run(path)
    if not run.methods:
        raise DataError(Problem("a run without a fitted method", "a run with one or more"), file=path.name)
    return run


def run_url(run: Run, port: int, host: str = "localhost", base_path: str = "") -> str:
    """The URL at which the dashboard shows a run.

    >>> from mrwtd.runs import DataRef, RunSpec, SplitSpec
    >>> spec = RunSpec(DataRef("aucs", sample=True), SplitSpec(0.3), ())
    >>> run_url(Run(spec, "finished", 1.0, ("CP",), id="18f-2a"), 8501)
    'http://localhost:8501/Train?data=aucs&run=18f-2a'
    """
    data = run.spec.data.name if run.spec.data.plain_sample else f"own-{run.digest}"
    page = "/".join(part for part in (base_path.strip("/"), "Train") if part)
    return f"http://{host}:{port}/{page}?{urlencode({'data': data, 'run': run.id})}"


def _is_free(port: int) -> bool:
    with socket.socket() as server:
        return server.connect_ex(("127.0.0.1", port)) != 0
