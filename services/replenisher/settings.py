"""Every knob, in one place: environment variables with the prefix REPLENISHER_, or the same names in a file `.env`."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, Self
from urllib.parse import quote

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from replenisher.clock import REAL_DAY, Clock


class Settings(BaseSettings):
    """Defaults are those of a company that runs it in real time on one machine."""

    model_config = SettingsConfigDict(env_prefix="REPLENISHER_", env_file=".env", extra="ignore")

    # business time
    day: float = Field(default=REAL_DAY, gt=0, description="real seconds in one business day")
    epoch: datetime = Field(
        default=datetime(2026, 1, 1, tzinfo=UTC), description="the real instant at which business time equals real time"
    )
    check_every: float = Field(default=1.0, gt=0, description="business days between two stock checks of a part")

    # steps
    retry_first: float = Field(
        default=2.0, gt=0, description="seconds before a failed step is tried again; doubles each time"
    )
    retry_attempts: int = Field(default=6, ge=1, description="attempts of a step before its failure is a result")
    invocation_attempts: int = Field(
        default=1_000_000, ge=1, description="attempts of an invocation before it is paused; at most one a minute"
    )
    inactivity: float = Field(
        default=1.0, ge=0, description="seconds without progress before a run is suspended; 0 replays all"
    )
    retention_days: float = Field(default=90, gt=0, description="real days for which journals and timelines are kept")

    # where things are
    data: Path = Field(default=Path(".replenisher"), description="records, engine data and addresses of what runs")
    ingress: str = "http://127.0.0.1:8080"
    admin: str = "http://127.0.0.1:9070"
    agent_host: str = "127.0.0.1"
    agent_port: int = 9080
    suppliers: dict[str, str] = Field(default_factory=dict, description='base URL by supplier: {"A": "https://..."}')
    supplier_base: str = Field(
        default="http://127.0.0.1:9100/suppliers", description="base URL of suppliers not listed"
    )
    people_url: str = Field(
        default="http://127.0.0.1:9100/people", description="where requests and questions to people go"
    )

    # who decides
    decider: Literal["rules", "claude", "jev"] = Field(
        default="rules", description="rules needs no key; claude needs ANTHROPIC_API_KEY, jev TYPESAFE_API_KEY"
    )
    claude_decider: str = Field(default="claude-haiku-5-5", description="Claude's model for decisions")
    jev_model: str = "jev-latest"
    decisions_budget: int = Field(default=100, ge=0, description="decisions of a model per replenishment")
    tokens_budget: int = Field(default=500_000, ge=0, description="tokens of a model per replenishment")

    # the company
    currency: str = Field(default="USD", description="the company's own currency; totals are compared in it")
    deliver_to: str = "Main warehouse, dock 2"
    answers: dict[str, str] = Field(
        default_factory=lambda: {
            "dock": "Please deliver to dock 2 of the main warehouse.",
            "address": "Our delivery address is 1 Works Road, main warehouse.",
            "contact": "Your contact is Purchasing, purchasing@acme.example.",
            "vat": "Our VAT number is XX123456789.",
        },
        description="master data suppliers may ask for, by topic: dock, address, contact, vat",
    )
    approver: str = "manager"
    rules_version: int = Field(default=1, ge=1, description="business rules under which new replenishments start")

    @model_validator(mode="after")
    def calendar_holds(self) -> Self:
        """A short day long after its epoch runs out of calendar: said here, not in the middle of an order."""
        try:
            self.clock.at(datetime.now(UTC) + timedelta(seconds=365 * self.day))
        except OverflowError as error:
            raise ValueError(f"with a day of {self.day:g} s the epoch must be recent, not {self.epoch}") from error
        return self

    @property
    def clock(self) -> Clock:
        return Clock(self.day, self.epoch)

    @property
    def records_file(self) -> Path:
        return self.data / "records.sqlite"

    def supplier_url(self, supplier: str) -> str:
        """Where this supplier answers."""
        return self.suppliers.get(supplier) or f"{self.supplier_base.rstrip('/')}/{quote(supplier, safe='')}"

    def check_delay(self) -> timedelta:
        """Real time between two checks."""
        return timedelta(seconds=self.check_every * self.day)
