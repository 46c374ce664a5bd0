"""`mrwtd dashboard`: the pages, in a server of their own."""

from __future__ import annotations

import os
import subprocess
import sys

import click

from ..data.location import site_folder


@click.command()
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
