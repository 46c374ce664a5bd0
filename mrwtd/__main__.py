"""The command line: `mrwtd`, or `python -m mrwtd`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from typing import Any

import click

from . import __version__
from .data.errors import DataError
from .data.location import site_folder
from .data.samples import about, list_datasets


class Commands(click.Group):
    """Commands that fail with a message in place of a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; bad input and unreadable files end it with status 1 and what is wrong."""
        try:
            return super().invoke(ctx)
        except (DataError, OSError) as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mrwtd")
def main() -> None:
    """Multi-relational learning by weighted tensor decomposition with modular loss."""


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def datasets(as_json: bool) -> None:
    """List the data sets that can be had by name."""
    known = [about(name) for name in list_datasets()]
    if as_json:
        rows = [asdict(entry) | {"options": dict(entry.options)} for entry in known]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max(len(entry.name) for entry in known)
    for entry in known:
        size = "your files" if entry.needs_folder else f"{entry.n_objects:,} × {entry.n_relations:,}"
        click.echo(f"{entry.name:<{width}}  {size:>10}  {entry.question}")


@main.command()
@click.option("--port", type=click.IntRange(1, 65535), help="The port; without it, 8501 or the next that is free.")
@click.option("--address", help="The address to listen on; without it, this computer only.")
def dashboard(port: int | None, address: str | None) -> None:
    """Start the dashboard, and print its address."""
    command = [sys.executable, "-m", "streamlit", "run", str(site_folder() / "app.py")]
    for option, value in (("port", port), ("address", address)):
        command += [f"--server.{option}={value}"] if value is not None else []
    if os.name == "posix":
        os.execv(sys.executable, command)  # The server takes our place, and gets the signals that are meant for it.
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main(prog_name="mrwtd")
