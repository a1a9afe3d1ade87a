"""Whether a machine answered: absence notes, bounces, tickets. An order confirmation that an ERP sent is not one of
these."""

import re

from replenisher.models.reader import lexicon
from replenisher.models.reader.folding import fold
from replenisher.models.reader.mime import Mail


def automatic(mail: Mail, own: str) -> bool:
    """`own` is the folded text without quotes and signature."""
    kind = fold(mail.headers.get("content-type", ""))
    if ("report" in kind and "delivery-status" in kind) or "x-failed-recipients" in mail.headers:
        return True
    confirms = lexicon.every("order_confirmed").search(own) is not None
    subject = fold(mail.subject)
    if lexicon.every("auto").search(subject):
        return True
    submitted = fold(mail.headers.get("auto-submitted", "no"))
    replied = submitted.startswith("auto-replied") or "x-autoreply" in mail.headers or "x-autorespond" in mail.headers
    if replied or fold(mail.headers.get("precedence", "")) in ("auto_reply", "auto-reply"):
        return True
    if re.match(r"(?:mailer-daemon|postmaster)@", fold(mail.headers.get("from", ""))):
        return True
    if confirms:
        return False
    if submitted.startswith("auto-") and lexicon.every("ticket", "receipt", "auto").search(own):
        return True
    return lexicon.every("auto").search(own) is not None or (
        lexicon.every("ticket").search(subject) is not None and lexicon.every("ticket").search(own) is not None
    )
