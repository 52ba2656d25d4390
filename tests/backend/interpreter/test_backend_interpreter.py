"""The guarded interpreter: honest kernels give what torch gives, broken ones are caught where they break."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor
from triton_has import available

from kernelwright.backend.interpreter import batched, batched_journal
from kernelwright.backend.interpreter import grid as interp_grid
from kernelwright.backend.interpreter.runtime import (
    AccessError,
    InterpreterRuntime,
    KernelError,
    KernelFault,
    UninitialisedReadError,
    UnsupportedByInterpreter,
)
from kernelwright.backend.launch.binding import LaunchError
from kernelwright.backend.launch.execute import CudaRuntime, load_module
from kernelwright.backend.tensors import spec_of
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference

torch.manual_seed(0)


def case(kernels, host: str, *inputs: Tensor) -> KernelModule:
    """Kernels (texts of jit functions, `k` the one launched) under host code taking a, b, c, …"""
    kernels = [kernels] if isinstance(kernels, str) else kernels
    specs = tuple(spec_of(name, value) for name, value in zip("abcdef", inputs, strict=False))
    names = ", ".join(spec.name for spec in specs)
    body = "\n    ".join(host.strip().splitlines())
    return KernelModule(
        "case",
        Reference("", "Model", specs, (), ()),
        tuple(Kernel(f"k{i}", text.strip()) for i, text in enumerate(kernels)),
        Launcher(f"def forward({names}):\n    {body}"),
    )


def interpret(kernels, host: str, *inputs: Tensor, **options) -> tuple[Tensor, ...]:
    """Interpret such a case."""
    return load_module(case(kernels, host, *inputs), InterpreterRuntime(**options))(list(inputs), {})


COPY = """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    {body}
"""
HOST = "out = torch.empty_like(a)\nk[({grid},)](a, out, a.numel(), B={block})\nreturn out"

# name, kernel body, (block, grid), line text, tensor, offset, access
BROKEN = {
    "unmasked tail": ("tl.store(out_ptr + i, tl.load(x_ptr + i))", "x_ptr", 10, "load"),
    "negative offset": ("tl.store(out_ptr + i, tl.load(x_ptr + i - 1, mask=i < n), mask=i < n)", "x_ptr", -1, "load"),
    "wrong stride": (
        "tl.store(out_ptr + i, tl.load(x_ptr + 2 * i, mask=i < n), mask=i < n)",
        "x_ptr",
        10,
        "load",
    ),
    "off by one mask": ("tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i <= n), mask=i < n)", "x_ptr", 10, "load"),
    "store past the end": ("tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n))", "out_ptr", 10, "store"),
    "negative store": ("tl.store(out_ptr + i - 3, 1.0, mask=i < n)", "out_ptr", -3, "store"),
    "atomic past the end": ("tl.atomic_add(out_ptr + i, 1.0)", "out_ptr", 10, "atomic"),
    "atomic compare and swap past the end": (
        "tl.atomic_cas(out_ptr.to(tl.pointer_type(tl.int32)) + i, i, i)",
        "out_ptr",
        10,
        "atomic",
    ),
    "block pointer without boundary check": (
        "tl.load(tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (B,), (0,)))",
        "x_ptr",
        10,
        "load",
    ),
    "block pointer stored without boundary check": (
        "tl.store(tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (B,), (0,)), i.to(tl.float32))",
        "out_ptr",
        10,
        "store",
    ),
    "scalar past the end": ("tl.store(out_ptr + n, 0.0)", "out_ptr", 10, "store"),
    "misaligned": (
        "tl.load((x_ptr.to(tl.pointer_type(tl.int8)) + 2).to(tl.pointer_type(tl.float32)))",
        "x_ptr",
        0,
        "load",
    ),
    "far away": ("tl.load(x_ptr + i.to(tl.int64) * 1000000007, mask=i == 9)", "x_ptr", 9000000063, "load"),
    "another tensor's distance away": ("tl.load(x_ptr + (1 << 39), mask=n > 0)", "", 0, "load"),
    "an address from nowhere": ("tl.load(n.to(tl.int64).to(tl.pointer_type(tl.float32)))", "", 0, "load"),
    "some lanes in one tensor, some outside another": (
        "tl.load(tl.where(i < 4, x_ptr + i, out_ptr + 3 * i), mask=i < n)",
        "out_ptr",
        12,
        "load",
    ),
}
BROKEN = {name: broken for name, broken in BROKEN.items() if available(broken[0])}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_access_is_named(name: str) -> None:
    body, tensor, offset, access = BROKEN[name]
    with pytest.raises(AccessError) as caught:
        interpret(COPY.format(body=body), HOST.format(grid=1, block=16), torch.arange(10.0))
    error = caught.value
    assert (error.kernel, error.line, error.tensor, error.access) == ("k", 4, tensor, access)
    assert error.offset == offset
    assert error.place.text == body
    if tensor:
        assert error.extent == (0, 10)
        assert tensor in str(error)


def test_view_is_checked_against_its_storage() -> None:
    kernel = COPY.format(body="tl.store(out_ptr + i, tl.load(x_ptr + i - 2), mask=i < n)")
    whole = torch.arange(32.0)
    got = interpret(kernel, "out = torch.empty(16)\nk[(1,)](a, out, 16, B=16)\nreturn out", whole[2:18])
    assert torch.equal(got[0], whole[:16])
    with pytest.raises(AccessError) as caught:
        interpret(kernel, "out = torch.empty(16)\nk[(1,)](a, out, 16, B=16)\nreturn out", whole[1:17])
    assert (caught.value.offset, caught.value.extent) == (-2, (-1, 31))


def test_fault_inside_a_helper_gives_the_helpers_line() -> None:
    helper = "@triton.jit\ndef pick(p, i):\n    j = i + 1\n    return tl.load(p + j)"
    kernel = COPY.format(body="tl.store(out_ptr + i, pick(x_ptr, i))")
    with pytest.raises(AccessError) as caught:
        interpret([helper, kernel], HOST.format(grid=1, block=8), torch.ones(8))
    place = caught.value.place
    assert (place.kernel, place.function, place.line) == ("k", "pick", 4)
    assert place.text == "return tl.load(p + j)"


def test_aliases_write_the_same_bytes() -> None:
    kernel = """
@triton.jit
def k(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x_ptr + i, 7.0)
    tl.store(y_ptr + i, tl.load(y_ptr + i) + 1.0)
"""
    out = interpret(kernel, "out = torch.zeros(8)\nk[(1,)](out, out[4:], 8, B=4)\nreturn out", torch.ones(1))[0]
    assert out.tolist() == [7, 7, 7, 7, 1, 1, 1, 1]
    out = interpret(kernel, "out = torch.zeros(4)\nk[(1,)](out, out, 8, B=4)\nreturn out", torch.ones(1))[0]
    assert out.tolist() == [8, 8, 8, 8]


def test_inputs_that_are_read_only_views_write_through() -> None:
    x = torch.zeros(2, 3)
    interpret(COPY.format(body="tl.store(x_ptr + i, 1.0, mask=i < n)"), "k[(1,)](a.t(), a, 6, B=8)\nreturn a", x)
    assert torch.equal(x, torch.ones(2, 3))


# name -> (kernel, host, inputs, expected)
X = torch.randn(4, 16)
HONEST = {
    "softmax": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * n + i, e / tl.sum(e, axis=0), mask=i < n)
""",
        "out = torch.empty_like(a)\nk[(4,)](a, out, 16, B=32)\nreturn out",
        X,
        torch.softmax(X, 1),
    ),
    "bits of integers without a sign": (
        """
@triton.jit
def k(x_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out_ptr + i, ~tl.load(x_ptr + i))
""",
        "out = torch.empty_like(a)\nk[(1,)](a, out, B=16)\nreturn out",
        torch.arange(0, 256, 16, dtype=torch.uint8),
        ~torch.arange(0, 256, 16, dtype=torch.uint8),
    ),
    "library functions": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * n + tl.arange(0, B)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.sigmoid(x) + tl.softmax(x) + tl.math.erf(x) + tl.flip(x, 0) + x.sigmoid())
""",
        "out = torch.empty_like(a)\nk[(4,)](a, out, 16, B=16)\nreturn out",
        X,
        2 * torch.sigmoid(X) + torch.softmax(X, 1) + torch.erf(X) + X.flip(1),
    ),
    "sort": (
        COPY.format(body="tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i), descending=True))"),
        "out = torch.empty_like(a)\nk[(4,)](a, out, 16, B=16)\nreturn out",
        X,
        X.sort(descending=True).values,
    ),
    "scans": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * n + tl.arange(0, B)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.cumsum(x, 0) + tl.cumsum(x, 0, reverse=True) + tl.cumprod(x, 0))
""",
        "out = torch.empty_like(a)\nk[(4,)](a, out, 16, B=16)\nreturn out",
        X,
        X.cumsum(1) + X.flip(1).cumsum(1).flip(1) + X.cumprod(1),
    ),
    "argmax and argmin with ties": (
        """
@triton.jit
def k(x_ptr, out_ptr, B: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, B))
    value, index = tl.max(x, 0, return_indices=True)
    tl.store(out_ptr, tl.argmax(x, 0))
    tl.store(out_ptr + 1, tl.argmin(x, 0))
    tl.store(out_ptr + 2, value.to(tl.int32))
    tl.store(out_ptr + 3, index)
""",
        "out = torch.empty(4, dtype=torch.int32, device=a.device)\nk[(1,)](a, out, B=8)\nreturn out",
        torch.tensor([1.0, 5, 0, 5, 0, 5, 2, 3]),
        torch.tensor([1, 2, 5, 1], dtype=torch.int32),
    ),
    "loops, conditions and boolean operators": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros([B], dtype=tl.float32)
    for step in range(0, n, 16):
        j = step.to(tl.int64) + i
        acc += tl.load(x_ptr + j, mask=(j < n) and (j >= 0) and not (j == 3), other=0.0)
        if step == 16 or step == 32:
            acc += 1.0
    for twice in tl.static_range(2):
        acc = acc * (twice + 1)
    count = 0
    while count < 3:
        count += 1
    tl.store(out_ptr + i, acc * count)
""",
        "out = torch.empty(16, device=a.device)\nk[(1,)](a, out, 64, B=16)\nreturn out",
        X,
        ((X.flatten() * (torch.arange(64) != 3)).view(4, 16).sum(0) + 2) * 6,
    ),
    "matrix product through block pointers": (
        """
@triton.jit
def k(a_ptr, b_ptr, out_ptr, m, n, K, B: tl.constexpr):
    a = tl.make_block_ptr(a_ptr, (m, K), (K, 1), (0, 0), (16, B), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, n), (n, 1), (0, 0), (B, 16), (1, 0))
    acc = tl.zeros((16, 16), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, B)):
        left = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(left, tl.load(b, boundary_check=(0, 1), padding_option="zero"), acc, input_precision="ieee")
        a = tl.advance(a, (0, B))
        b = tl.advance(b, (B, 0))
    o = tl.make_block_ptr(out_ptr, (m, n), (n, 1), (0, 0), (16, 16), (1, 0))
    tl.store(o, acc, boundary_check=(0, 1))
""",
        "out = torch.empty(2, 2, device=a.device)\nk[(1,)](a, a, out, 2, 2, 32, B=16)\nreturn out",
        X,
        X.view(2, 32) @ X.view(32, 2),
    ),
    "histogram by atomics on repeated addresses": (
        COPY.format(body="tl.atomic_add(out_ptr + tl.load(x_ptr + i, mask=i < n, other=0), 1, mask=i < n)"),
        "out = torch.zeros(4, dtype=torch.int32, device=a.device)\nk[(2,)](a, out, 30, B=16)\nreturn out",
        torch.arange(30) % 3,
        torch.tensor([10, 10, 10, 0], dtype=torch.int32),
    ),
    "atomic maximum of floats": (
        COPY.format(body="tl.atomic_max(out_ptr + i % 4, tl.load(x_ptr + i))"),
        "out = torch.full((4,), -100.0, device=a.device)\nk[(4,)](a, out, 64, B=16)\nreturn out",
        X - 3,
        (X - 3).view(16, 4).max(0).values,
    ),
    "a number that is not loaded is zero where the kernel says so": (
        COPY.format(body="tl.store(out_ptr + i, i + tl.load(x_ptr + n, mask=n < 0, other=0.0))"),
        "out = torch.empty(16, device=a.device)\nk[(1,)](a, out, 16, B=16)\nreturn out",
        X,
        torch.arange(16.0),
    ),
    "boolean tensors": (
        COPY.format(body="tl.store(out_ptr + i, tl.load(x_ptr + i) ^ True)"),
        "out = torch.empty_like(a)\nk[(1,)](a, out, 16, B=16)\nreturn out",
        X[0] > 0,
        X[0] <= 0,
    ),
    "integer division truncates": (
        COPY.format(body="tl.store(out_ptr + i, (i - 8) // 3 + (i - 8) % 3)"),
        "out = torch.empty(16, dtype=torch.int32, device=a.device)\nk[(1,)](a, out, 16, B=16)\nreturn out",
        X,
        torch.tensor([int(v / 3) + (v - 3 * int(v / 3)) for v in range(-8, 8)], dtype=torch.int32),
    ),
    "libdevice": (
        COPY.format(body="tl.store(out_ptr + i, tl.extra.cuda.libdevice.tanh(tl.load(x_ptr + i)))"),
        "out = torch.empty_like(a)\nk[(4,)](a, out, 16, B=16)\nreturn out",
        X,
        X.tanh(),
    ),
}
HONEST = {name: honest for name, honest in HONEST.items() if available(honest[0])}


@pytest.mark.parametrize("name", HONEST)
def test_honest_kernel_matches(name: str) -> None:
    kernel, host, x, expected = HONEST[name]
    torch.testing.assert_close(interpret(kernel, host, x)[0], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", HONEST)
def test_compiled_kernel_matches_too(name: str) -> None:
    kernel, host, x, expected = HONEST[name]
    out = load_module(case(kernel, host, x), CudaRuntime())([x.cuda()], {})[0]
    torch.testing.assert_close(out.cpu(), expected, rtol=1e-5, atol=1e-5)


def test_atomics_give_old_values_in_order() -> None:
    kernel = """
@triton.jit
def k(counter_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out_ptr + tl.program_id(0) * B + i, tl.atomic_add(counter_ptr + i * 0, 1))
"""
    host = "c = torch.zeros(1, dtype=torch.int32)\nout = torch.empty(8, dtype=torch.int32)\n"
    assert interpret(kernel, host + "k[(2,)](c, out, B=4)\nreturn out", X)[0].tolist() == list(range(8))


def test_user_combine_with_tuples_folds_and_scans() -> None:
    combine = """
@triton.jit
def welford(mean_a, m2_a, w_a, mean_b, m2_b, w_b):
    delta = mean_b - mean_a
    w = w_a + w_b
    return mean_a + delta * w_b / w, m2_a + m2_b + delta * delta * w_a * w_b / w, w
"""
    first = "@triton.jit\ndef first(a, b):\n    return a\n"
    kernel = """
@triton.jit
def k(x_ptr, out_ptr, scan_ptr, B: tl.constexpr):
    r = tl.arange(0, 4)[:, None]
    i = r * B + tl.arange(0, B)[None, :]
    x = tl.load(x_ptr + i)
    mean, m2, w = tl.reduce((x, x * 0.0, x * 0.0 + 1.0), 1, welford)
    tl.store(out_ptr + tl.arange(0, 4), m2 / w)
    mean, m2, w = tl.associative_scan((x, x * 0.0, x * 0.0 + 1.0), 1, welford)
    kept = tl.associative_scan(x, 1, first, reverse=True)
    tl.store(scan_ptr + i, mean + kept)
"""
    host = "out, scan = torch.empty(4), torch.empty(4, 16)\nk[(1,)](a, out, scan, B=16)\nreturn out, scan"
    out, scan = interpret([combine, first, kernel], host, X)
    torch.testing.assert_close(out, X.var(1, correction=0))
    torch.testing.assert_close(scan, X.cumsum(1) / torch.arange(1, 17) + X[:, -1:])


def test_bf16_arithmetic_dot_and_constants() -> None:
    kernel = """
@triton.jit
def k(x_ptr, out_ptr, dot_ptr, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    x = tl.load(x_ptr + i)
    y = tl.maximum(x * x + 1.5, 2.0) - x
    tl.store(out_ptr + i, y)
    tl.store(dot_ptr + i, tl.dot(x, tl.trans(x)))
"""
    x = torch.randn(16, 16).bfloat16()
    host = "o, d = torch.empty_like(a), torch.empty(16, 16)\nk[(1,)](a, o, d, B=16)\nreturn o, d"
    out, dot = interpret(kernel, host, x)
    assert torch.equal(out, torch.clamp_min(x * x + 1.5, 2.0) - x)
    torch.testing.assert_close(dot, x.float() @ x.float().T)


@pytest.mark.parametrize("source", [torch.float32, torch.float64, torch.int32, torch.float16])
def test_conversion_to_bf16_rounds_to_nearest_even(source: torch.dtype) -> None:
    x = (torch.randn(64) * 1000).to(source)
    kernel = COPY.format(body="tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.bfloat16))")
    host = "out = torch.empty(64, dtype=torch.bfloat16)\nk[(4,)](a, out, 64, B=16)\nreturn out"
    assert torch.equal(interpret(kernel, host, x)[0], x.to(torch.bfloat16))


def test_maximum_ignores_nan_unless_asked() -> None:
    kernel = COPY.format(body="x = tl.load(x_ptr + i)\n    tl.store(out_ptr + i, {})")
    x = torch.tensor([float("nan"), 1.0])
    host = "out = torch.empty_like(a)\nk[(1,)](a, out, 2, B=2)\nreturn out"
    assert interpret(kernel.format("tl.maximum(x, 0.5)"), host, x)[0].tolist() == [0.5, 1.0]
    strict = kernel.format("tl.maximum(x, 0.5, propagate_nan=tl.PropagateNan.ALL)")
    assert interpret(strict, host, x)[0].isnan().tolist() == [True, False]


@pytest.mark.parametrize(("value", "expected"), [("True", 1.0), ("2.5", 2.5), ("2**40", 2.0**40), ("None", -1.0)])
def test_scalar_arguments(value: str, expected: float) -> None:
    kernel = """
@triton.jit
def k(out_ptr, s):
    if s is None:
        tl.store(out_ptr, -1.0)
    else:
        tl.store(out_ptr, s.to(tl.float32))
"""
    assert interpret(kernel, f"o = torch.empty(1)\nk[(1,)](o, {value})\nreturn o", X)[0].item() == expected


UNSUPPORTED = {
    "inline assembly": 'tl.inline_asm_elementwise("mov $0, $1;", "=r,r", [i], dtype=tl.int32, is_pure=True, pack=1)',
    "scaled dot": 'x = tl.zeros((16, 16), tl.uint8)\n    tl.dot_scaled(x, None, "e5m2", x, None, "e5m2")',
    "libdevice function without a counterpart": "tl.extra.cuda.libdevice.mul24(i, i)",
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported_is_said_by_name(name: str) -> None:
    with pytest.raises(UnsupportedByInterpreter, match="interpreter has no"):
        interpret(COPY.format(body=UNSUPPORTED[name]), HOST.format(grid=1, block=16), torch.ones(16))


REFUSED = {
    "a block as condition": ("if i > 3:\n        i = i + 1", "no condition"),
    "chained comparison": ("tl.store(out_ptr + i, 1.0, mask=0 <= i < n)", "chained comparison"),
    "exceptions": (
        "try:\n        x = tl.load(x_ptr + 99)\n    except Exception:\n        pass",
        "line 4: Triton has no try",
    ),
    "shapes that do not match": ("x = i + tl.arange(0, 8)", "k"),
    "unknown function": ("x = tl.no_such_function(i)", "no_such_function"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_triton_refuses_is_an_error(name: str) -> None:
    body, message = REFUSED[name]
    with pytest.raises(KernelError, match=message):
        interpret(COPY.format(body=body), HOST.format(grid=1, block=16), torch.ones(16))


def test_launches_that_triton_refuses() -> None:
    kernel = COPY.format(body="tl.store(out_ptr + i, 1.0)")
    for call in ("k[(1,)](a, a, 16)", "k[(1,)](a, a, 16, B=16, C=1)", "k[(1, 70000)](a, a, 16, B=16)", "k(a)"):
        with pytest.raises(LaunchError):
            interpret(kernel, f"{call}\nreturn a", torch.ones(16))


def test_an_empty_grid_launches_nothing() -> None:
    kernel = COPY.format(body="tl.store(out_ptr + i, 1.0)")
    assert interpret(kernel, "k[(0,)](a, a, 16, B=16)\nreturn a", torch.zeros(16))[0].sum() == 0


def test_autotune_takes_the_first_configuration_and_heuristics_run() -> None:
    kernel = """
@triton.autotune(configs=[triton.Config({"B": 8}, num_warps=2), triton.Config({"B": 4})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def k(out_ptr, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + i, i * 0 + B + EVEN * 100, mask=i < n)
"""
    host = """
out = torch.empty(12, dtype=torch.int32)
k[lambda meta: (triton.cdiv(12, meta["B"]),)](out, 12)
return out
"""
    assert interpret(kernel, host, X)[0].tolist() == [8] * 12


def test_host_allocations_are_poisoned() -> None:
    kernel = COPY.format(body="tl.store(out_ptr + i, 1.0, mask=i < 3)")
    out = interpret(kernel, HOST.format(grid=1, block=8), torch.ones(8))[0]
    assert out[:3].tolist() == [1, 1, 1]
    assert out[3:].isnan().all()


def test_uninitialised_reads_are_found_on_request() -> None:
    kernel = COPY.format(body="tl.store(x_ptr + i, tl.load(out_ptr + i, mask=i != 5), mask=i < n)")
    with pytest.raises(UninitialisedReadError, match=r"out_ptr\[0\], which nothing has written"):
        interpret(kernel, HOST.format(grid=1, block=8), torch.ones(8), check_uninitialised=True)
    host = "out = torch.empty(8)\naten.relu.out(a, out=out)\nk[(1,)](a, out, 8, B=8)\nreturn out"
    assert interpret(kernel, host, torch.ones(8), check_uninitialised=True)[0].sum() == 8


EXCHANGED = {
    "a statement": "tl.atomic_xchg(out_ptr + i, x, mask=i < n)",
    "a method": "(out_ptr + i).atomic_xchg(x, i < n)",
    "released": 'tl.atomic_xchg(out_ptr + i, x, mask=i < n, sem="release")',
    "an unused name": "_ = tl.atomic_xchg(out_ptr + i, x, mask=i < n)",
    "in a helper": "put(out_ptr + i, x, i < n)",
    "in a loop": "for j in range(2):\n        tl.atomic_xchg(out_ptr + i, x + j - 1, mask=i < n)",
    "then added to": "tl.atomic_xchg(out_ptr + i, x - 1, mask=i < n)\n    tl.atomic_add(out_ptr + i, 1.0, mask=i < n)",
    "then read": "tl.atomic_xchg(out_ptr + i, x, mask=i < n)\n    y = tl.atomic_xchg(out_ptr + i, 0.0, mask=i < n)\n"
    "    tl.atomic_xchg(out_ptr + i, y, mask=i < n)",
}
READ = {
    "stored": "y = tl.atomic_xchg(out_ptr + i, x, mask=i < n)\n    tl.store(out_ptr + i, y, mask=i < n)",
    "exchanged": "tl.atomic_xchg(out_ptr + i, tl.atomic_xchg(out_ptr + i, x, mask=i < n), mask=i < n)",
    "a condition": "if tl.atomic_xchg(out_ptr, 1.0) == 1.0:\n        tl.store(out_ptr + i, x, mask=i < n)",
    "waited for": "while tl.atomic_xchg(out_ptr, 1.0) == 1.0:\n        pass",
    "given back": "y = take(out_ptr + i, x, i < n)",
    "an addition": "tl.atomic_add(out_ptr + i, x, mask=i < n)",
    "a maximum": "tl.atomic_max(out_ptr + i, x, mask=i < n)",
    "a comparison": "tl.atomic_cas(out_ptr + i, x, x)",
}
_HELPERS = [
    "@triton.jit\ndef put(p, x, mask):\n    tl.atomic_xchg(p, x, mask=mask)",
    "@triton.jit\ndef take(p, x, mask):\n    return tl.atomic_xchg(p, x, mask=mask)",
]


@pytest.mark.parametrize("name", EXCHANGED)
def test_an_exchange_whose_old_value_nothing_uses_is_a_store(name: str) -> None:
    kernel = COPY.format(body=f"x = tl.load(x_ptr + i, mask=i < n)\n    {EXCHANGED[name]}")
    x = torch.randn(8)
    out = interpret([*_HELPERS, kernel], HOST.format(grid=2, block=4), x, check_uninitialised=True, check_races=True)
    torch.testing.assert_close(out[0], x)


@pytest.mark.parametrize("name", READ)
def test_an_atomic_that_uses_what_nothing_has_written_is_found(name: str) -> None:
    kernel = COPY.format(body=f"x = tl.load(x_ptr + i, mask=i < n)\n    {READ[name]}")
    with pytest.raises(UninitialisedReadError, match=r"atomic of out_ptr\[0\], which nothing has written"):
        interpret([*_HELPERS, kernel], HOST.format(grid=1, block=8), torch.ones(8), check_uninitialised=True)


# Programs run many at once; what follows says that nobody can tell, except by the time it takes.

PROGRAMS = {
    "layer norm": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    row = tl.program_id(0) * 2 + tl.arange(0, 2)[:, None]
    i = tl.arange(0, B)[None, :]
    mask = (row < 13) & (i < n)
    x = tl.load(x_ptr + row * n + i, mask, other=0.0)
    mean = tl.sum(x, 1)[:, None] / n
    centred = tl.where(mask, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 1) / n + 1e-5)
    tl.store(out_ptr + row * n + i, centred * scale[:, None], mask)
""",
        "out = torch.zeros_like(a)\nk[(7,)](a, out, a.shape[1], B=32)\nreturn out",
        torch.randn(13, 29),
    ),
    "product by tiles over a grid of three axes": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    row = tl.program_id(0) * B + tl.arange(0, B)[:, None]
    column = tl.program_id(1) * B + tl.arange(0, B)[None, :]
    part = tl.program_id(2) + tl.num_programs(2) * 0
    total = tl.zeros([B, B], tl.float32)
    for start in range(part * n // 2, min(n, (part + 1) * n // 2), B):
        inner = start + tl.arange(0, B)
        left = tl.load(x_ptr + row * n + inner[None, :]).to(tl.bfloat16)
        total = tl.dot(left, tl.load(x_ptr + inner[:, None] * n + column).to(tl.bfloat16), total)
    tl.store(out_ptr + part * n * n + row * n + column, total.T)
""",
        "out = torch.zeros(2, 64, 64)\nk[(4, 4, 2)](a, out, 64, B=16)\nreturn out",
        torch.randn(64, 64),
    ),
    "shapes and order": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(x_ptr + p * n + i, mask=i < n, other=0.0)
    even, odd = tl.split(tl.reshape(x, (B // 2, 2)))
    y = tl.reshape(tl.join(odd, even * p), (B,)) + tl.sort(x) + tl.flip(x, 0)
    y += tl.gather(x, (tl.arange(0, B) + p) % B, 0) + tl.cumsum(x, 0, reverse=True) + tl.argmax(x, 0)
    y += tl.histogram((x * 3).to(tl.int32), B) + tl.rand(p, tl.arange(0, B))
    tl.store(out_ptr + p * n + i, y, mask=i < n)
""",
        "out = torch.zeros_like(a)\nk[(9,)](a, out, a.shape[1], B=32)\nreturn out",
        torch.randn(9, 27),
    ),
    "block pointers": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    p = tl.program_id(0)
    block = tl.make_block_ptr(x_ptr + p * n, (n,), (1,), (p % 2,), (B,), (0,))
    x = tl.load(tl.advance(block, (p % 3,)), boundary_check=(0,), padding_option="zero")
    out = tl.make_block_ptr(out_ptr + p * n, (n,), (1,), (0,), (B,), (0,))
    tl.store(out, x + p, boundary_check=(0,))
""",
        "out = torch.zeros_like(a)\nk[(9,)](a, out, a.shape[1], B=32)\nreturn out",
        torch.randn(9, 27),
    ),
    "tensor descriptors": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    p = tl.program_id(0)
    x = tl.make_tensor_descriptor(x_ptr, [30, n], [n, 1], [4, B])
    out = tl.make_tensor_descriptor(out_ptr, [30, n], [n, 1], [4, B])
    out.store([p * 4, 0], x.load([p * 4, 4 * (p % 2)]) * p)
""",
        "out = torch.zeros_like(a)\nk[(8,)](a, out, a.shape[1], B=32)\nreturn out",
        torch.randn(30, 28),
    ),
    "conditions and loops that depend on the program": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    if p == 31:
        return
    x = tl.load(x_ptr + i)
    if p % 2 == 0 and tl.sum(x, 0) > 0:
        x = x * 3
    for step in range(p // 16):
        x += step
    while tl.max(x, 0) < 4:
        x *= 2
    tl.store(out_ptr + i, x)
""",
        "out = torch.zeros_like(a)\nk[(32,)](a, out, a.numel(), B=16)\nreturn out",
        torch.where(torch.arange(16) == 0, 2.5, torch.rand(32, 16) * 2 - torch.arange(32)[:, None] % 3),
    ),
    "in place": (
        COPY.format(body="tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)"),
        "k[(8,)](a, a, 100, B=16)\nk[(2,)](a, a, 100, B=64)\nreturn a",
        torch.randn(100),
    ),
    "written piece by piece and read back": (
        """
@triton.jit
def k(x_ptr, out_ptr, n, B: tl.constexpr):
    row = tl.program_id(0) * n
    total = 0.0
    for start in range(0, n, B):
        e = tl.exp(tl.load(x_ptr + row + start + tl.arange(0, B)))
        tl.store(out_ptr + row + start + tl.arange(0, B), e)
        total += tl.sum(e, 0)
    for start in range(0, n, B):
        at = out_ptr + row + start + tl.arange(0, B)
        tl.store(at, tl.load(at) / total)
""",
        "out = torch.empty_like(a)\nk[(6,)](a, out, 64, B=16)\nreturn out",
        torch.randn(6, 64),
    ),
    "float atomics keep their order": (
        COPY.format(body="tl.store(x_ptr + i, tl.atomic_add(out_ptr + i % 3, tl.load(x_ptr + i)))"),
        "out = torch.zeros(3)\nk[(40,)](a, out, 640, B=16)\nreturn out, a",
        torch.randn(640) * 1e3,
    ),
    "the last program wins": (
        COPY.format(body="tl.store(out_ptr + i % 24, tl.load(x_ptr + i))"),
        "out = torch.zeros(32)\nk[(9,)](a, out, 144, B=16)\nreturn out",
        torch.randn(144),
    ),
}
PROGRAMS = {name: program for name, program in PROGRAMS.items() if available(program[0])}
ORDER = {
    "each program reads what the one before wrote": (
        "tl.store(out_ptr + i + B, tl.load(out_ptr + i) + tl.load(x_ptr + i))"
    ),
    "each program reads what a later one writes": (
        "x = tl.load(x_ptr + n - 1 - i, mask=i < n)\n    tl.store(x_ptr + i, x + 1, mask=i < n)"
    ),
    "every program stores twice": (
        "tl.store(out_ptr + i % B, i + 1.0)\n    tl.store(out_ptr + i % B, i + 0.5, mask=i < 40)"
    ),
    "atomics one after another": (
        "tl.atomic_add(out_ptr + i % 4, 1.0)\n    tl.store(x_ptr + i, tl.atomic_add(out_ptr + i % 4, 2.0))"
    ),
    "an atomic and a load": "tl.atomic_add(out_ptr + i % 4, 1.0)\n    tl.store(x_ptr + i, tl.load(out_ptr + i % 4))",
    "two sizes of element": (
        "tl.store(out_ptr + i, 1.0)\n"
        "    tl.store(x_ptr + i, tl.load((out_ptr + i - B).to(tl.pointer_type(tl.int32)), mask=i >= B, other=7))"
    ),
    "a lock": (
        "while tl.atomic_cas(out_ptr.to(tl.pointer_type(tl.int32)), 0, 1) == 1:\n        pass\n"
        "    x = tl.load(out_ptr + 1)\n    tl.store(out_ptr + 1, x * 2 + tl.program_id(0))\n"
        "    tl.atomic_xchg(out_ptr.to(tl.pointer_type(tl.int32)), 0)"
    ),
    "every program takes a path of its own": (
        "x = tl.load(x_ptr + i)\n    for j in range(tl.program_id(0)):\n        x += j\n    tl.store(out_ptr + i, x)"
    ),
}
ORDER_HOST = "out = torch.zeros(96)\nk[(5,)](a, out, a.numel(), B=16)\nreturn out, a"


@pytest.fixture
def singly(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of programs that run one by one, however often."""
    numbers: list[int] = []
    run = interp_grid._run_singly

    def noted(body, memory, first: int, last: int) -> None:
        numbers.extend(range(first, last))
        run(body, memory, first, last)

    monkeypatch.setattr(interp_grid, "_run_singly", noted)
    return numbers


def both(kernel, host: str, x: Tensor, **options) -> list:
    """What many programs at once give, and one after another: outputs, or what is raised."""
    results = []
    for setbacks in (interp_grid.MOST_SETBACKS, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(interp_grid, "MOST_SETBACKS", setbacks)
            given = x.clone()
            try:
                results.append((*interpret(kernel, host, given, **options), given))
            except KernelFault as error:
                results.append((error, given))
    return results


def launched(name: str) -> tuple:
    """Kernel, host code and input of a case."""
    return PROGRAMS.get(name) or (COPY.format(body=ORDER[name]), ORDER_HOST, torch.randn(80))


def same_bits(left, right) -> bool:
    return all(torch.equal(a.view(torch.uint8), b.view(torch.uint8)) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("name", [*HONEST, *PROGRAMS, *ORDER])
def test_many_programs_at_once_give_the_same_bits(name: str) -> None:
    kernel, host, x = (HONEST.get(name) or launched(name))[:3]
    at_once, one_by_one = both(kernel, host, x)
    assert same_bits(at_once, one_by_one)


@pytest.mark.parametrize("name", PROGRAMS)
def test_these_run_at_once(name: str, singly: list[int]) -> None:
    interpret(*PROGRAMS[name][:2], PROGRAMS[name][2].clone())
    assert singly == []


@pytest.mark.parametrize("name", ORDER)
def test_these_run_one_by_one(name: str, singly: list[int]) -> None:
    interpret(COPY.format(body=ORDER[name]), ORDER_HOST, torch.randn(80))
    assert singly == list(range(5))


@pytest.mark.parametrize("name", [*PROGRAMS, *ORDER])
def test_small_batches_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, host, x = launched(name)
    _, one_by_one = both(kernel, host, x)
    monkeypatch.setattr(batched, "MOST_ELEMENTS", 64)
    monkeypatch.setattr(batched_journal, "MOST_WRITTEN", 40)
    at_once, _ = both(kernel, host, x)
    assert same_bits(at_once, one_by_one)


@pytest.mark.parametrize("name", BROKEN)
def test_the_first_failing_program_is_reported(name: str) -> None:
    """The same error, and memory as far as the programs before it had come."""
    body = "tl.store(x_ptr + i, i + 0.0, mask=i < n)\n    if tl.program_id(0) > 1:\n        "
    kernel = COPY.format(body=body + BROKEN[name][0])
    (at_once, memory), (one_by_one, expected) = both(kernel, HOST.format(grid=6, block=16), torch.zeros(80))
    assert type(at_once) is type(one_by_one)
    assert str(at_once) == str(one_by_one)
    assert vars(at_once) == vars(one_by_one)
    assert torch.equal(memory, expected)


def test_a_late_line_of_an_early_program_fails_first() -> None:
    kernel = COPY.format(
        body="x = tl.load(x_ptr + i + 64 * (tl.program_id(0) // 3))\n"
        "    tl.store(out_ptr + i + 64 * (tl.program_id(0) // 2), x)"
    )
    (at_once, _), (one_by_one, _) = both(kernel, HOST.format(grid=4, block=16), torch.zeros(64))
    assert (at_once.place.program, at_once.line, at_once.tensor) == ((2, 0, 0), 5, "out_ptr")
    assert str(at_once) == str(one_by_one)


@pytest.mark.parametrize(("offset", "fails"), [(-16, False), (16, True)])
def test_uninitialised_reads_do_not_depend_on_who_runs_with_whom(offset: int, fails: bool) -> None:
    kernel = COPY.format(
        body=f"tl.store(out_ptr + i, 1.0)\n    y = tl.load(out_ptr + i + {offset}, mask=(i >= 16) & (i < 48))\n"
        "    tl.store(x_ptr + i, y)"
    )
    host = "out = torch.empty(64)\nk[(4,)](a, out, 64, B=16)\nreturn a"
    at_once, one_by_one = both(kernel, host, torch.zeros(64), check_uninitialised=True)
    if fails:
        assert isinstance(at_once[0], UninitialisedReadError)
        assert str(at_once[0]) == str(one_by_one[0])
    else:
        assert same_bits(at_once, one_by_one)


def test_views_of_one_storage_are_one_memory(singly: list[int]) -> None:
    kernel = COPY.format(body="tl.store(out_ptr + i, tl.load(x_ptr + i) + 1)")
    host = "k[(4,)](a, a[16:], 64, B=16)\nreturn a"
    at_once, one_by_one = both(kernel, host, torch.zeros(80))
    assert same_bits(at_once, one_by_one)
    assert at_once[0][::16].tolist() == [0, 1, 2, 3, 4]
    assert singly


def test_the_language_is_left_as_it_was() -> None:
    import triton.language as tl

    before = {name: value for module in (tl, tl.core, tl.standard) for name, value in vars(module).items()}
    methods = dict(vars(tl.tensor))
    kernel = COPY.format(body="tl.store(out_ptr + i, tl.sum(tl.load(x_ptr + i + 1000), 0))")
    with pytest.raises(AccessError):
        interpret(kernel, HOST.format(grid=1, block=8), torch.ones(8))
    after = {name: value for module in (tl, tl.core, tl.standard) for name, value in vars(module).items()}
    assert before == after
    assert methods == dict(vars(tl.tensor))


def test_it_also_works_where_triton_was_started_to_interpret() -> None:
    script = (
        "import runpy, sys, torch\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        f"t = runpy.run_path({str(Path(__file__))!r})\n"
        "for name in t['HONEST']: t['test_honest_kernel_matches'](name)\n"
        "for name in t['BROKEN']: t['test_broken_access_is_named'](name)\n"
        "print('all', len(t['HONEST']) + len(t['BROKEN']))\n"
    )
    env = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["all", str(len(HONEST) + len(BROKEN))], done.stderr


def test_an_unknown_interpreter_is_refused_in_one_sentence() -> None:
    script = (
        "import triton.runtime.interpreter as i\ndel i._patch_lang_core\n"
        "from kernelwright.backend.interpreter.runtime import InterpreterRuntime\nInterpreterRuntime()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert "UnsupportedVersionError" in last
    assert "the interpreter is off with triton" in last
    assert "no attribute '_patch_lang_core'" in last


@pytest.mark.parametrize(
    ("store", "raced"),
    [
        ("tl.store(out_ptr + i % 24, tl.load(x_ptr + i))", True),
        ("tl.store(out_ptr + i, tl.load(x_ptr + i))", False),
        ("tl.store(out_ptr + i % 24, 3.0)", False),
        ("tl.atomic_add(out_ptr + 30, 1.0)\n    tl.store(out_ptr + i % 24, tl.load(x_ptr + i))", True),
    ],
    ids=["different values", "apart", "one value", "after an atomic that orders nothing"],
)
def test_two_programs_that_store_to_one_element_race(store: str, raced: bool) -> None:
    host = "out = torch.zeros(160)\nk[(9,)](a, out, 144, B=16)\nreturn out"
    kernel = COPY.format(body=store)
    if not raced:
        interpret(kernel, host, torch.randn(144), check_races=True)
        return
    with pytest.raises(AccessError, match=r"out_ptr\[\d+\], where another program"):
        interpret(kernel, host, torch.randn(144), check_races=True)
