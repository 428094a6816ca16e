# Every target sets up what it needs in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= out

.PHONY: demo test lint bench clean

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

test: $(VENV)/.stamp-test lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.stamp-bench
	$(BIN)/python benchmarks/core.py --out benchmarks/results/core.json
	$(BIN)/python benchmarks/defaults.py --out benchmarks/results/defaults.json
	$(BIN)/python benchmarks/few_labels.py --out benchmarks/results/few_labels_time.json
	$(BIN)/python benchmarks/engine.py --out benchmarks/results/engine.json --plot benchmarks/results/engine.png
	$(BIN)/python benchmarks/engine_modes.py --out benchmarks/results/engine_modes.json
	$(BIN)/python benchmarks/backends.py --out benchmarks/results/backends.json
	$(BIN)/python benchmarks/dask_scaling.py --out benchmarks/results/dask.json

clean:
	rm -rf $(VENV) $(OUT) .pytest_cache .mypy_cache .ruff_cache
