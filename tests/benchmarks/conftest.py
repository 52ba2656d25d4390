"""The benchmark that a file of tests is about, which it names as `BENCHMARK`."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kernelwright.driver.config.discovery import discover

sys.path.insert(0, str(Path(__file__).parents[2]))


@pytest.fixture(scope="module")
def benchmark(request: pytest.FixtureRequest) -> ModuleType:
    """Its module."""
    discover()
    return importlib.import_module(f"benchmarks.{request.module.BENCHMARK}")
