"""The command line: `mrwtd`, or `python -m mrwtd`."""

from importlib import import_module
from typing import Any

import click

from . import __version__, plugins
from .errors import DataError

COMMANDS = ("datasets", "fit", "compare", "experiment", "paper", "benchmark", "dashboard", "workspaces")
"""Each is a function in the module of the same name in `mrwtd.cli`."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as in shells."""

EPILOG = """
\b
Examples:
  mrwtd datasets
  mrwtd fit kinship --symmetric --train 0.1 --out run
  mrwtd compare aucs --method MrWTD-L --method RESCAL --quick
  mrwtd paper real --quick
  mrwtd --plugin my_loss.py fit ties.csv --loss distance=log-cosh

See mrwtd COMMAND --help. Exit status: 0 for success, 1 for bad data or parameters, 2 for a wrong command.
"""


class Commands(click.Group):
    """A group that imports commands on demand and reports errors in one line instead of a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by name. Only its own imports are loaded, so that listing data sets is fast."""
        return getattr(import_module(f"mrwtd.cli.{cmd_name}"), cmd_name) if cmd_name in COMMANDS else None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Any error ends it with an exit status and a one-line message."""
        verbose = bool(ctx.params.get("verbose"))
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # If it came inside exec or eval of a string (dataclasses, Numba), Python has marked it as unhandled, and
            # would end with the signal instead of the status. The next exec removes the mark.
            exec("")
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except DataError as error:
            raise click.ClickException(str(error) if verbose else one_line(error)) from None
        except MemoryError:
            raise click.ClickException("not enough memory for this data and rank") from None
        except Exception as error:
            if verbose:
                raise
            message = str(error)
            if not isinstance(error, OSError):
                message = f"{type(error).__name__}: {error} (a bug in mrwtd: mrwtd --verbose shows where)"
            raise click.ClickException(" ".join(message.split())) from None


def one_line(error: DataError) -> str:
    """The first problem, and the number of further ones.

    >>> from mrwtd.errors import Problem
    >>> one_line(DataError([Problem("'x'", "a number", line=3), Problem("'y'", "a number", line=5)], file="ties.csv"))
    "ties.csv, line 3: found 'x'; expected a number (and 1 more problem: mrwtd --verbose lists all)"
    """
    first = str(DataError(error.problems[0], file=error.file))
    more = error.total - 1
    rest = f" (and {more:,} more problem{'s' * (more > 1)}: mrwtd --verbose lists all)" if more else ""
    return " ".join(first.split()) + rest


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mrwtd")
@click.option("--plugin", multiple=True, metavar="FILE.py", help="Python file that registers a loss. May be repeated.")
@click.option("-v", "--verbose", is_flag=True, help="List every problem; show a traceback for bugs in mrwtd.")
def main(plugin: tuple[str, ...], verbose: bool) -> None:
    """Multi-relational learning by weighted tensor decomposition with modular loss."""
    del verbose  # `Commands.invoke` reads it
    plugins.load_named()
    plugins.load(plugin)
    plugins.hand_on()


if __name__ == "__main__":
    main(prog_name="mrwtd")
