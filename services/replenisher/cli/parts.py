"""Commands about parts: import, watch, unwatch, check, cancel, status, outcomes."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track

from replenisher.cli.client import FAILED, USAGE, Ingress, reachable, settings, show, stop
from replenisher.cli.options import AsJson, Data, Sku
from replenisher.cli.staging import tell_world
from replenisher.cli.words import outcome_line, status_text
from replenisher.systems.records.csv_files import StructuralError, read_files
from replenisher.systems.records.importer import apply
from replenisher.systems.records.master import MasterData

Skus = Annotated[list[str] | None, typer.Argument(help="The parts, e.g. SKU-123.")]
All = Annotated[bool, typer.Option("--all", help="Every part in the records.")]


def import_files(
    files: Annotated[list[Path], typer.Argument(help="parts.csv supplier_parts.csv [rates.csv] [stock_count.csv]")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Fill the embedded system of record from CSV files.

    What is understood is kept, what is not is reported by line; a second import of the same files changes nothing.

    Example: replenisher import parts.csv supplier_parts.csv rates.csv stock_count.csv
    """
    missing = [str(f) for f in files if not f.is_file()]
    if missing:
        stop(USAGE, f"no such file: {', '.join(missing)}")
    chosen = settings(data)
    chosen.data.mkdir(parents=True, exist_ok=True)
    try:
        report = apply(read_files(files), MasterData(chosen.records_file))
    except StructuralError as error:
        stop(FAILED, f"{str(error).rstrip('.')}; nothing was changed")
    tell_world(chosen)
    show(report.as_json(), as_json, f"{report.text()}\nthe records are {chosen.records_file}")


def chosen_skus(skus: list[str] | None, everything: bool, data: Path | None) -> list[str]:
    if everything:
        records = settings(data).records_file
        known = MasterData(records).skus() if records.exists() else []
        if not known:
            stop(FAILED, f"there are no parts in {records}: import some first (replenisher import parts.csv ...)")
        return known
    if not skus:
        stop(USAGE, "name a part, or say --all")
    return skus


def watch(skus: Skus = None, everything: All = False, data: Data = None, as_json: AsJson = False) -> None:
    """Keep parts in stock from now on.

    Example: replenisher watch SKU-123    or    replenisher watch --all
    """
    _each("watch", chosen_skus(skus, everything, data), data, as_json)


def unwatch(skus: Skus = None, everything: All = False, data: Data = None, as_json: AsJson = False) -> None:
    """Start nothing new for these parts; what is under way goes on to its end.

    Example: replenisher unwatch SKU-123    or    replenisher unwatch --all
    """
    _each("unwatch", chosen_skus(skus, everything, data), data, as_json)


def check(sku: Sku, data: Data = None, as_json: AsJson = False) -> None:
    """Look at the stock of a part now, and start a replenishment when it is short.

    Example: replenisher check SKU-123
    """
    said = Ingress(reachable(data).ingress).call(sku, "check")
    show(said, as_json, f"{sku}: {said['status']}" + (f" ({said['run']})" if "run" in said else ""))


def cancel(
    sku: Sku, reason: Annotated[str, typer.Option(help="Why.")] = "", data: Data = None, as_json: AsJson = False
) -> None:
    """End the active replenishment of a part in order: its draft and its orders are cancelled.

    Example: replenisher cancel SKU-123 --reason "no longer made"
    """
    said = Ingress(reachable(data).ingress).call(sku, "cancel", {"reason": reason})
    show(said, as_json, f"{sku}: {said['status']}")


def status(sku: Sku, data: Data = None, as_json: AsJson = False) -> None:
    """What is in stock and on order, what its agent does or waits for, and until when.

    Example: replenisher status SKU-123    or    replenisher status SKU-123 --json
    """
    said = Ingress(reachable(data).ingress).call(sku, "status")
    show(said, as_json, status_text(said))


def outcomes(sku: Sku, data: Data = None, as_json: AsJson = False) -> None:
    """How the latest replenishments of a part ended, and why.

    Example: replenisher outcomes SKU-123
    """
    said: list[dict[str, Any]] = Ingress(reachable(data).ingress).call(sku, "outcomes")
    show(said, as_json, "\n".join(outcome_line(o) for o in said) or f"{sku}: no replenishment has ended yet")


def _each(handler: str, skus: list[str], data: Path | None, as_json: bool) -> None:
    ingress = Ingress(reachable(data).ingress)
    for sku in track(skus, handler, transient=True, disable=as_json or len(skus) < 20):
        said = ingress.call(sku, handler)
        if as_json or len(skus) < 20:
            show({"sku": sku, **said}, as_json, f"{sku}: {said['status']}")
    if not as_json and len(skus) >= 20:
        print(f"{len(skus)} parts: {handler} done")


def add_to(app: typer.Typer) -> None:
    app.command("import")(import_files)
    for command in (watch, unwatch, check, cancel, status, outcomes):
        app.command()(command)
