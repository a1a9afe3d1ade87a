"""What the handlers are set to: time, retries, retention. Read once from the settings by the composition root."""

from dataclasses import dataclass
from datetime import timedelta

from restate import InvocationRetryPolicy

from replenisher.clock import Clock


@dataclass(frozen=True)
class StepPolicy:
    """How a step is retried. first: real seconds before the second attempt; doubles each time."""

    first: float
    attempts: int


@dataclass(frozen=True)
class Knobs:
    clock: Clock
    steps: StepPolicy
    inactivity: timedelta
    """Real time without progress after which a run is suspended."""
    retry: InvocationRetryPolicy
    """How the engine tries an invocation again whose agent is away or broken."""
    retention: timedelta
    """Real time for which runs, their promises and journals are kept."""
    check_delay: timedelta
    """Real time between two stock checks of a part."""
    rules_version: int
    """The rules under which new replenishments start."""
    answerable: tuple[str, ...]
    """Topics of suppliers' questions that master data answers."""
