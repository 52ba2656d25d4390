"""The evaluator that tables of candidates are judged by."""

from collections.abc import Iterator

import pytest

from kernelwright.evaluation.judge.local import LocalEvaluator


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False) as evaluator:
        yield evaluator
