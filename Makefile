# Every target sets up what it needs in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= out
JOBS ?= 1
SECONDS ?= 600

.PHONY: demo test test-all mutants fuzz lint bench clean

# One stamp per kind of set-up: it is made again whenever the requirements change.
$(VENV)/.stamp-demo: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[all]"
	@touch $@

$(VENV)/.stamp-test: pyproject.toml $(VENV)/.stamp-demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group test
	@touch $@

$(VENV)/.stamp-bench: pyproject.toml $(VENV)/.stamp-demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	@touch $@

demo: $(VENV)/.stamp-demo
	$(BIN)/python -m agnoboost_experiments.demo --out $(OUT)

# Two workers on two cores: threads of BLAS beside them would only get in each other's way (seven times as slow).
test test-all mutants fuzz: export OMP_NUM_THREADS = 1
test test-all mutants fuzz: export OPENBLAS_NUM_THREADS = 1

# Left to test-all, which runs every file alone: studies from end to end, processes killed again and again.
LONG := tests/experiments/test_covariate_shift.py::test_a_small_study_from_end_to_end \
	tests/experiments/test_covariate_shift.py::test_algorithm_3_beats_ignoring_the_shift_and_keeps_up_with_labels_alone \
	tests/rounds/test_checkpoint.py::test_a_process_killed_at_random_moments_ends_with_the_same_model \
	tests/mutants/test_campaign.py::test_a_campaign

# In random order; the kernels once more as plain Python.
test: $(VENV)/.stamp-test lint
	$(BIN)/python -m pytest -n 2 $(LONG:%=--deselect %)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q tests/kernels

# The long legs: engines without JIT, every file alone, coverage.
test-all: test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q tests/rounds/test_check_rounds.py
	for file in $$(find tests -name 'test_*.py' | sort); do $(BIN)/python -m pytest -q $$file || [ $$? -eq 5 ] || exit 1; done
	$(BIN)/python -m pytest -n 2 -q --cov=agnoboost --cov=agnoboost_experiments --cov-report=term-missing:skip-covered

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

bench: $(VENV)/.stamp-bench
	$(BIN)/python benchmarks/core.py --out benchmarks/results/core.json
	$(BIN)/python benchmarks/defaults.py --out benchmarks/results/defaults.json
	$(BIN)/python benchmarks/front_door.py --out benchmarks/results/front_door.json
	$(BIN)/python benchmarks/explanations.py --out benchmarks/results/explanations.json
	$(BIN)/python benchmarks/gradient_trees.py --out benchmarks/results/gradient_trees.json
	$(BIN)/python benchmarks/engine.py --out benchmarks/results/engine.json --plot benchmarks/results/engine.png
	$(BIN)/python benchmarks/engine_modes.py --out benchmarks/results/engine_modes.json
	$(BIN)/python benchmarks/backends.py --out benchmarks/results/backends.json
	$(BIN)/python benchmarks/dask_scaling.py --out benchmarks/results/dask.json

clean:
	rm -rf $(VENV) $(OUT) .pytest_cache .mypy_cache .ruff_cache
