"""What the agent can do: one class a tool, a module a family. Built on harness and domain;
the world comes in through ports."""

from replenisher.tools.approvals import RemindManager, RequestApproval, WaitForApproval
from replenisher.tools.base import Context, ReplenishTool
from replenisher.tools.buyer import AskBuyer, WaitForBuyer
from replenisher.tools.cancelling import CancelDraft, CancelOrder
from replenisher.tools.closing import ClosePurchaseOrder, Done, WaitToRetry
from replenisher.tools.drafting import DraftPurchaseOrder, GetQuotes
from replenisher.tools.goods import WaitForGoods
from replenisher.tools.ordering import CheckOrder, PlaceOrder
from replenisher.tools.reading import ReadSupplierReply
from replenisher.tools.replies import AnswerSupplier, ChaseSupplier, WaitForSupplierReply
from replenisher.tools.terms import AcceptTerms

TOOLS: tuple[ReplenishTool, ...] = (
    ReadSupplierReply(),
    ClosePurchaseOrder(),
    CancelOrder(),
    CancelDraft(),
    AcceptTerms(),
    AnswerSupplier(),
    AskBuyer(),
    CheckOrder(),
    PlaceOrder(),
    RequestApproval(),
    RemindManager(),
    ChaseSupplier(),
    DraftPurchaseOrder(),
    GetQuotes(),
    WaitForBuyer(),
    WaitForApproval(),
    WaitForSupplierReply(),
    WaitForGoods(),
    WaitToRetry(),
    Done(),
)
"""In the rules' order of preference: what is owed comes before what is new, and waiting last."""

__all__ = ["TOOLS", "Context"]
