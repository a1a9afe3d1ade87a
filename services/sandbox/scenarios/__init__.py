"""Stories of what can happen, each a script over the sandbox's control interface and the ingress, and nothing else."""

from sandbox.scenarios.basics import BASICS
from sandbox.scenarios.changes import CHANGES
from sandbox.scenarios.money import MONEY
from sandbox.scenarios.supply import SUPPLY

SCENARIOS = (*BASICS, *MONEY, *SUPPLY, *CHANGES)
