"""The figures of the business: how long things stay open, how often they are tried. Durations are business time."""

from datetime import timedelta
from decimal import Decimal

DAY = timedelta(days=1)

APPROVAL_WAIT = timedelta(days=3)
"""One wait for the manager's decision; after it a reminder is due."""
APPROVAL_OPEN = timedelta(days=12)
"""How long an approval request can be decided."""
DECISION_HOLDS = timedelta(days=5)
"""How long an approval, once given, guards sending and new terms."""
MAX_REMINDERS = 2
"""The second one goes to the escalation contact."""

PRICE_RANGE = Decimal("1.05")
"""An approval covers the price up to this multiple of it: 4.20 is approved up to 4.41."""

QUOTE_ROUNDS = 3
RETRY_AFTER = DAY
"""A failed quote round, check, reprice or cancellation is tried again after this."""
ORDER_CHECKS = 3
"""Checks of one unknown order, counted across replenishments."""
CANCEL_TRIES = 3

REPLY_WAIT = timedelta(days=7)
"""One wait for the supplier's acknowledgement, and for goods after a chase."""
GOODS_GRACE = timedelta(days=2)
"""Days after the promised (else due) date before goods count as overdue."""
MAX_CHASES = 3
"""Chases of one phase: acknowledgement or goods."""
LATE_TOLERANCE = timedelta(days=5)
"""A promised date later than due by more than this is the buyer's decision."""
BUYER_WAIT = timedelta(days=3)
QUESTION_TRIES = 3
"""A question that reached nobody is sent again a day later, so often in all."""

OVER_DELIVERY = Decimal("1.05")
"""Receipts up to this multiple of the ordered quantity are booked without asking."""
EXCESS = Decimal(10)
"""A purchase of more than this many times the need is asked, not ordered."""

HOLD = timedelta(days=7)
"""After `rejected` and `gave_up` nothing is started for this long."""

QUIET_TURNS = 30
"""Turns of one replenishment since the last message from outside."""
ALL_TURNS = 200
