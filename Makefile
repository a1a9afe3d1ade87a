# One command a task. `make demo` and `make test` set up what they need themselves.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input
RUNTIME := $(VENV)/.runtime
DEVELOP := $(VENV)/.develop

.PHONY: setup runtime engine demo run test check replay scenarios chaos soak bench clean
.DEFAULT_GOAL := help

.PHONY: help
help: ## what can be made
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

setup: $(DEVELOP) engine ## .venv with the command replenisher and the tools of development, and the engine

runtime: $(RUNTIME) engine ## what the product needs to run, without the tools of development

$(RUNTIME): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (make PYTHON=/path/to/python3.11)" >&2; exit 1; }
	@echo "Python packages into $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(DEVELOP): $(RUNTIME)
	@echo "Tools of development into $(VENV) ..."
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@

# always asked: the module keeps a stamp of lock file and platform, and says nothing when all is there
engine: | $(RUNTIME)
	@$(BIN)/python -m replenisher.engine.install

demo: runtime ## SKU-123 from short to received, narrated
	@$(BIN)/replenisher demo

run: runtime ## engine, agent and sandbox, until Ctrl-C
	@$(BIN)/replenisher run

test: setup ## every test but soak and browser, in random order
	$(BIN)/python -m pytest -q -m "not soak and not browser" tests

check: setup ## ruff, pyright strict, import walls
	$(BIN)/ruff check services tests
	$(BIN)/ruff format --check services tests
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/python -m pytest -q -p no:randomly tests/walls

replay: setup ## the engine tests with every wait a replay
	REPLENISHER_INACTIVITY=0 $(BIN)/python -m pytest -q -m "engine and not soak and not browser" tests

scenarios: setup ## every scenario by name, with its figures
	$(BIN)/replenisher scenario all

chaos: setup ## N (200) replenishments from SEED while processes are killed; the books compared
	@PYTHONPATH=tests $(BIN)/python -m chaos -n $(or $(N),200) $(if $(SEED),--seed $(SEED))

soak: setup ## every SKU of the real files, unattended
	$(BIN)/python -m pytest -q -m soak tests

bench: setup ## CPU, wake times and bytes per replenishment
	$(BIN)/python -m bench

clean: ## everything that make made
	rm -rf $(VENV) .engine .replenisher build .pytest_cache .ruff_cache .hypothesis
	find services tests -name __pycache__ -type d -prune -exec rm -rf {} +
