"""How a handler is registered: any JSON in and out, read leniently, public or private."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from restate import VirtualObject, Workflow

from replenisher.handlers.serde import RAW

F = TypeVar("F", bound=Callable[..., Any])


def on_object(service: VirtualObject, name: str, *, shared: bool = False, private: bool = False) -> Callable[[F], F]:
    """Registers an exclusive (or shared) handler; a private one cannot be reached through the ingress."""
    kind: Literal["exclusive", "shared"] = "shared" if shared else "exclusive"
    decorate: Callable[[F], Any] = service.handler(
        name, kind=kind, accept="*/*", input_serde=RAW, output_serde=RAW, ingress_private=private
    )

    def register(handler: F) -> F:
        decorate(handler)
        return handler

    return register


def on_workflow(service: Workflow, name: str, *, private: bool = False) -> Callable[[F], F]:
    """Registers a shared handler of a workflow."""
    decorate: Callable[[F], Any] = service.handler(
        name, accept="*/*", input_serde=RAW, output_serde=RAW, ingress_private=private
    )

    def register(handler: F) -> F:
        decorate(handler)
        return handler

    return register
