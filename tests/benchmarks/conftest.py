"""The benchmark that a file of tests is about, which it names as `BENCHMARK`."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kernelwright.driver.config.discovery import discover

FOLDER = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture(scope="module")
def benchmark(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """Its module, with the benchmarks' folder on the path."""
    discover()
    sys.path.insert(0, FOLDER)
    try:
        yield importlib.import_module(request.module.BENCHMARK)
    finally:
        sys.path.remove(FOLDER)
