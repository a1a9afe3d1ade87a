"""Commands of people: decide on an approval request, answer a question, see what is open."""

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any
from uuid import uuid4

import typer

from replenisher.cli.client import USAGE, Ingress, reachable, show, stop
from replenisher.cli.options import AsJson, Data, Sku

Id = Annotated[str | None, typer.Option("--id", help="Message id; the same id twice is one message.")]


def approve(
    sku: Sku,
    approval: Annotated[str, typer.Argument(help="The request, e.g. PO-4471/1 (see status).")],
    ceiling: Annotated[str | None, typer.Option(help="Lower the ceiling to this unit price.")] = None,
    reject: Annotated[bool, typer.Option("--reject", help="Reject instead.")] = False,
    another: Annotated[str | None, typer.Option(help="Reject for another of the quotes, e.g. B/B-123.")] = None,
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    message: Id = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Decide on an open approval request.

    Example: replenisher approve SKU-123 PO-4471/1 --ceiling 4.30
             replenisher approve SKU-123 PO-4471/1 --reject --reason "too dear"
    """
    body: dict[str, Any] = {
        "id": message or f"cli-{uuid4()}",
        "approval": approval,
        "approved": not (reject or another),
        "reason": reason,
    }
    if ceiling is not None:
        try:
            body["ceiling"] = str(Decimal(ceiling))
        except InvalidOperation:
            stop(USAGE, f"--ceiling {ceiling} is not a number like 4.30")
    if another is not None:
        body["another"] = another
    said = Ingress(reachable(data).ingress).call(sku, "approve", body)
    show(said, as_json, f"{approval}: {said['status']}")


def answer(
    sku: Sku,
    question: Annotated[str, typer.Argument(help="The question, e.g. PO-4471/late-date/1 (see status).")],
    choice: Annotated[str, typer.Argument(help="One of its choices (see status).")],
    text: Annotated[str, typer.Option(help="What to tell the supplier, where the choice is `answer`.")] = "",
    message: Id = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question the agent asked the buyer.

    Example: replenisher answer SKU-123 PO-4471/late-date/1 accept
    """
    body = {"id": message or f"cli-{uuid4()}", "question": question, "choice": choice, "text": text}
    said = Ingress(reachable(data).ingress).call(sku, "answer", body)
    show(said, as_json, f"{question}: {said['status']}")


def add_to(app: typer.Typer) -> None:
    app.command()(approve)
    app.command()(answer)
