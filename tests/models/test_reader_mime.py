"""Raw mail to subject and text: MIME structures, transfer encodings, charsets that are declared, wrong or missing."""

import base64
import quopri
import time
from email.header import Header
from email.message import EmailMessage

import pytest

from replenisher.models.reader.charset import decode
from replenisher.models.reader.mime import MOST_TEXT, open_mail, plain

TEXTS = {
    "de": "Wir bestätigen den Auftrag zum Stückpreis von 4,35 €. Liefertermin: 18.11.2026. Grüße",
    "fr": "Nous confirmons la commande, délai prévu le 18 décembre, à réception. Livraison garantie.",
    "pl": "Potwierdzamy zamówienie, cena 1,15 zł za sztukę, dostawa w piątek. Pozdrawiamy serdecznie, żółć",
    "sv": "Vi bekräftar er order på 250 st, leverans på måndag. Hälsningar från Malmö",
    "zh": "您好，订单没问题，单价0.62元，12月16日送到贵司，谢谢。",
    "ja": "ご注文を確かに承りました。納期は11月30日です。よろしくお願いいたします。",
}
CHARSETS = [
    ("de", "utf-8"),
    ("de", "iso-8859-15"),
    ("de", "windows-1252"),
    ("de", "utf-16"),
    ("fr", "utf-8"),
    ("fr", "iso-8859-1"),
    ("fr", "windows-1252"),
    ("pl", "utf-8"),
    ("pl", "iso-8859-2"),
    ("pl", "windows-1250"),
    ("sv", "utf-8"),
    ("sv", "iso-8859-1"),
    ("zh", "utf-8"),
    ("zh", "gb2312"),
    ("zh", "gbk"),
    ("zh", "gb18030"),
    ("zh", "utf-16-le"),
    ("ja", "utf-8"),
    ("ja", "shift_jis"),
    ("ja", "euc-jp"),
    ("ja", "iso-2022-jp"),
    ("ja", "utf-16"),
]


def raw(body: bytes, charset: str, encoding: str, subject: str = "Re: PO-4471", kind: str = "text/plain") -> str:
    coded = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring, "8bit": lambda b: b}[encoding](body)
    head = (
        f"From: a@boltco.example\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: {kind}; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    )
    return head + coded.decode("ascii", "surrogateescape")


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
@pytest.mark.parametrize(("language", "charset"), CHARSETS)
def test_a_declared_charset(language: str, charset: str, encoding: str) -> None:
    text = TEXTS[language]
    mail = open_mail({"mime": raw(text.encode(charset), charset, encoding)})
    assert mail.text.strip() == text.replace("\u00a0", " ")
    assert mail.subject == "Re: PO-4471"


@pytest.mark.parametrize(
    ("language", "real", "declared"),
    [
        ("de", "windows-1252", "utf-8"),
        ("de", "utf-8", "iso-8859-1"),
        ("de", "utf-8", "us-ascii"),
        ("fr", "windows-1252", "us-ascii"),
        ("fr", "utf-8", "windows-1252"),
        ("sv", "utf-8", "x-unknown"),
        ("zh", "utf-8", "gb2312"),
        ("zh", "gb18030", "utf-8"),
        ("zh", "gbk", "us-ascii"),
        ("ja", "utf-8", "shift_jis"),
        ("ja", "shift_jis", "utf-8"),
        ("ja", "euc-jp", "us-ascii"),
    ],
)
def test_a_wrong_charset(language: str, real: str, declared: str) -> None:
    text = TEXTS[language]
    assert open_mail({"mime": raw(text.encode(real), declared, "base64")}).text.strip() == text


@pytest.mark.parametrize(
    "charset",
    ["utf-7", "idna", "punycode", "rot13", "hex", "zlib", "unicode_escape", "undefined", "", "\x00", "a" * 5000],
)
def test_charsets_that_are_traps_or_none(charset: str) -> None:
    assert decode("Confirmed at 4.20 – ok".encode(), charset) == "Confirmed at 4.20 – ok"


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "gb18030", "shift_jis", "iso-2022-jp", "euc-jp"])
def test_encoded_subjects(charset: str) -> None:
    subject = {
        "gb18030": "回复: 订单 PO-4471",
        "shift_jis": "注文請書 PO-4471",
        "iso-2022-jp": "注文請書 PO-4471",
        "euc-jp": "納期 PO-4471",
    }.get(charset, "Bestätigung PO-4471")
    encoded = Header(subject, charset).encode()
    assert open_mail({"mime": raw(b"ok", "utf-8", "8bit", subject=encoded)}).subject == subject


def test_subject_words_run_together() -> None:
    words = "=?utf-8?B?QmVzdMOkdGln?==?utf-8?Q?ung_PO-4471?="
    assert open_mail({"mime": raw(b"ok", "utf-8", "8bit", subject=words)}).subject == "Bestätigung PO-4471"


def message(*, plain_text: str | None = None, rich: str | None = None, attach: tuple[str, bytes] | None = None) -> str:
    made = EmailMessage()
    made["Subject"], made["From"] = "Re: PO-4471", "a@boltco.example"
    if plain_text is not None:
        made.set_content(plain_text)
        if rich is not None:
            made.add_alternative(rich, subtype="html")
    elif rich is not None:
        made.set_content(rich, subtype="html")
    if attach is not None:
        made.add_attachment(attach[1], maintype="text", subtype="plain", filename=attach[0])
    return made.as_bytes().decode("ascii", "surrogateescape")


def test_plain_is_read_before_html() -> None:
    assert open_mail({"mime": message(plain_text="confirmed", rich="<p>other</p>")}).text.strip() == "confirmed"


def test_html_when_plain_is_empty() -> None:
    assert open_mail({"mime": message(plain_text="\n", rich="<p>confirmed</p>")}).text.strip() == "confirmed"


def test_html_when_plain_only_points_to_it() -> None:
    mime = message(plain_text="This message is in HTML, please view it in a modern client.", rich="<p>confirmed</p>")
    assert open_mail({"mime": mime}).text.strip() == "confirmed"


def test_attachments_are_not_the_senders_words() -> None:
    mime = message(plain_text="See attached.", attach=("approved.txt", b"Order confirmed at 1.00"))
    assert "1.00" not in open_mail({"mime": mime}).text


def test_attached_messages_are_not_the_senders_words() -> None:
    inner = EmailMessage()
    inner.set_content("Confirmed at 9.99")
    outer = EmailMessage()
    outer["Subject"] = "Fwd"
    outer.set_content("please look")
    outer.add_attachment(inner)
    assert "9.99" not in open_mail({"mime": outer.as_string()}).text


def test_html_is_seen_even_where_it_is_called_plain() -> None:
    assert plain("<html><body><p>ok</p><span style='display:none'>no</span></body></html>").split() == ["ok"]


def test_less_than_signs_are_not_html() -> None:
    assert plain("price < 5 and > 4, see <mailto:a@b.example>") == "price < 5 and > 4, see <mailto:a@b.example>"


@pytest.mark.parametrize(
    "invisible", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\U000e0041", "\x00", "\x1b"]
)
def test_invisible_characters_are_gone(invisible: str) -> None:
    assert plain(f"conf{invisible}irmed") == "confirmed"


def test_no_content_is_an_empty_mail() -> None:
    mail = open_mail({})
    assert (mail.subject, mail.text) == ("", "")


def _deep(levels: int) -> str:
    head = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n" for n in range(levels))
    return f"Subject: x\r\n{head}Content-Type: text/plain\r\n\r\nhello\r\n"


HOSTILE = {
    "a line of 100 kB": raw(b"a" * 100_000, "utf-8", "8bit"),
    "10 MB of lines": "Subject: x\r\n\r\n" + "confirmed at 4.20 \r\n" * 500_000,
    "10 MB of base64": "Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n" + "QUFB" * 2_500_000,
    "nested parts": _deep(3_000),
    "many parts": "Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + "--b\r\n\r\nx\r\n" * 30_000,
    "no boundary": "Subject: x\r\nContent-Type: multipart/mixed\r\n\r\n--b\r\nhello",
    "bad base64": "Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\n@@@===\x00",
    "bad words": "Subject: =?utf-8?B?@@@?= =?x?Q?=zz?= =?utf-8?Q?\r\n\r\nok",
    "many words": "Subject: " + "=?utf-8?B?QUFB?= " * 5_000 + "\r\n\r\nok",
    "many headers": "X: y\r\n" * 100_000 + "\r\nok",
    "a header of 1 MB": "Subject: " + "x" * 1_000_000 + "\r\n\r\nok",
    "surrogates": "Subject: \udcff\udcfe\r\n\r\n\udc80\udcff \ud800",
    "nothing": "\r\n",
    "nulls": "\x00" * 100_000,
    "open tags": "Content-Type: text/html\r\n\r\n" + "<div><span>" * 200_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_mail_is_bounded(name: str) -> None:
    started = time.process_time()
    mail = open_mail({"mime": HOSTILE[name]})
    assert time.process_time() - started < 2
    assert len(mail.text) <= MOST_TEXT
    assert len(mail.subject) <= 2_100
