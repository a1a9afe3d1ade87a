"""HTML of a mail to the text a person sees: hidden parts and quoted history go, table rows become lines. No meaning
is looked at."""

import re
import warnings
from itertools import islice

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning
from bs4.element import Comment, NavigableString, PageElement, PreformattedString, Tag

MOST = 200_000
MOST_NODES = 30_000
CELL = " | "
"""Between the cells of a table row."""
QUOTED = "\n-----Original Message-----\n"
"""Stands where an older mail begins that goes on to the end."""
CITED = "\n> ...\n"
"""Stands for a quoted passage; what follows it is his own again."""
_DROPPED = frozenset({"style", "script", "template", "head", "title", "noscript", "object", "svg", "iframe", "textarea", "select", "meta", "link",
                      "math", "canvas", "audio", "video", "noembed", "noframes", "datalist", "dialog"})  # fmt: skip
_LINES = frozenset({"p", "div", "br", "tr", "table", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "section", "article", "header",
                    "footer", "pre", "blockquote", "dt", "dd", "center", "address", "form"})  # fmt: skip
_HIDDEN = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|font-size:0*\.?0*[0-2]?(?:\.\d+)?(?:px|pt)(?![\d.])|font-size:0(?![\d.])|font-size:0?\.0*[0-3]\d*r?em|opacity:0?(?:\.0\d*)?(?![\d.])"
    r"|mso-hide:all|(?<![\w-])(?:max-|line-)?height:0(?:px|pt|em|%)?(?:;|$|!)|(?<![\w-])(?:max-)?width:0(?:px|pt|em|%)?(?:;|$|!)|text-indent:-\d{3,}|(?:left|top|right|margin-left|margin-top):-\d{3,}"
    r"|clip:rect\(0|clip-path:(?:inset\((?:50|100)%|circle\(0)|transform:scale\(0|color:transparent"
)
_WHITE = re.compile(
    r"(?<![-\w])color:(?:white|#f[c-f]?f[c-f]?f[c-f]?|#f{3,4}|#f{6,8}|rgba?\(25[0-5],25[0-5],25[0-5]|rgba\(\d+,\d+,\d+,0(?:\.0\d*)?\))"
)
_BACKED = re.compile(r"background(?:-color)?:(?!white|#f{3}|transparent|none|inherit|#f{6}|rgba?\(255,255,255)")
_QUOTES = re.compile(r"gmail_quote|gmail_attr|yahoo_quoted|protonmail_quote|tutanota_quote|moz-cite-prefix|zmail_extra|OutlookMessageHeader|WordSection0|quoted-?text|quotebox|"
                     r"divRplyFwdMsg|appendonsend|reply-intro|ms-outlook-mobile-reference-message|mail_quote|qmbox|includetail|ntes-mailmaster-quote|isReplyContent|mailquote", re.IGNORECASE)  # fmt: skip
_REST = re.compile(
    r"divRplyFwdMsg|appendonsend|OutlookMessageHeader|isReplyContent",
    re.IGNORECASE,
)
_RULE = re.compile(r"<style[^>]*>(.{0,40000}?)</style", re.IGNORECASE | re.DOTALL)
_SELECTOR = re.compile(r"([.#]?[\w-]{1,60})\s*\{([^{}]{0,500})\}")


def visible(source: str) -> str:
    """The text as seen in a mail program."""
    source = source[:MOST]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        soup = BeautifulSoup(source, "html.parser")
    hidden = _hidden_selectors(source)
    out: list[str] = []
    # an explicit stack: some mails nest thousands deep
    stack: list[PageElement | str] = [soup]
    for _ in range(MOST_NODES):
        if not stack:
            break
        node = stack.pop()
        if isinstance(node, str) and not isinstance(node, PageElement):
            out.append(node)
        elif isinstance(node, NavigableString):
            if not isinstance(node, (Comment, PreformattedString)):
                out.append(re.sub(r"\s+", " ", str(node)) if not _kept_lines(node) else str(node))
        elif isinstance(node, Tag):
            if node.name in _DROPPED or _is_hidden(node, hidden):
                continue
            if _is_quote(node):
                if _REST.search(_names(node)):
                    out.append(QUOTED)
                    break
                out.append(CITED)
                continue
            stack.extend(reversed(_around(node)))
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in "".join(out).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.removesuffix(CELL.rstrip()).strip() for line in lines))


def _around(node: Tag) -> list[PageElement | str]:
    children: list[PageElement | str] = list(node.contents)
    if node.name in ("td", "th"):
        return [" ", *children, CELL]
    if node.name == "tr":
        return ["\n", *children, "\n"]
    if node.name in ("p", "table", "h1", "h2", "h3", "ul", "ol", "blockquote"):
        inside = any(p.name in ("td", "th") for p in islice(node.parents, 8))
        return [" " if inside else "\n\n", *children, " " if inside else "\n\n"]
    if node.name == "hr":
        return ["\n\n____________\n\n"]
    if node.name in _LINES:
        return ["\n", *children, "\n" if node.name != "br" else ""]
    return children


def _kept_lines(node: NavigableString) -> bool:
    return node.parent is not None and node.parent.name == "pre"


def _names(node: Tag) -> str:
    return f"{_attribute(node, 'class')} {_attribute(node, 'id')} {_attribute(node, 'name')}"


def _attribute(node: Tag, name: str) -> str:
    value = node.attrs.get(name, "") if node.attrs else ""
    return value if isinstance(value, str) else " ".join(value)


def _is_quote(node: Tag) -> bool:
    if node.name == "blockquote":
        return True
    return node.name in ("div", "span", "section", "table", "p", "hr") and _QUOTES.search(_names(node)) is not None


def _is_hidden(node: Tag, selectors: frozenset[str]) -> bool:
    if not node.attrs:
        return node.name in selectors
    if "hidden" in node.attrs or _attribute(node, "aria-hidden").lower() == "true":
        return True
    if node.name == "input" or _attribute(node, "type").lower() == "hidden":
        return True
    style = re.sub(r"\s+", "", _attribute(node, "style").lower())
    if style and (_HIDDEN.search(style) or (_WHITE.search(style) and not _BACKED.search(style))):
        return True
    if node.name == "font" and (
        _attribute(node, "color").lower() in ("white", "#ffffff", "#fff") or _attribute(node, "size") == "0"
    ):
        return True
    names = [node.name, *(f".{c}" for c in _attribute(node, "class").split()), "#" + _attribute(node, "id")]
    return any(name in selectors for name in names)


def _hidden_selectors(source: str) -> frozenset[str]:
    """Simple selectors of the mail's own style sheet that hide something."""
    found: set[str] = set()
    for sheet in _RULE.findall(source[:MOST])[:10]:
        for selector, rules in _SELECTOR.findall(sheet)[:200]:
            packed = re.sub(r"\s+", "", rules.lower())
            if _HIDDEN.search(packed) or (_WHITE.search(packed) and not _BACKED.search(packed)):
                found.add(selector)
    return frozenset(
        found - {"html", "body", "table", "tr", "td", "a", "p", "div", "span"} | {s for s in found if s[0] in ".#"}
    )
