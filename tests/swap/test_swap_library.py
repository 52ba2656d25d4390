"""Calls of libraries in Inductor's programs: places where verified kernels run."""

import bed
import library_cases
import pytest


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found: dict[str, str] = bed.run("from library_cases import run_all as work", tmp_path_factory.mktemp("calls"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", library_cases.CASES)
def test_case(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == "", outcomes[name]
