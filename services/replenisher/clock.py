"""Business time: real time, or real time run faster so that weeks pass in seconds. The same in agent and sandbox."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

REAL_DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Clock:
    """`epoch` plus the time since it, scaled by 86400 / day.

    epoch: the real instant (UTC) at which business time and real time agree.
    day: real seconds in one business day; 86400 is real time.
    """

    day: float = REAL_DAY
    epoch: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Business time now, UTC."""
        return self.at(datetime.now(UTC))

    def at(self, real: datetime) -> datetime:
        """Business time at a real instant."""
        return self.epoch + (real - self.epoch) * (REAL_DAY / self.day)

    def real(self, business: datetime) -> datetime:
        """The real instant at which it is this business time."""
        return self.epoch + (business - self.epoch) * (self.day / REAL_DAY)

    def real_seconds(self, span: timedelta) -> float:
        """How long a span of business time lasts, in real seconds."""
        return span.total_seconds() * self.day / REAL_DAY
