"""The default reader of supplier mail: rules, no key, no network. The rules themselves are in read.py and the modules
it calls."""

from collections.abc import Mapping

from replenisher.domain.reading import Books, Reading
from replenisher.models.reader.read import VERSION, read_mail

__all__ = ["VERSION", "RulesReader", "read_mail"]


class RulesReader:
    """Implements `domain.ports.Reader`. `content` holds `subject` and `text`, or `mime`, the raw message."""

    async def read(self, content: Mapping[str, str], books: Books) -> Reading:
        return read_mail(content, books)
