"""What the world tells the agent, over the engine's ingress: in order for each part, under one id until it is heard.
Who says what and when is the business of suppliers, people and warehouse."""

import asyncio
import json
import logging
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Literal
from urllib.parse import quote

import aiohttp
from pydantic import AwareDatetime
from yarl import URL

from sandbox.events import Events
from sandbox.store import Store, Table
from sandbox.wire import Body, Json

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
ANSWER_SECONDS = 15.0
"""One try; the engine keeps what it was told under its key, so that the next try finds the answer."""
AT_ONCE = 64
LATER = (408, 425, 429)
Handler = Literal["deliver", "approve", "answer"]


log = logging.getLogger("sandbox")


class Outgoing(Body):
    """One message. `id` is that of the message, the same on every try; the row's number is its own."""

    id: str
    sku: str
    handler: Handler
    body: dict[str, Json]
    sender: str
    """A supplier, manager, buyer or warehouse."""
    created: AwareDatetime
    state: Literal["pending", "taken", "refused", "dropped"] = "pending"
    tries: int = 0
    put_off: int = 0
    """How often it was told to come again later."""
    status: int | None = None
    answer: str | None = None
    answered: AwareDatetime | None = None


class Ingress(Body):
    url: str


class Identity(Body):
    token: str


class Sender:
    def __init__(self, store: Store, events: Events, now: Callable[[], datetime], ingress: str | None) -> None:
        self._store = store
        self._outbox = Table(store, "outgoing", Outgoing)
        self._where = Table(store, "ingress", Ingress)
        self._me = Table(store, "identity", Identity)
        self._events = events
        self._now = now
        self._queues: dict[str, asyncio.Task[None]] = {}
        self._told: dict[str, asyncio.Event] = {}
        self._changed = asyncio.Event()
        self._session: aiohttp.ClientSession | None = None
        self._listeners: list[Callable[[str, Outgoing], None]] = []
        if ingress is not None:
            self._where.put("url", Ingress(url=ingress))
        if self._me.get("token") is None:
            self._me.put("token", Identity(token=uuid.uuid4().hex[:6]))

    @property
    def ingress(self) -> str | None:
        known = self._where.get("url")
        return None if known is None else known.url

    def set_ingress(self, url: str) -> None:
        self._where.put("url", Ingress(url=url))
        self._changed.set()

    def id(self, *parts: str) -> str:
        """A message id that no other sandbox, and no other life of one without a folder, uses."""
        me = self._me.get("token")
        return "-".join((*parts, me.token if me else ""))

    def listen(self, listener: Callable[[str, Outgoing], None]) -> None:
        """Called with each message (and its number) that has been answered."""
        self._listeners.append(listener)

    def send(self, sender: str, sku: str, handler: Handler, message: str, **body: Json) -> str:
        """Puts a message on its way; its number, to wait for or look up."""
        said: dict[str, Json] = {"id": message} | {k: v for k, v in body.items() if v is not None}
        row = Outgoing(id=message, sku=sku, handler=handler, body=said, sender=sender, created=self._now())
        number, _ = self._outbox.add(row)
        self._told[number] = asyncio.Event()
        self._wake(sku)
        return number

    def get(self, number: str) -> Outgoing | None:
        return self._outbox.get(number)

    def sent(self) -> list[tuple[str, Outgoing]]:
        return list(self._outbox.items())

    def drop(self, sku: str | None = None) -> int:
        """Gives up what has not been heard yet; how many messages."""
        pending = [(n, m) for n, m in self._outbox.items() if m.state == "pending" and sku in (None, m.sku)]
        for number, message in pending:
            self._end(number, message, "dropped", None, None)
        return len(pending)

    async def answered(self, number: str, within: float) -> Outgoing | None:
        """The message, when it is answered or the time (real seconds) is over."""
        told = self._told.get(number)
        if told is not None:
            try:
                async with asyncio.timeout(within):
                    await told.wait()
            except TimeoutError:
                pass
        return self.get(number)

    async def start(self) -> None:
        connector = aiohttp.TCPConnector(limit=AT_ONCE)
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS, sock_connect=5)
        self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        for sku in {m.sku for _, m in self._outbox.items() if m.state == "pending"}:
            self._wake(sku)

    async def stop(self) -> None:
        for task in self._queues.values():
            task.cancel()
        await asyncio.gather(*self._queues.values(), return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    def headers(self, message: Outgoing) -> dict[str, str]:
        """What goes with a message. Signed tokens of the sender will be put in here."""
        # the engine keeps the first answer under a key, also when that was to come again later
        key = message.id if not message.put_off else f"{message.id}/{message.put_off + 1}"
        # an id may hold a part's number, which holds anything; a header holds ASCII
        return {"content-type": "application/json", "idempotency-key": quote(key, safe="/:-._~ ")}

    def _wake(self, sku: str) -> None:
        running = self._queues.get(sku)
        if self._session is not None and (running is None or running.done()):
            self._queues[sku] = asyncio.create_task(self._deliver(sku))
            self._queues[sku].add_done_callback(_tell_of_failure)

    async def _deliver(self, sku: str) -> None:
        pause = FIRST_PAUSE
        while (next_one := self._next(sku)) is not None:
            number, message = next_one
            status, answer = await self._try(message)
            current = self._outbox.get(number)
            if current is None or current.state != "pending":
                continue
            with self._store.together():
                counts = {"tries": current.tries + 1, "put_off": current.put_off + (status in LATER)}
                tried = self._outbox.put(number, current.model_copy(update=counts))
                if status is not None and status < 500 and status not in LATER:
                    self._end(number, tried, "taken" if status < 300 else "refused", status, answer)
                    pause = FIRST_PAUSE
                    continue
            await self._pause(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    def _next(self, sku: str) -> tuple[str, Outgoing] | None:
        return next(((n, m) for n, m in self._outbox.items() if m.sku == sku and m.state == "pending"), None)

    async def _pause(self, seconds: float) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            pass

    async def _try(self, message: Outgoing) -> tuple[int | None, str | None]:
        """Status and body of the answer; no status when there was none."""
        if self._session is None or self.ingress is None:
            return None, None
        path = f"SkuAgent/{quote(message.sku, safe='')}/{message.handler}"
        url = URL(f"{self.ingress.rstrip('/')}/{path}", encoded=True)
        try:
            async with self._session.post(
                url, data=json.dumps(message.body).encode(), headers=self.headers(message), allow_redirects=False
            ) as answer:
                return answer.status, (await answer.text(errors="replace"))[:2000]
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            return None, str(error)

    def _end(
        self,
        number: str,
        message: Outgoing,
        state: Literal["taken", "refused", "dropped"],
        status: int | None,
        answer: str | None,
    ) -> None:
        done = message.model_copy(update={"state": state, "status": status, "answer": answer, "answered": self._now()})
        self._outbox.put(number, done)
        for listener in self._listeners:
            listener(number, done)
        self._events.tell(
            "told", id=done.id, sku=done.sku, handler=done.handler, sender=done.sender, state=state, status=status
        )
        told = self._told.pop(number, None)
        if told is not None:
            told.set()


def _tell_of_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.critical("a message could not be sent for a fault of the sandbox's own", exc_info=error)
