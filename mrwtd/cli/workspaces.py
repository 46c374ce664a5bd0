"""`mrwtd workspaces`: list, back up, restore and delete the workspaces of a server."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..hosting import backup, home
from ..hosting import workspaces as stored
from ..hosting.config import config
from ..runs.quota import MB
from .option_types import config_option
from .output import echo_json

EXAMPLES = """
\b
Examples:
  mrwtd workspaces list
  mrwtd workspaces --config server.toml backup all.tar.gz
  mrwtd workspaces restore all.tar.gz --replace
  mrwtd workspaces delete 5e884898da28047151d0e56f8dc62927
  mrwtd workspaces clean --days 30

They are in workspaces.folder of the configuration, or in MRWTD_HOME. The server may run meanwhile.
"""


@click.group(epilog=EXAMPLES)
@config_option("The configuration of the server.")
def workspaces() -> None:
    """List, back up, restore and delete the workspaces of a server."""


@workspaces.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_all(as_json: bool) -> None:
    """List all workspaces with runs, uploads, size and days since the last visit, the last visited first."""
    rows: list[dict[str, Any]] = [
        {"id": item.id, "runs": item.usage.runs, "uploads": item.usage.uploads,
         "mb": round(item.usage.bytes / MB, 1), "idle_days": round(item.idle_days, 1)}
        for item in stored.list_workspaces(_folder())
    ]  # fmt: skip
    if as_json:
        echo_json(rows)
        return
    click.echo(f"{'workspace':<32}  {'runs':>5}  {'uploads':>7}  {'MB':>9}  {'days idle':>9}")
    for row in rows:
        click.echo(
            f"{row['id']:<32}  {row['runs']:>5}  {row['uploads']:>7}  {row['mb']:>9,.1f}  {row['idle_days']:>9,.1f}"
        )
    total = sum(row["mb"] for row in rows)
    click.echo(f"{_count(len(rows))}, {total:,.1f} MB")


@workspaces.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("ids", nargs=-1, metavar="[WORKSPACE]...")
def back_up(file: Path, ids: tuple[str, ...]) -> None:
    """Write all workspaces, or those named, to a tar file; a name that ends in gz is compressed.

    A backup of all workspaces also has the key of the users' ids: without it, a server does not recognize its users.
    """
    written = backup.back_up(config().home, file, ids)
    click.echo(f"{file.name}: {_count(len(written))}, {file.stat().st_size / MB:,.1f} MB")


@workspaces.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace workspaces that exist.")
def restore(file: Path, **options: bool) -> None:
    """Restore the workspaces of a backup: all of them or, if anything is wrong, none.

    A server that runs has to be restarted to use the key of the backup.
    """
    restored = backup.restore(config().home, file, config().workspaces, **options)
    click.echo(f"Restored {_count(len(restored))}.")


@workspaces.command("delete")
@click.argument("ids", nargs=-1, required=True, metavar="WORKSPACE...")
@click.confirmation_option(prompt="Delete all runs and uploads in these workspaces?")
def delete(ids: tuple[str, ...]) -> None:
    """Delete workspaces with everything in them."""
    for id in ids:
        stored.delete_workspace(_folder(), id)
    click.echo(f"Deleted {_count(len(ids))}.")


@workspaces.command("clean")
@click.option("--days", type=click.IntRange(1), help="Days without a visit.  [default: workspaces.idle_days]")
@click.option("--dry-run", is_flag=True, help="List what would be deleted, and delete nothing.")
def clean(days: int | None, dry_run: bool) -> None:
    """Delete workspaces that nobody has visited for a while, and unfinished writes of killed servers."""
    limits = config().workspaces
    limits = replace(limits, idle_days=days or limits.idle_days)
    if dry_run:
        listed = stored.list_workspaces(_folder())
        idle = [item.id for item in listed if 0 < limits.idle_days < item.idle_days]
    else:
        idle = stored.clean(_folder(), limits)
    for id in idle:
        click.echo(id)
    click.echo(f"{'Would delete' if dry_run else 'Deleted'} {_count(len(idle))}.")


def _folder() -> Path:
    return config().home / home.WORKSPACES


def _count(number: int) -> str:
    return f"{number:,} workspace{'s' * (number != 1)}"
