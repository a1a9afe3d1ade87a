"""Stories of what can happen, each a script over the sandbox's control interface and the ingress, and nothing else."""

from sandbox.scenarios.scripts import FIRST

SCENARIOS = FIRST
