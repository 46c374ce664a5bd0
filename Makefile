# `make run` starts the dashboard, `make test` runs all checks. Both need Python 3.11 or newer.
#   PORT=8600 make run               another port (default: the first free one from 8501)
#   ADDRESS=0.0.0.0 make run         accept connections from other computers
#   PYTHON=/path/to/python make run  another Python

VENV := .venv
PY := $(VENV)/bin/python
SOURCES := $(wildcard mrwtd tests benchmarks tools pages app.py conftest.py)

# One thread for linear algebra: the tests share the cores with a server and a browser.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: help run test browser formatted linted typed layered tested soak format lock clean

help:
	@sed -n '1,4s/^# //p' Makefile

run: $(VENV)/.installed
	@$(PY) -m mrwtd dashboard $(if $(PORT),--port $(PORT)) $(if $(ADDRESS),--address $(ADDRESS))

# All checks run even if one fails, and then the target fails.
# Two at a time: mypy uses one thread, and apt and pip wait for different things.
test: | $(PY)
	@$(MAKE) --no-print-directory --jobs 2 $(VENV)/.installed-dev browser
	@$(PY) tests/browser/chromium.py
	@$(MAKE) --no-print-directory --jobs 2 --keep-going formatted linted layered typed tested

browser:
	@$(PY) tests/browser/chromium.py --system

formatted:
	$(PY) -m ruff format --check $(SOURCES)

linted:
	$(PY) -m ruff check $(SOURCES)

typed:
	$(PY) -m mypy

layered:
	$(VENV)/bin/lint-imports --no-logo

# Two processes, one file at a time (conftest.py): one computes while the other waits for the browser.
tested:
	$(ONE_THREAD) $(PY) -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

# Long checks of a server, about half an hour on an idle machine; results are in benchmarks/results. Not part of `test`.
soak: $(VENV)/.installed-dev
	$(PY) -m benchmarks.malformed_files
	$(PY) -m benchmarks.hostile_urls
	$(PY) -m benchmarks.faults
	$(PY) -m benchmarks.storage_faults
	$(PY) -m benchmarks.estimates
	$(PY) -m benchmarks.load

format: $(VENV)/.installed-dev
	$(PY) -m ruff format $(SOURCES)
	$(PY) -m ruff check --fix $(SOURCES)

# The versions that servers install, with the hashes of their files for all systems.
lock: $(VENV)/.installed-dev
	$(PY) -m pip install --quiet --disable-pip-version-check uv
	$(PY) -m uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --upgrade --quiet \
	    --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file requirements.lock

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# Stamp files: pip runs again only if the requirements have changed.
$(VENV)/.installed: requirements.txt | $(PY)
	@echo "Installing the requirements of the dashboard, once: a minute or two ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements.txt requirements-dev.txt | $(PY)
	@echo "Installing the requirements of the checks, once: a minute or two ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.installed

$(PY):
	@sh tools/make_venv.sh $(VENV) $(PYTHON)
