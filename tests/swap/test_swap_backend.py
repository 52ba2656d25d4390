"""`torch.compile(backend="kernelwright")`: what was at fault once, caches, locks, and jobs of several processes."""

from pathlib import Path
from typing import Any

import bed
import cases
import pytest

from kernelwright.driver.torch_compile.options import Request
from kernelwright.frontend.inductor.plain import Inductor


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found: dict[str, str] = bed.run("from cases import run_all as work", tmp_path_factory.mktemp("cases"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", cases.CASES)
def test_case(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == "", outcomes[name]


@pytest.mark.parametrize(
    ("option", "why"),
    [("cpp_wrapper", "without Python"), ("triton.multi_kernel", "multi_kernel chooses"), ("max_autotune", "")],
)
def test_what_hooks_do_not_see_says_so(option: str, why: str) -> None:
    value: Any = 1 if option == "triton.multi_kernel" else True
    found = Inductor(None, {option: value}, ()).why_hidden()
    assert why in found and bool(why) == bool(found)


def test_ours_and_inductors_options_are_told_apart() -> None:
    given = {"store": "kernels", "lock": Path("kernelwright.lock"), "deterministic": True, "max_autotune": True}
    options = Request.read(given, None).options
    assert options.store == Path("kernels") and options.lock == Path("kernelwright.lock") and options.deterministic
