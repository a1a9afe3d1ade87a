"""What files say, brought into the records: one transaction, only what is new or different, and a report of it.
Reading files is csv_files.py's, what the lines of an item come to is offers.py's."""

from collections.abc import Mapping
from dataclasses import replace

from replenisher.domain import units
from replenisher.domain.part import Part
from replenisher.domain.ports import Refused
from replenisher.systems.records.csv_files import Catalogue, StructuralError, read_files
from replenisher.systems.records.lines import CountLine, PartLine
from replenisher.systems.records.master import Figures, MasterData
from replenisher.systems.records.offers import Key, Offer, offers
from replenisher.systems.records.prices import ItemTerms, PriceLine
from replenisher.systems.records.report import ImportReport

__all__ = ["apply", "read_files"]


def apply(catalogue: Catalogue, master: MasterData) -> ImportReport:
    """Keeps everything that is understood, or nothing when the records fail. Raises StructuralError when the files do
    not fit the records as a whole, Unavailable when the records cannot be written."""
    with master.transaction():
        return _Import(catalogue, master).done()


class _Import:
    """One import: the files on one side, the records as they were on the other."""

    def __init__(self, catalogue: Catalogue, master: MasterData) -> None:
        self.catalogue, self.master = catalogue, master
        self.report = ImportReport(catalogue.files, problems=catalogue.problems)
        self.parts: Mapping[str, Part] = master.parts()
        self.figures: Mapping[str, Figures] = master.figures()
        self.items: Mapping[Key, ItemTerms] = master.items()
        self.prices: Mapping[Key, list[PriceLine]] = master.price_lines()
        self.counted = {line.sku for line in catalogue.counts.values()}

    def done(self) -> ImportReport:
        self._rates()
        for place, line in self.catalogue.parts.items():
            self._part(place, line)
        self.parts = self.master.parts()
        self._counts()
        for key, offer in offers(self.catalogue, self._unit_of).items():
            self._offer(key, offer)
        self._usable()
        return self.report

    def _unit_of(self, sku: str) -> str | None:
        part = self.parts.get(sku)
        return part.unit if part is not None else None

    # --- rates --------------------------------------------------------------------------------------------------------

    def _rates(self) -> None:
        base = self.master.rates().base
        if self.catalogue.base not in (None, base):
            place = next(name for name, kind, _ in self.catalogue.files if kind == "rates")
            reason = f"the rates are in {self.catalogue.base}, but the company's currency is {base}."
            raise StructuralError(f"{place}:1", reason, f"Say what one unit of each currency is worth in {base}.")
        known, days = self.master.rates().values, self.master.rate_dates()
        for place, line in self.catalogue.rates.items():
            day = days.get(line.currency)
            if line.as_of is not None and day is not None and line.as_of < day:
                self.catalogue.odd(
                    place, f"the rate of {line.currency} in the records is of {day}: an older one is not taken."
                )
            elif line.currency != base:
                same_again = line.as_of is None and known.get(line.currency) == line.value
                as_of = day if same_again else line.as_of
                change = self.master.put_rate(line.currency, line.value, as_of)
                self.report.rates.count(new=change == "new", changed=change == "changed")

    # --- parts and stock ----------------------------------------------------------------------------------------------

    def _part(self, place: str, line: PartLine) -> None:
        known = self.parts.get(line.sku)
        unit = line.unit
        if known is not None:
            if not units.same(known.unit, line.unit):
                reason = f"{line.sku} is kept in {known.unit}, and its stock and orders are counted in it."
                self._part_left_out(place, line, reason, f"Give the part in {line.unit} an SKU of its own.")
                return
            unit = known.unit
        try:
            change = self.master.put_part(line.sku, line.name, unit, line.safety_stock, line.reorder_point, line.target)
        except Refused as no:
            self._part_left_out(place, line, f"{no}.")
            return
        moved = self._opening(line)
        self.report.parts.count(new=change == "new", changed=moved or change == "changed")

    def _part_left_out(self, place: str, line: PartLine, reason: str, suggestion: str = "") -> None:
        self.catalogue.left_out(place, reason, suggestion)
        self.catalogue.refused_skus[line.sku] = place

    def _opening(self, line: PartLine) -> bool:
        """Stock as parts.csv has it is news only when it differs from what parts.csv said before; a count given with it
        is the later of the two. True when the stock is another now."""
        known = self.figures.get(line.sku, Figures(line.on_hand))
        if known.opening == line.on_hand:
            return False
        on_hand = known.on_hand if line.sku in self.counted and known.counted is not None else line.on_hand
        self.master.set_figures(line.sku, replace(known, on_hand=on_hand, opening=line.on_hand))
        return on_hand != known.on_hand

    def _counts(self) -> None:
        moved: list[tuple[str, str]] = []
        figures = self.master.figures()
        for place, line in self.catalogue.counts.items():
            if not self._countable(place, line):
                continue
            known = figures[line.sku]
            if known.counted_on is not None and line.counted_on is not None and line.counted_on < known.counted_on:
                self.catalogue.odd(place, f"{line.sku} was counted on {known.counted_on}: an older count is not taken.")
            elif known.counted == line.on_hand and line.counted_on in (None, known.counted_on):
                self.report.counts.unchanged += 1
                if known.on_hand != line.on_hand:
                    moved.append((place, f"{line.sku} was counted {line.on_hand} and has {known.on_hand} now"))
            else:
                becomes = replace(known, on_hand=line.on_hand, counted=line.on_hand, counted_on=line.counted_on)
                self.master.set_figures(line.sku, becomes)
                self.report.counts.count(new=known.counted is None, changed=known.counted is not None)
        if moved:
            more = f", and {len(moved) - 1} more" if len(moved) > 1 else ""
            reason = f"a count that is known already does not set back stock that moved since: {moved[0][1]}{more}."
            self.catalogue.odd(moved[0][0], reason, "Give a new count its day in a column counted_on.")

    def _countable(self, place: str, line: CountLine) -> bool:
        part = self.parts.get(line.sku)
        if part is None:
            refused = self.catalogue.refused_skus.get(line.sku)
            why = f"its part was left out at {refused}" if refused else f"there is no part {line.sku}"
            self.catalogue.left_out(place, f"{why}.", "Add it to parts.csv, or correct the SKU.")
        elif line.on_hand % 1 and units.unit(part.unit).kind == "count":
            self.catalogue.left_out(place, f"{line.on_hand} is not a whole number of {part.unit}.")
        else:
            return True
        return False

    # --- what suppliers ask -------------------------------------------------------------------------------------------

    def _offer(self, key: Key, offer: Offer) -> None:
        terms = ItemTerms(
            offer.pack, offer.lead_time_days, offer.freight, offer.minimum, offer.minimum_order_value, approved=True
        )
        was = self.items.get(key)
        change = self.master.put_item(key, terms)
        self.report.items.count(new=change == "new", changed=change == "changed")
        kept = {b.min_packs for b in offer.breaks}
        for line in self.prices.get(key, ()):
            gone = line.min_packs not in kept
            other = (was is not None and was.pack != offer.pack) or (kept and line.currency != offer.currency)
            if line.valid_from is None and gone and (offer.complete or other):
                self.master.remove_price(key, line.min_packs)
                self.report.prices.removed += 1
        for b in offer.breaks:
            change = self.master.put_price(key, PriceLine(b.min_packs, b.pack_price, offer.currency))
            self.report.prices.count(new=change == "new", changed=change == "changed")

    def _usable(self) -> None:
        """Counts the parts that can be bought, and tells of the currencies that cannot be compared."""
        rates = self.master.rates()
        approved = {key for key, terms in self.master.items().items() if terms.approved}
        usable: set[str] = set()
        for key, lines in self.master.price_lines().items():
            if key in approved and any(line.currency in (rates.base, *rates.values) for line in lines):
                usable.add(key[0])
        self.report.priced = len(usable & set(self.parts))
        self.report.unpriced = len(self.parts) - self.report.priced
        unrated = {line.currency: place for place, line in reversed(self.catalogue.items.items()) if line.pack_price}
        for currency in sorted(set(unrated) - {rates.base, *rates.values}):
            reason = f"no rate of {currency} is known: prices in it are kept, and never chosen."
            self.catalogue.odd(unrated[currency], reason, "Add it to rates.csv.")
