"""The command line: one module a group of commands. It talks to what runs over the ingress, like anybody else."""

import sys

import typer

from replenisher.cli import looking, parts, people, running, upgrading
from replenisher.cli.client import FAILED
from replenisher.domain.ports import Unavailable

app = typer.Typer(
    name="replenisher",
    help="Keeps a manufacturer's parts in stock: one long-lived agent per part, on Restate.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for room in (running, upgrading, parts, people, looking):
    room.add_to(app)


def main() -> None:
    """The command `replenisher`. Exit codes: 0 done, 1 it did not hold or failed, 2 wrong usage, 3 nothing answers,
    4 refused with a reason."""
    try:
        app()
    except Unavailable as error:
        print(f"the records cannot be used: {error}", file=sys.stderr)
        sys.exit(FAILED)
