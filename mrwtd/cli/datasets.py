"""`mrwtd datasets`: list the data sets that can be loaded by name."""

from dataclasses import asdict

import click

from ..data.datasets.samples import dataset_info, list_datasets
from .option_types import json_option
from .output import echo_json


@click.command()
@json_option
def datasets(as_json: bool) -> None:
    """List the data sets that can be loaded by name."""
    infos = [dataset_info(name) for name in list_datasets()]
    if as_json:
        echo_json([asdict(info) | {"options": dict(info.options)} for info in infos])
        return
    width = max(len(info.name) for info in infos)
    for info in infos:
        size = "your files" if info.needs_folder else f"{info.n_objects:,} × {info.n_relations:,}"
        click.echo(f"{info.name:<{width}}  {size:>10}  {info.question}")
