# Needs Python 3.11 or newer and make. Everything else is installed into .venv on first use.
#
#   make book       build the site into _build/html
#   make test       build the site, then test the library, the notebooks and the site
#   make test-live  test every notebook and every workshop live in Chromium
#   make test-binder, make test-oldest
#                   test it in Binder's image; on the oldest versions that it has to run on
#   make notebooks  run every notebook and write it with its outputs
#   make live       open the notebooks in a local JupyterLab
#   make bench      measure the speed of the library and of the build, and the size of the pages
#   make live-bench measure what the live versions load, how soon they draw, and a slider's move
#   make clean      remove everything that make made
#
# Another interpreter: make PYTHON=/path/to/python3 …  Another Chromium: make test CHROMIUM=/path/to/chromium

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11 python,$(shell \
	$(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SITE := _build/html

# What a reader's shell may hold must not change a figure or hide an installed package.
unexport MPLBACKEND PYTHONPATH PYTHONHOME PYTHONWARNINGS JPY_SESSION_NAME
export CHROMIUM

.PHONY: book test test-live test-binder test-oldest notebooks live bench live-bench clean

book: $(READY)
	@$(BIN)/python book/_live/parts.py
	@echo "== Building the site"
	@rm -rf _build
	@$(BIN)/jupyter-book build . -W -n --keep-going
	@$(BIN)/python book/_live/build.py
	@echo
	@echo "The site is in $(SITE). To read it:"
	@echo "    $(BIN)/python -m http.server -d $(SITE) 8000"
	@echo "and open http://localhost:8000"

test: $(READY)
	@echo "== Looking for Chromium"
	@$(BIN)/python tests/chromium.py
	@echo "== Style of the code"
	@$(BIN)/ruff check . && $(BIN)/ruff format --check lib tests book
	@$(MAKE) --no-print-directory book
	@echo "== Testing the library"
	@$(BIN)/pytest -n auto tests/unit tests/notebooks
	@echo "== Running the notebooks and comparing every output"
	@$(BIN)/python -c "import matplotlib.font_manager"  # its first import reports to stderr, which fails a cell
	@$(BIN)/pytest --nbval notebooks
	@echo "== Testing the site in Chromium"
	@$(BIN)/pytest -n auto tests/site tests/live/test_parts.py
	@echo "== All tests passed, in $$(( $$(date +%s) - $(shell date +%s) )) s"

test-live: $(READY)
	@$(BIN)/jupyter-trust notebooks/*.ipynb > /dev/null  # they are our own; else figures show only when they are run
	@$(BIN)/python tests/chromium.py
	@$(MAKE) --no-print-directory book
	@echo "== Running every notebook and moving every control, in JupyterLite and in the page"
	@$(BIN)/pytest -n auto --dist loadfile tests/live

test-binder: $(READY)
	@$(BIN)/python tests/chromium.py
	@echo "== Making Binder's image, and running and moving every notebook in it"
	@$(BIN)/pytest tests/binder

test-oldest: $(READY)
	@echo "== Testing the library and the notebooks on the oldest versions that a browser and Colab bring"
	@$(BIN)/python tests/oldest/run.py

notebooks: $(READY)
	@$(BIN)/python -c "import matplotlib.font_manager"
	@$(BIN)/python tests/notebooks/write.py

live: $(READY)
	@$(BIN)/jupyter-lab --LabApp.default_url=/lab/tree/notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

bench: $(READY)
	@$(BIN)/python tests/bench.py

live-bench: $(READY)
	@$(BIN)/python tests/live_bench.py $(NOTEBOOKS)

clean:
	rm -rf _build build .cache $(VENV) .pytest_cache .hypothesis .ruff_cache lib/*.egg-info

$(READY): requirements.txt requirements-dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found. Install one, or say where: make PYTHON=…"; exit 1; }
	@echo "== Installing into $(VENV) what the book needs (about 800 MB, a minute or two)"
	@$(BIN)/python -c "" 2>/dev/null || $(PYTHON) -m venv --clear $(VENV) \
		|| { echo "$(PYTHON) cannot make a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --disable-pip-version-check -r requirements-dev.txt
	@touch $@
