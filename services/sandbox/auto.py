"""A world that answers by itself: what suppliers, manager and buyer do when nobody wrote a script for them."""

from sandbox.answers import Choice, Choices, Decision, Decisions
from sandbox.scripts import Delivery, Script, Step

SILENT_SCRIPT = Script()
SILENT_DECISIONS = Decisions(answers=())
SILENT_CHOICES = Choices(answers=())

SCRIPT = Script(
    on_order=(Step(after_days=1, send="confirm"),),
    on_chase=(Step(after_days=0.5, send="confirm"),),
    on_answer=(Step(after_days=0.5, send="confirm"),),
    deliver=(Delivery(),),
)
"""At the order's own terms, and in full after the lead time."""

DECISIONS = Decisions(answers=(Decision(decision="approve", after_days=0.2),))

CHOICES = Choices(
    answers=(
        Choice(subject="question", choice="answer", text="Please go ahead as ordered.", after_days=0.2),
        # what could go round for ever is tried once more and then given up
        Choice(subject="no-reply", choice="chase_again", after_days=0.2),
        Choice(subject="no-reply", choice="give_up", after_days=0.2),
        Choice(subject="no-goods", choice="chase_again", after_days=0.2),
        Choice(subject="no-goods", choice="give_up", after_days=0.2),
        Choice(subject="no-decision", choice="look_again", after_days=0.2),
        Choice(subject="no-decision", choice="give_up", after_days=0.2),
        Choice(subject="cancel-unknown", choice="look_again", after_days=0.2),
        Choice(subject="cancel-unknown", choice="give_up", after_days=0.2),
        Choice(subject="excess-quantity", choice="accept", after_days=0.2),
        # give_up when there is no price, accept what was delivered or acknowledged, ignore what cannot be read
        Choice(choice="first", after_days=0.2),
    )
)
