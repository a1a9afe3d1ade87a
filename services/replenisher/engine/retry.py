"""How long the engine holds a waiting run in memory, and how it tries again when the agent is away.
The retries of one step (6 attempts, 2 s, doubling) are the harness's and do not live here."""

from __future__ import annotations

from datetime import timedelta

from restate import InvocationRetryPolicy

# Without progress for this long a run is suspended. At most a second: while an idle run holds its connection, an
# agent that went away is noticed, and tried again, only through it.
INACTIVITY = timedelta(seconds=1)

# For every handler of entity, relay and run. The engine's own default (70 attempts) is spent after about an hour;
# then everything that was touched is paused and nothing resumes by itself. A million attempts at one a minute are
# almost two years, so an outage of a week needs nobody: the run goes on within a minute of the agent's return.
RETRY_POLICY = InvocationRetryPolicy(
    initial_interval=timedelta(milliseconds=500),
    exponentiation_factor=2.0,
    max_interval=timedelta(seconds=60),
    max_attempts=1_000_000,
    on_max_attempts="pause",
)
