"""The long history of outcomes, in an object of its own so that the entity stays small: one key each, loaded when
asked for."""

from typing import cast

from restate import ObjectContext, ObjectSharedContext, VirtualObject

from replenisher.handlers.knobs import Knobs
from replenisher.handlers.serde import RAW, Json
from replenisher.handlers.serving import on_object

NAME = "OutcomeArchive"
PAGE = 100


def archive(knobs: Knobs) -> VirtualObject:
    service = VirtualObject(
        NAME,
        inactivity_timeout=knobs.inactivity,
        invocation_retry_policy=knobs.retry,
        journal_retention=knobs.retention,
        enable_lazy_state=True,
    )

    @on_object(service, "keep", private=True)
    async def keep(ctx: ObjectContext, body: Json) -> None:
        """body: {"n": number of the replenishment, "outcome"}. Kept twice, it is the same."""
        ctx.set(f"outcome-{body['n']:08}", body["outcome"], serde=RAW)

    @on_object(service, "page", shared=True)
    async def page(ctx: ObjectSharedContext, body: Json) -> Json:
        """body: {"before": n} or nothing: at most 100 outcomes, the latest first."""
        before = cast("dict[str, Json]", body).get("before") if isinstance(body, dict) else None
        keys = sorted((k for k in await ctx.state_keys() if k.startswith("outcome-")), reverse=True)
        if isinstance(before, int):
            keys = [k for k in keys if int(k.removeprefix("outcome-")) < before]
        return [await ctx.get(k, serde=RAW) for k in keys[:PAGE]]

    return service
