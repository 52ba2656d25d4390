"""Calls of libraries in Inductor's programs: places where verified kernels run."""

from types import ModuleType, SimpleNamespace
from typing import Any

import bed
import library_cases
import pytest
import torch

from kernelwright.frontend.swap.key import read
from kernelwright.frontend.swap.library import InPlace, Opened

LIKE = """
import triton

@triton_heuristics.pointwise(
    triton_meta={'signature': {'in_ptr0': '*fp32'}, 'device': DeviceProperties(type='cpu')},
    inductor_meta={'grid_type': 'Grid1D'},
)
@triton.jit
def like(in_ptr0):
    pass
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found: dict[str, str] = bed.run("from library_cases import run_all as work", tmp_path_factory.mktemp("calls"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", library_cases.CASES)
def test_case(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == "", outcomes[name]


def opened_call(*arguments: torch.Tensor, out: torch.Tensor) -> tuple[Opened, list[str]]:
    """A call of a product that was seen once, and who computed what since then."""
    ran = list[str]()

    def library(*given: Any, out: torch.Tensor) -> torch.Tensor:
        ran.append("library")
        return torch.mm(*given, out=out)

    program: Any = ModuleType("program")
    program.extern_kernels, program.get_raw_stream = SimpleNamespace(mm=library), lambda _index: 0
    opened = Opened(program, "library_mm_0", "extern_kernels.mm", read(LIKE))
    opened.run(*arguments, out=out)
    ran.clear()
    return opened, ran


def test_a_kernel_runs_where_buffers_begin_as_it_expects_and_the_library_elsewhere() -> None:
    x, out = torch.randn(4, 4), torch.empty(4, 4)
    opened, ran = opened_call(x, x, out=out)

    def launch(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor, **_stream: int) -> None:
        ran.append("kernel")
        out.copy_(a @ b)

    ours = InPlace(SimpleNamespace(run=launch), opened)
    elsewhere = torch.randn(17)[1:].reshape(4, 4)
    for one, who in ((x, "kernel"), (elsewhere, "library"), (x, "kernel")):
        torch.testing.assert_close(ours.run(one, x, out=out), one @ x)
        assert ran.pop() == who and not ran


def test_a_result_in_an_operands_memory_stays_the_librarys() -> None:
    x = torch.randn(4, 4)
    assert opened_call(x, x, out=torch.empty(4, 4))[0].call is not None
    assert opened_call(torch.randn(4, 4), x, out=x)[0].call is None
