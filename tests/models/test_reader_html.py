"""Text of an HTML mail as a person sees it: hidden parts are gone, tables keep their rows."""

import pytest

from replenisher.models.reader.html import CELL, visible
from replenisher.models.reader.quoting import take_apart

BAIT = "BAIT9"

HIDDEN = (
    f"<span style='display:none'>{BAIT}</span>",
    f"<span style='DISPLAY : NONE !important'>{BAIT}</span>",
    f"<div style='visibility:hidden'>{BAIT}</div>",
    f"<div style='visibility: collapse'>{BAIT}</div>",
    f"<p style='font-size:0'>{BAIT}</p>",
    f"<p style='font-size:0px'>{BAIT}</p>",
    f"<p style='font-size:1px'>{BAIT}</p>",
    f"<p style='font-size: 0.1em'>{BAIT}</p>",
    f"<p style='color:#ffffff'>{BAIT}</p>",
    f"<p style='color:#FFF'>{BAIT}</p>",
    f"<p style='color:white'>{BAIT}</p>",
    f"<p style='color:rgb(255, 255, 255)'>{BAIT}</p>",
    f"<p style='color:#fff;background:#ffffff'>{BAIT}</p>",
    f"<p style='color:transparent'>{BAIT}</p>",
    f"<p style='opacity:0'>{BAIT}</p>",
    f"<p style='opacity: 0.01'>{BAIT}</p>",
    f"<div style='max-height:0;overflow:hidden'>{BAIT}</div>",
    f"<div style='height:0px;overflow:hidden'>{BAIT}</div>",
    f"<div style='width:0;height:0'>{BAIT}</div>",
    f"<div style='position:absolute;left:-9999px'>{BAIT}</div>",
    f"<div style='text-indent:-9999px'>{BAIT}</div>",
    f"<div style='clip:rect(0,0,0,0)'>{BAIT}</div>",
    f"<div style='mso-hide:all'>{BAIT}</div>",
    f"<div hidden>{BAIT}</div>",
    f"<div hidden='hidden'><p>{BAIT}</p></div>",
    f"<div aria-hidden='true'>{BAIT}</div>",
    f"<!-- {BAIT} -->",
    f"<!--[if mso]>{BAIT}<![endif]-->",
    f"<style>.x{{content:'{BAIT}'}}</style>",
    f"<script>var a='{BAIT}'</script>",
    f"<template>{BAIT}</template>",
    f"<noscript>{BAIT}</noscript>",
    f"<head><title>{BAIT}</title></head>",
    f"<textarea>{BAIT}</textarea>",
    f"<input type='hidden' value='{BAIT}'>",
    f"<font color='white'>{BAIT}</font>",
    f"<img alt='{BAIT}' src='x'>",
    f"<a title='{BAIT}' href='http://x.example/{BAIT}'>here</a>",
    f"<style>.gone {{ display: none }}</style><p class='gone'>{BAIT}</p>",
    f"<style>#gone {{ font-size:0 }}</style><p id='gone'>{BAIT}</p>",
)


@pytest.mark.parametrize("hidden", HIDDEN, ids=lambda h: h[:45])
def test_what_a_person_does_not_see_is_gone(hidden: str) -> None:
    text = visible(f"<html><body><p>Order confirmed.</p>{hidden}<p>Thanks</p></body></html>")
    assert BAIT not in text
    assert "Order confirmed." in text
    assert "Thanks" in text


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='color:#333'>SEEN</p>",
        "<p style='background-color:#fff'>SEEN</p>",
        "<td style='color:#fff;background:#003366'>SEEN</td>",
        "<p style='font-size:10px'>SEEN</p>",
        "<p style='font-size:0.8em'>SEEN</p>",
        "<p style='opacity:1'>SEEN</p>",
        "<p style='opacity:0.9'>SEEN</p>",
        "<p style='line-height:20px'>SEEN</p>",
        "<div style='border-width:0px'>SEEN</div>",
        "<div style='margin-left:-1px'>SEEN</div>",
        "<o:p>SEEN</o:p>",
        "<center>SEEN</center>",
        "<p class=MsoNormal>SEEN",
    ],
)
def test_what_a_person_sees_stays(shown: str) -> None:
    assert "SEEN" in visible(f"<div>{shown}</div>")


def test_table_rows_are_lines_of_cells() -> None:
    text = visible("<table><tr><th>Item</th><th>Qty</th></tr><tr><td><p>SKU-123</p></td><td>500</td></tr></table>")
    rows = [[c.strip() for c in line.split(CELL.strip())] for line in text.split("\n") if line.strip()]
    assert rows == [["Item", "Qty"], ["SKU-123", "500"]]


def test_breaks_and_entities() -> None:
    assert visible("a<br>b<br/>c&nbsp;d &euro; &amp; &#8364;").split("\n") == ["a", "b", "c d € & €"]


@pytest.mark.parametrize(
    "quote",
    [
        "<div class='gmail_quote'>On Mon wrote:<blockquote>OLD</blockquote></div>",
        "<blockquote type='cite'>OLD</blockquote>",
        "<div id='divRplyFwdMsg'><b>From:</b> x</div><div>OLD</div>",
        "<div class='moz-cite-prefix'>Am 2.11. schrieb x:</div><blockquote>OLD</blockquote>",
        "<div class='yahoo_quoted'>OLD</div>",
        "<div id='appendonsend'></div><hr><div>OLD</div>",
    ],
)
def test_quoted_history_is_marked_as_such(quote: str) -> None:
    own = "\n".join(take_apart(visible(f"<p>Confirmed.</p>{quote}")).own)
    assert "Confirmed." in own
    assert "OLD" not in own


@pytest.mark.parametrize(
    "source",
    [
        "<p>fine</p><blockquote>OLD 500 pcs?</blockquote><p>OWN words</p>",
        "<blockquote>OLD 500 pcs?</blockquote><p>OWN words</p>",
        "<div class='moz-cite-prefix'>Am 2.11. schrieb x:</div><blockquote>OLD</blockquote><p>OWN words</p>",
        "<div class='gmail_quote'><p>On Mon x wrote:</p><blockquote>OLD</blockquote></div><p>OWN words</p>",
    ],
)
def test_words_below_a_quoted_passage_are_his_own(source: str) -> None:
    own = "\n".join(take_apart(visible(source)).own)
    assert "OWN words" in own
    assert "OLD" not in own


@pytest.mark.parametrize(
    "source",
    [
        "",
        "<",
        "<p",
        "<" * 100_000,
        "<div>" * 20_000,
        "</p>" * 20_000,
        "<p style='" + "a" * 50_000,
        "&" * 50_000,
        "<!--" * 10_000,
        "<table>" * 5_000 + "<td>" * 5_000,
    ],
)
def test_broken_and_hostile_html_is_bounded(source: str) -> None:
    assert len(visible(source)) < 1_000_000
