"""`mrwtd datasets`: what can be loaded by name."""

from __future__ import annotations

from dataclasses import asdict

import click

from ..data.datasets.samples import dataset_info, list_datasets
from .output import echo_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def datasets(as_json: bool) -> None:
    """List the data sets that can be had by name."""
    known = [dataset_info(name) for name in list_datasets()]
    if as_json:
        echo_json([asdict(entry) | {"options": dict(entry.options)} for entry in known])
        return
    width = max(len(entry.name) for entry in known)
    for entry in known:
        size = "your files" if entry.needs_folder else f"{entry.n_objects:,} × {entry.n_relations:,}"
        click.echo(f"{entry.name:<{width}}  {size:>10}  {entry.question}")
