"""What newer releases of torch write otherwise means what older ones wrote."""

import ast

import pytest

from kernelwright.frontend.inductor.host_text import HostProgram, HostWriter
from kernelwright.frontend.inductor.kernel_text import normalize, read_kernel
from kernelwright.ir.errors import LoweringError

HOST = """
def call(args):
    x, w = args
    CHECK
    buf0 = extern_kernels.convolution(x, w, stride=(1, 1), padding=(0, 0), dilation=(1, 1), transposed=False,
        output_padding=(0, 0), groups=1, bias=None)
    LATER
    return (buf0, )
"""
KERNEL = """
@triton_heuristics.pointwise(size_hints={'x': 16}, triton_meta={}, inductor_meta={})
@triton.jit
def triton_(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    tmp0 = tl.load(in_ptr0)
    LINES
    tl.store(out_ptr0, tmp1)
"""


def host(check: str, later: str) -> list[str]:
    program = HostProgram.read(HOST.replace("CHECK", check).replace("LATER", later))
    return [ast.unparse(one) for one in HostWriter(program, {}, set(), "cpu").write()]


def kernel(lines: str) -> tuple[str, tuple[str, ...]]:
    plain = normalize(read_kernel("triton_", KERNEL.replace("LINES", lines), ()), {})
    return ast.unparse(plain.function), plain.calls


def test_layouts_that_are_checked_together_are_checked() -> None:
    singly = host(
        "assert_size_stride(x, (2, 3, 4, 5), (60, 20, 5, 1))",
        "assert_size_stride(buf0, (2, 6, 4, 5), (120, 1, 30, 6), 'convolution')",
    )
    together = host(
        "assert_size_stride_grouped((x, w), ((2, 3, 4, 5), (6, 3, 1, 1)), ((60, 20, 5, 1), (3, 1, 1, 1)), 'input')",
        "assert_size_stride_grouped((buf0, x), ((2, 6, 4, 5), (2, 3, 4, 5)), ((120, 1, 30, 6), (60, 20, 5, 1)), 'op')",
    )
    assert any("channels_last" in line for line in singly)
    assert together == singly


def test_maxima_that_keep_nan() -> None:
    assert kernel("tmp1 = tl.maximum(tmp0, 0.0, tl.PropagateNan.ALL)") == kernel(
        "tmp1 = triton_helpers.maximum(tmp0, 0.0)"
    )
    assert kernel("tmp1 = tl.maximum(tmp0, 0.0)")[1] == ()


def test_softmax_without_regard_to_the_sign_of_zeros() -> None:
    older = kernel("tmp1, tmp2 = triton_helpers.online_softmax_reduce(tmp0, tmp0, 1, False)")
    assert kernel("tmp1, tmp2 = triton_helpers.online_softmax_reduce(tmp0, tmp0, 1, False, False)") == older
    with pytest.raises(LoweringError, match="distinguishes 0 from -0 in online_softmax_reduce"):
        kernel("tmp1, tmp2 = triton_helpers.online_softmax_reduce(tmp0, tmp0, 1, False, True)")
