"""Calls of libraries in Inductor's programs: places where verified kernels run."""

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bed
import library_cases
import pytest
import torch

from kernelwright.frontend.swap.key import read
from kernelwright.frontend.swap.library import InPlace, Opened, opened
from kernelwright.frontend.swap.stored import why_not_inductors

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


HELPED = (
    LIKE.replace("import triton\n", "import triton\n\n@triton.jit\ndef helper(a, b):\n    return a + b\n")
    .replace("'device':", "'restore_value': ('in_ptr0',), 'device':")
    .replace("'Grid1D'", "'Grid1D', 'mutated_arg_names': ['in_ptr0']")
)
USERS = LIKE.replace("pointwise", "user_autotune")
CALL = """
def call(args):
    a, b, s = args
    buf0 = empty_strided_cuda({size}, (4, 1), torch.float32)
    assert_size_stride{grouped}
    extern_kernels.mm(a, reinterpret_tensor(b, (4, 4), (1, 4), 0), out=buf0)
    return (buf0,)
"""


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


@pytest.mark.parametrize(("precision", "who"), [("tf32", "kernel"), ("ieee", "library")])
def test_the_library_runs_once_it_may_no_longer_round_to_tf32(precision: str, who: str) -> None:
    x, out = torch.randn(4, 4), torch.empty(4, 4)
    products: Any = torch.backends.cuda.matmul
    before = products.fp32_precision
    try:
        products.fp32_precision = "tf32"
        opened, ran = opened_call(x, x, out=out)
        ours = InPlace(SimpleNamespace(run=lambda *_given, **_stream: ran.append("kernel")), opened)
        products.fp32_precision = precision
        ours.run(x, x, out=out)
    finally:
        products.fp32_precision = before
    assert ran == [who]


def test_a_result_in_an_operands_memory_stays_the_librarys() -> None:
    x = torch.randn(4, 4)
    assert opened_call(x, x, out=torch.empty(4, 4))[0].call is not None
    assert opened_call(torch.randn(4, 4), x, out=x)[0].call is None


def test_a_calls_key_is_that_of_no_other_kernel_of_its_program() -> None:
    opened, _ = opened_call(torch.randn(4, 4), torch.randn(4, 4), out=torch.empty(4, 4))
    assert opened.call is not None
    plain, other = (opened.call.source(name, read(like)) for name, like in (("a", LIKE), ("b", HELPED)))
    assert read(plain).key == read(other).key and not why_not_inductors(plain) and read(other).library
    assert read(opened.call.source("a", read(LIKE.replace("'cpu'", "'cuda', cc=90")))).key != read(plain).key


@pytest.mark.parametrize(
    ("kernels", "size", "grouped", "count"),
    [
        ([LIKE], "(4, 4)", "(a, (4, 4), (4, 1))", 1),
        ([USERS, LIKE], "(4, 4)", "_grouped((a, b), ((4, 4), (4, 4)), ((4, 1), (4, 1)))", 1),
        ([LIKE], "(s, 4)", "(a, (4, 4), (4, 1))", 0),
        ([LIKE], "(4, 4)", "_grouped((a, b), ((4, 4), (2*s, 4)), ((4, 1), (4, 1)))", 0),
        ([USERS], "(4, 4)", "(a, (4, 4), (4, 1))", 0),
        ([], "(4, 4)", "(a, (4, 4), (4, 1))", 0),
    ],
    ids=["fixed", "behind a program's own kernel", "a size", "one of several sizes", "no kernel of Inductor's", "none"],
)
def test_calls_are_opened_where_no_size_may_change(
    tmp_path: Path, kernels: list[str], size: str, grouped: str, count: int
) -> None:
    loads = "".join(f"kernel_{place} = async_compile.triton('k', {one!r})\n" for place, one in enumerate(kernels))
    program: Any = ModuleType("program")
    program.__file__ = str(tmp_path / "program.py")
    Path(program.__file__).write_text(loads + CALL.format(size=size, grouped=grouped))
    program.async_compile, program.torch = SimpleNamespace(triton=lambda *_: None), torch
    program.empty_strided_cuda = lambda shape, strides, dtype: torch.empty_strided(shape, strides, dtype=dtype)
    program.assert_size_stride = program.assert_size_stride_grouped = lambda *_: None
    program.reinterpret_tensor = lambda tensor, shape, strides, _offset: tensor.as_strided(shape, strides)
    program.extern_kernels = SimpleNamespace(mm=torch.mm)
    exec(Path(program.__file__).read_text(), vars(program))
    call = program.call  # it was handed out before
    made = opened(program)
    assert len(made) == count == len(opened(program))
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    torch.testing.assert_close(call([a, b, 4])[0], a @ b.T)
    assert all(one.call is not None for one in made)
