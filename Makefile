# Each target does its own set-up in .venv, with no virtual environment active. Nothing is installed again until
# pyproject.toml changes: the stamp files in .venv remember what was.

VENV := .venv
BIN := $(VENV)/bin
DATA := src/rochull/datasets/data/adult_scores.parquet
DEMO := build/demo

# The interpreter that .venv is made with: python3.11 if it runs, else python3. Override: make PYTHON=python3.13 test
PYTHON ?= $(shell for p in python3.11 python3; do "$$p" -c '' 2>/dev/null && echo "$$p" && break; done)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Nor PYTHONDONTWRITEBYTECODE: each process would compile the package and rewrite all assertions anew.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help studies demo page test test-fast test-compiled test-pure test-all coverage docs needed lint bench
.NOTPARALLEL:

help:
	@echo "make demo    report on the shipped example, in $(DEMO)"
	@echo "make test-fast  a share of the tests in a minute or two, without server, browser, Java or Node"
	@echo "make test    tests, docstring and documentation examples"
	@echo "make test-all  the same with more examples, and all that is long"
	@echo "make coverage  all tests, and which lines were executed"
	@echo "make lint    style, types, import contracts, docstrings, the report's page"
	@echo "make page    the page's script and style, from page/src"
	@echo "make docs    the site, in docs/_build/html"
	@echo "make studies  simulations: how often intervals cover, whether promises are kept"
	@echo "make bench   speed and memory compared with other libraries"

demo: $(VENV)/installed-all
	@mkdir -p $(DEMO)
	$(BIN)/rochull report $(DATA) --label income --positive '>50K' \
		--score naive_bayes --score logistic --score knn --score tree --score boosted \
		--cost-fp 1 --cost-fn 5 --prevalence 0.24 \
		-o $(DEMO)/report.html --policy $(DEMO)/policy.json
	@echo
	@echo "Report: $(CURDIR)/$(DEMO)/report.html (open it in a browser)"
	@echo "Policy: $(CURDIR)/$(DEMO)/policy.json"

PURE := tests/_core/kernels tests/test_pure_python.py --ignore tests/_core/kernels/test_compiled.py

# SLOW names a file for the tests that take more than a CPU second without the mark `long`, FAILED one for those that
# failed; LONG=1 runs what is long as well: every gallery example, page and cluster, simulations.
PYTEST := $(BIN)/python -m pytest -n 2 $(if $(SLOW),--slow=$(SLOW)) $(if $(FAILED),--failed=$(FAILED))

# Which of them: tests/support/profiles.py.
test-fast: $(VENV)/installed-test
	$(BIN)/python -m pytest --fast --hypothesis-profile=fast tests

test: test-compiled test-pure

test-compiled: $(VENV)/installed-test needed
	$(PYTEST) $(if $(LONG),,-m "not long")

# Kernels as plain Python: an overflow is then a warning, and a bad index an error.
test-pure: $(VENV)/installed-test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(PURE)

test-all: export HYPOTHESIS_FULL := 1
test-all: LONG := 1
test-all: test

# All tests with every line and branch watched, which takes a few minutes more.
coverage: $(VENV)/installed-test needed
	$(PYTEST) --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest --cov --cov-append --cov-report= $(PURE)
	$(BIN)/python -m coverage report

# A database, a Java, Node and two browsers that the tests use.
needed: page/node_modules/installed
	@scripts/need_postgres.sh
	@scripts/need_java.sh
	@scripts/need_chromium.sh
	@scripts/need_firefox.sh

# The site, its gallery included: a warning or an example that fails ends it. GALLERY=0 runs no example.
docs: $(VENV)/installed-docs
	$(BIN)/sphinx-build -q -W --keep-going $(if $(GALLERY),-D plot_gallery=$(GALLERY)) -b html docs docs/_build/html
	@echo "Site: $(CURDIR)/docs/_build/html/index.html"

# What the package holds of the report's pages, after a change in page/src or of a schema of facts.
page: page/node_modules/installed
	node page/build.js

lint: $(VENV)/installed-dev page/node_modules/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/check_docstrings.py
	$(BIN)/python scripts/draw_house.py --check
	$(BIN)/python scripts/check_commits.py
	cd page && npx --no-install eslint .
	cd page && npx --no-install tsc --noEmit
	node page/build.js --check

# NAME="few fit" names some of them; all take hours.
studies: $(VENV)/installed-benchmark
	$(BIN)/python -m studies $(NAME)

bench: $(VENV)/installed-benchmark
	$(BIN)/python -m benchmarks core
	$(BIN)/python -m benchmarks calibration
	$(BIN)/python -m benchmarks inference
	$(BIN)/python -m benchmarks hybrid
	$(BIN)/python -m benchmarks groups
	$(BIN)/python -m benchmarks segments
	$(BIN)/python -m benchmarks multiclass
	@scripts/need_chromium.sh
	$(BIN)/python -m benchmarks report

$(VENV)/created:
	@if ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		echo "rochull needs Python 3.11 or later; found: $$("$(PYTHON)" --version 2>/dev/null || echo none)." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.11 ..." >&2; \
		exit 1; \
	fi
	"$(PYTHON)" -m venv $(VENV)
	@touch $@

# Pinned by page/package-lock.json.
page/node_modules/installed: page/package.json page/package-lock.json
	@scripts/need_node.sh
	@cd page && npm ci --silent --no-fund --no-audit --ignore-scripts
	@touch $@

# What is never imported need not be compiled, which is half of the time; Python compiles and keeps the rest.
$(VENV)/installed-%: pyproject.toml $(VENV)/created
	@echo "Installing rochull[$*] into $(VENV) (minutes the first time) ..."
	@$(BIN)/python -m pip install --quiet --no-compile --editable '.[$*]'
	@touch $@
