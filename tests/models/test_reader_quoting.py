# ruff: noqa: E501 - mail as clients write it
"""Cutting what the sender did not write now: quoted history of many mail programs, signatures, disclaimers."""

import pytest

from replenisher.models.reader.quoting import take_apart

OWN = "Confirmed, 500 pcs at 4.35, delivery 18 November."
OLD = "Please find our purchase order PO-4471 for 999 pcs"

HEADS = (
    "On Mon, 2 Nov 2026 at 16:12, Procurement <po@acme.example> wrote:",
    "On Nov 2, 2026, at 4:12 PM, Procurement <po@acme.example> wrote:",
    "On Mon, Nov 2, 2026 at 4:12 PM Procurement Department of ACME\n<po@acme.example> wrote:",
    "2026-11-02 16:12 GMT+01:00 Procurement <po@acme.example>:",
    "Procurement <po@acme.example> wrote:",
    "-----Original Message-----\nFrom: Procurement <po@acme.example>\nSent: Monday, November 2, 2026 4:12 PM\nTo: sales\nSubject: PO-4471",
    "________________________________\nFrom: Procurement <po@acme.example>\nSent: Monday, November 2, 2026 4:12 PM\nTo: sales\nSubject: PO-4471",
    "From: Procurement <po@acme.example>\nDate: Monday, 2 November 2026 at 16:12\nTo: sales <sales@boltco.example>\nSubject: PO-4471",
    "*From:* Procurement <po@acme.example>\n*Sent:* Monday, November 2, 2026 4:12 PM\n*To:* sales\n*Subject:* PO-4471",
    "Am 02.11.2026 um 16:12 schrieb Procurement:",
    "Am Mo., 2. Nov. 2026 um 16:12 Uhr schrieb Procurement <po@acme.example>:",
    "Am Montag, 2. November 2026, 16:12:08 MEZ hat Procurement <po@acme.example> Folgendes geschrieben:",
    "Von: Procurement <po@acme.example>\nGesendet: Montag, 2. November 2026 16:12\nAn: Verkauf\nBetreff: PO-4471",
    "-----Ursprüngliche Nachricht-----\nVon: Procurement\nGesendet: Montag\nAn: Verkauf\nBetreff: PO-4471",
    "Le lun. 2 nov. 2026 à 16:12, Achats <po@acme.example> a écrit :",
    "Le 02/11/2026 à 16:12, Achats a écrit :",
    "De : Achats <po@acme.example>\nEnvoyé : lundi 2 novembre 2026 16:12\nÀ : ventes\nObjet : PO-4471",
    "-----Message d'origine-----\nDe : Achats\nEnvoyé : lundi 2 novembre 2026 16:12\nÀ : ventes\nObjet : PO-4471",
    "El lun, 2 nov 2026 a las 16:12, Compras (<po@acme.example>) escribió:",
    "De: Compras <po@acme.example>\nEnviado el: lunes, 2 de noviembre de 2026 16:12\nPara: ventas\nAsunto: PO-4471",
    "-----Mensaje original-----\nDe: Compras\nEnviado: lunes\nPara: ventas\nAsunto: PO-4471",
    "Il giorno lun 2 nov 2026 alle ore 16:12 Acquisti <po@acme.example> ha scritto:",
    "Da: Acquisti <po@acme.example>\nInviato: lunedì 2 novembre 2026 16:12\nA: vendite\nOggetto: PO-4471",
    "-----Messaggio originale-----\nDa: Acquisti\nInviato: lunedì\nA: vendite\nOggetto: PO-4471",
    "Op ma 2 nov 2026 om 16:12 schreef Inkoop <po@acme.example>:",
    "Van: Inkoop <po@acme.example>\nVerzonden: maandag 2 november 2026 16:12\nAan: verkoop\nOnderwerp: PO-4471",
    "-----Oorspronkelijk bericht-----\nVan: Inkoop\nVerzonden: maandag\nAan: verkoop\nOnderwerp: PO-4471",
    "W dniu 2.11.2026 o 16:12, Zakupy pisze:",
    "pon., 2 lis 2026 o 16:12 Zakupy <po@acme.example> napisał(a):",
    "Od: Zakupy <po@acme.example>\nWysłano: poniedziałek, 2 listopada 2026 16:12\nDo: sprzedaż\nTemat: PO-4471",
    "Em seg., 2 de nov. de 2026 às 16:12, Compras <po@acme.example> escreveu:",
    "De: Compras <po@acme.example>\nEnviada em: segunda-feira, 2 de novembro de 2026 16:12\nPara: vendas\nAssunto: PO-4471",
    "-----Mensagem original-----\nDe: Compras\nEnviada em: segunda-feira\nPara: vendas\nAssunto: PO-4471",
    "Den mån 2 nov. 2026 kl 16:12 skrev Inköp <po@acme.example>:",
    "Från: Inköp <po@acme.example>\nSkickat: den 2 november 2026 16:12\nTill: försäljning\nÄmne: PO-4471",
    "-----Ursprungligt meddelande-----\nFrån: Inköp\nSkickat: måndag\nTill: försäljning\nÄmne: PO-4471",
    "发件人: 采购 <po@acme.example>\n发送时间: 2026年11月2日 16:12\n收件人: 销售\n主题: PO-4471",
    "采购 <po@acme.example> 于2026年11月2日周一 16:12写道：",
    "------------------ 原始邮件 ------------------\n发件人: 采购\n发送时间: 2026年11月2日\n收件人: 销售\n主题: PO-4471",
    "2026年11月2日(月) 16:12 購買 <po@acme.example>:",
    "差出人: 購買 <po@acme.example>\n送信日時: 2026年11月2日 16:12\n宛先: 営業\n件名: PO-4471",
)


@pytest.mark.parametrize("marked", [True, False], ids=["marked", "bare"])
@pytest.mark.parametrize("head", HEADS, ids=lambda h: h[:28].replace("\n", " "))
def test_history_is_cut(head: str, marked: bool) -> None:
    old = f"> {OLD}\n> Regards" if marked else f"{OLD}\nRegards"
    parts = take_apart(f"Hello,\n\n{OWN}\n\n{head}\n{old}\n")
    own = "\n".join(parts.own)
    assert OWN in own
    assert "999" not in own
    assert "999" in parts.quoted


def test_answers_below_quoted_lines_are_his_own() -> None:
    parts = take_apart("> Can you confirm 500 pcs at 4.20?\nYes, at 4.32.\n> Delivery 20 November?\n23 November.\n")
    assert parts.own == ("Yes, at 4.32.", "23 November.", "")[: len(parts.own)]
    assert "4.20" in parts.quoted


def test_an_answer_below_the_whole_quote_is_his_own() -> None:
    parts = take_apart(
        f"On Mon, 2 Nov 2026, Procurement <po@acme.example> wrote:\n> {OLD}\n> please confirm\n\n{OWN}\n"
    )
    assert OWN in "\n".join(parts.own)
    assert "999" not in "\n".join(parts.own)


@pytest.mark.parametrize("points", ["See below from planning.", "Siehe unten, Rückmeldung aus der Fertigung."])
def test_a_note_he_points_to_counts_as_his_own(points: str) -> None:
    note = "\n\n---------- Forwarded message ---------\nFrom: Planning <p@boltco.example>\nDate: Tue, 3 Nov 2026\nSubject: 4471\nTo: Sales\n\n500 pcs will arrive on 24 November."
    parts = take_apart(points + note)
    assert "24 November" in "\n".join(parts.own)


@pytest.mark.parametrize(
    "foot",
    [
        "-- \nBoltCo Sales Desk\nMin. order value $150.00. Office closed Dec 24, 2026 - Jan 2, 2027.",
        "Best regards,\nMaria Lopez\nSales | BoltCo Inc.\nT +1 (555) 010-4420 | 4.9/5 rated",
        "Kind regards\nSam\nTel 01753 555 019",
        "Mit freundlichen Grüßen\nJürgen Müller\nTel. +49 711 4444-0",
        "Viele Grüße\nAnna\nHRB 1234",
        "Cordialement,\nLuc\n01 55 55 01 99",
        "Saludos,\nInés\nTel. 91 555 01 99",
        "Cordiali saluti\nGianni\nTel. 02 555019",
        "Met vriendelijke groet,\nWim\n010-5550199",
        "Pozdrawiam\nOla\ntel. 22 555 01 99",
        "Atenciosamente,\nCaio\n+55 11 5550-199",
        "Med vänlig hälsning\nLars\n08-555 01 99",
        "Sent from my iPhone 15",
        "Von meinem iPhone gesendet",
    ],
)
def test_a_signature_is_no_statement(foot: str) -> None:
    parts = take_apart(f"{OWN}\n\n{foot}\n")
    own = "\n".join(parts.own)
    assert OWN in own
    assert not any(line in own for line in foot.split("\n")[1:])


def test_thanks_that_go_on_are_no_signature() -> None:
    parts = take_apart(f"Thanks, order received and confirmed.\n{OWN}\n")
    assert OWN in "\n".join(parts.own)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n" * 5000,
        ">" * 100_000,
        "> " * 50_000,
        "On " * 40_000,
        "-" * 100_000,
        "From: x\n" * 20_000,
        "a" * 1_000_000,
    ],
)
def test_hostile_lengths_are_bounded(text: str) -> None:
    parts = take_apart(text)
    assert sum(map(len, parts.own)) <= 1_500 * 2_000
