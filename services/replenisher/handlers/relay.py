"""The relay between a run and its entity: it attaches to the run, which it did not start, and tells the entity how it
ended.
Killing it harms nothing; cancelled, it asks to be started again."""

from restate import Context, Service
from restate.exceptions import TerminalError

from replenisher.handlers.knobs import Knobs
from replenisher.handlers.serde import RAW, Json

NAME = "Relay"


def relay(knobs: Knobs) -> Service:
    service = Service(
        NAME,
        inactivity_timeout=knobs.inactivity,
        invocation_retry_policy=knobs.retry,
        journal_retention=knobs.retention,
        ingress_private=True,
    )

    @service.handler("follow", input_serde=RAW, output_serde=RAW, accept="*/*")
    async def follow(ctx: Context, body: Json) -> None:
        """body: {"sku", "run", "invocation", "again": how often a 409 has been seen}."""
        told: Json = {"run": body["run"]}
        try:
            told["result"] = await ctx.attach_invocation(body["invocation"], serde=RAW)
        except TerminalError as error:
            # a run returns an outcome when it is cancelled, so a 409 is the relay's own; a second one is the run's
            if error.status_code == 409 and not body.get("again"):
                ctx.generic_send(
                    "SkuAgent", "rewatch", RAW.serialize({"run": body["run"], "again": 1}), key=body["sku"]
                )
                return
            told["failed"] = f"{error.status_code}: {error.message}"[:300]
        ctx.generic_send("SkuAgent", "finished", RAW.serialize(told), key=body["sku"])

    return service
