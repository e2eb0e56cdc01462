# make run: the app.  make test: half of all tests, in turn.  make nightly: the same with all cases.  make slice: a part of those that the day leaves out.  make compat: what depends on JAX, with the newest.  make check: style and types.  make bench: ratios.  make soak: memory under churn.  make pictures: README's images.  make site: everything as static pages with live figures.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
TOOLS := build/site-tools

.PHONY: run test nightly slice compat check bench regressions soak pictures site browser nginx clean

# On this machine alone, and no page of another site reaches it by a name of its own that leads here (DNS rebinding).
HERE := --server.allowedHosts 127.0.0.1 --server.allowedHosts localhost
run: $(VENV)/.runtime
	$(BIN)/streamlit run app.py --server.address 127.0.0.1 --server.port $(PORT) $(HERE)

# What one test process or server has compiled, the others need not compile again.
test slice: export JAX_COMPILATION_CACHE_DIR := $(CURDIR)/build/compiled
test slice: export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS := 0
# By day XLA compiles all with the options of programs that run once (`ONCE` of engine/live_path/kernels.py), in half of
# the time; `make nightly` as a server does. Expanded for each recipe, when there is a Python: which flags there are depends
# on jaxlib.
QUICK = $(shell $(BIN)/python -m tests.xla_flags 2>/dev/null)
test slice: export XLA_FLAGS = $(QUICK)
# Nor what one has read of Python and of the assertions in the tests: empty is "write bytecode", whatever the shell says.
test slice: export PYTHONDONTWRITEBYTECODE :=
test: check browser nginx $(TOOLS)/.made
	$(BIN)/python tests/web/run.py
	$(BIN)/python -m pytest -n 3

# Long lists of cases in full: see tests/thorough.py.
nightly: export THOROUGH := 1
nightly: QUICK :=
nightly: test

# In 15 minutes one part of the cases that `make test` leaves out, chosen by the commit, with a SEED of the files: see tests/slices.py.
# `SEED=7 SLICE=3/8 make slice` repeats one.
slice: $(VENV)/.tools browser nginx
	$(BIN)/python -m tests.slices

# On the newest Python of the machine, if it is newer than 3.11, with the newest JAX, a third of what depends on it: see tests/compat.py.
compat: export PYTHONDONTWRITEBYTECODE :=
compat: $(VENV)/.tools browser
	$(BIN)/python -m tests.compat

check: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/web/formatting.py
	$(BIN)/python tests/web/typecheck.py

# All parts, or those of PARTS="code edits". KEEP=1 writes benchmarks/results.md: on a machine that does nothing else.
bench: $(VENV)/.tools browser
	$(BIN)/python -m benchmarks $(PARTS)

# A small part of it, which CI runs: what is a quarter slower than benchmarks/small.json says fails. KEEP=1 writes that file.
regressions: $(VENV)/.tools browser
	$(BIN)/python -m benchmarks.small

# Forty minutes; SOAK=6 is another number of them.
soak: $(VENV)/.tools
	$(BIN)/python -m benchmarks.soak

pictures: $(VENV)/.tools browser
	$(BIN)/python -m tests.browser.pictures

# All pages, in build/website/site, for any static host: docs/hosting.md. ONLY=lessons/fork,index makes some. The generator
# has an environment of its own, since no server needs it.
site: export JAX_COMPILATION_CACHE_DIR := $(CURDIR)/build/compiled
site: export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS := 0
site: export XLA_FLAGS = $(QUICK)
site: $(VENV)/.tools $(TOOLS)/.made
	$(BIN)/python -m website --only=$(ONLY)

$(TOOLS)/.made: requirements-site.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/pip install --quiet --disable-pip-version-check -r requirements-site.txt
	@touch $@

# The browser tests use Debian's chromium, best as the headless shell, which has no window to draw and takes a tenth less of
# the processors. As root it is installed; otherwise the tests take another Chromium, or skip and say how to get one.
APT := [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends
browser: $(VENV)/.tools
	@command -v chromium-headless-shell >/dev/null \
	  || { $(APT) chromium-headless-shell; } >/dev/null 2>&1 \
	  || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || { $(APT) chromium >/dev/null; } \
	  || echo "No chromium: the browser tests will be skipped. Install it with: sudo apt-get install chromium-headless-shell"

# So is Debian's nginx, for the tests of deploy/nginx.conf; RUNLEVEL=1 keeps it from being started.
nginx:
	@command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] \
	  || { export RUNLEVEL=1; $(APT) nginx >/dev/null; } \
	  || echo "No nginx: the tests of deploy/nginx.conf will be skipped. Install it with: sudo apt-get install nginx"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.tools: $(VENV)/.runtime requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

clean:
	rm -rf $(VENV) build .pytest_cache .hypothesis .ruff_cache
