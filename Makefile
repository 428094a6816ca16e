# Every target sets up what it needs in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
# Only .venv has another layout on Windows; everything else here needs make and a shell such as Git's.
ifeq ($(OS),Windows_NT)
SCRIPTS := Scripts
else
SCRIPTS := bin
endif
BIN = $(VENV)/$(SCRIPTS)
# Errors only: what pip thinks of mirrors or of itself is no news for who asked for a demo.
PIP = $(BIN)/python -m pip install -qq --disable-pip-version-check
OUT ?= out
JOBS ?= 1
SECONDS ?= 600
PORT ?= 8000

.PHONY: demo test test-all test-minimum test-nightly wheel release-check mutants fuzz lint bench docs docs-serve clean

# One stamp per kind of set-up: it is made again whenever the requirements change.
$(VENV)/.stamp-demo: pyproject.toml
	@echo "Setting up $(VENV): a minute or two, once."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -e ".[all]"
	@touch $@

$(VENV)/.stamp-%: pyproject.toml $(VENV)/.stamp-demo
	@echo "Setting up what $* needs."
	@$(PIP) "pip>=25.1"
	@$(PIP) --group $*
	@touch $@

demo: $(VENV)/.stamp-demo
	$(BIN)/python -m agnoboost_experiments.demo --out $(OUT)

# Two workers on two cores: threads of BLAS beside them would only get in each other's way (seven times as slow).
test test-all test-minimum test-nightly mutants fuzz: export OMP_NUM_THREADS = 1
test test-all test-minimum test-nightly mutants fuzz: export OPENBLAS_NUM_THREADS = 1

# Left to test-all, which runs every file alone: studies from end to end, processes killed again and again, long examples.
LONG := tests/experiments/test_covariate_shift.py::test_a_small_study_from_end_to_end \
	tests/experiments/test_covariate_shift.py::test_algorithm_3_beats_ignoring_the_shift_and_keeps_up_with_labels_alone \
	tests/rounds/test_checkpoint.py::test_a_process_killed_at_random_moments_ends_with_the_same_model \
	tests/habits/test_first_compilation.py \
	tests/mutants/test_campaign.py::test_a_campaign \
	tests/docs/test_gallery.py::test_a_longer_example_keeps_its_word \
	tests/integrations/test_dask_stumps.py::test_a_worker_that_is_killed

# In random order; the kernels once more as plain Python.
test: $(VENV)/.stamp-test lint
	$(BIN)/python -m pytest -n 2 $(LONG:%=--deselect %)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q tests/kernels

# The long legs: engines without JIT, every file alone, coverage.
test-all: test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q tests/rounds/test_check_rounds.py
	for file in $$(find tests -name 'test_*.py' | sort); do $(BIN)/python -m pytest -q $$file || [ $$? -eq 5 ] || exit 1; done
	$(BIN)/python -m pytest -n 2 -q --cov --cov-report=term --cov-report=xml:$(OUT)/coverage.xml

# Other versions of what we build on, each in an environment of its own: the lowest that pyproject.toml allows, and those of
# tomorrow (numpy's only when numba knows it). Packages of different ages warn of one another: what will once be deprecated is no error there.
OTHERS := $(LONG:%=--deselect %) -W default::DeprecationWarning -W default::PendingDeprecationWarning -W default::FutureWarning
NIGHTLY := https://pypi.anaconda.org/scientific-python-nightly-wheels/simple

test-minimum: VENV := .venv-minimum
test-minimum:
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) "pip>=25.1"
	$(BIN)/python tools/minimum_versions.py > $(VENV)/constraints.txt
	@$(PIP) -c $(VENV)/constraints.txt -e ".[all]" --group test
	$(BIN)/python -m pytest -n 2 $(OTHERS)

test-nightly: VENV := .venv-nightly
test-nightly:
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) "pip>=25.1"
	@$(PIP) -e ".[all]" --group test
	@$(PIP) --upgrade --pre --only-binary :all: --extra-index-url $(NIGHTLY) scipy scikit-learn pandas matplotlib pyarrow
	$(BIN)/python -m pytest -n 2 $(OTHERS)

# What would be published: built, looked into, and tried in an environment that has nothing else.
wheel: $(VENV)/.stamp-release
	rm -rf dist
	$(BIN)/python -m build --installer pip --quiet
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tools/check_wheel.py dist

# Whether a tag may be published: make release-check TAG=v0.1.0
release-check:
	@$(PYTHON) tools/changelog.py $(TAG)

# Small bugs planted one at a time: which of them does no test notice? Stopped, it goes on where it was.
mutants: $(VENV)/.stamp-test
	PYTHONPATH=tests $(BIN)/python -m mutants --jobs $(JOBS) --work $(OUT)/mutants --out benchmarks/results/mutants.json --page docs/mutants.md

# Damaged files, odd tables, kills, odd surroundings: nothing may crash, hang or mislead (docs/reliability.md).
fuzz: $(VENV)/.stamp-test
	@mkdir -p $(OUT)
	$(BIN)/python -m fuzz --seconds $(SECONDS) --jobs $(JOBS) --out $(OUT)/fuzz.json

lint: $(VENV)/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

bench: $(VENV)/.stamp-bench
	$(BIN)/python benchmarks/imports.py --out benchmarks/results/imports.json
	$(BIN)/python benchmarks/core.py --out benchmarks/results/core.json
	$(BIN)/python benchmarks/defaults.py --out benchmarks/results/defaults.json
	$(BIN)/python benchmarks/front_door.py --out benchmarks/results/front_door.json
	$(BIN)/python benchmarks/explanations.py --out benchmarks/results/explanations.json
	$(BIN)/python benchmarks/gradient_trees.py --out benchmarks/results/gradient_trees.json
	$(BIN)/python benchmarks/engine.py --out benchmarks/results/engine.json --plot benchmarks/results/engine.png
	$(BIN)/python benchmarks/engine_modes.py --out benchmarks/results/engine_modes.json
	$(BIN)/python benchmarks/backends.py --out benchmarks/results/backends.json
	$(BIN)/python benchmarks/dask_scaling.py --out benchmarks/results/dask.json

# The site, without network; examples run, warnings are errors, and so are dead links and anything fetched from elsewhere.
docs: $(VENV)/.stamp-docs
	MPLBACKEND=Agg $(BIN)/python -m sphinx --fail-on-warning --keep-going -b html -d $(OUT)/doctrees docs $(OUT)/docs
	@echo "The site is in $(OUT)/docs: make docs-serve shows it."

docs-serve: docs
	$(BIN)/python -m http.server --directory $(OUT)/docs --bind 127.0.0.1 $(PORT)

clean:
	rm -rf docs/gallery docs/api/generated docs/api/examples docs/sg_execution_times.rst
	rm -rf $(VENV) .venv-minimum .venv-nightly $(OUT) dist .pytest_cache .mypy_cache .ruff_cache
