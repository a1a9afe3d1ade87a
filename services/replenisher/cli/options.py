"""Options that several commands share, each described once."""

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path | None,
    typer.Option(help="Data directory: records, engine data, addresses. Default .replenisher in the current folder."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Sku = Annotated[str, typer.Argument(help="The part, e.g. SKU-123.")]
