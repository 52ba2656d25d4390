"""What operations of the language give, each against its definition in PTX or IEEE 754."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
import torch
import triton.language as tl
from torch import Tensor

from kernelwright.backend.interpreter.runtime import InterpreterRuntime, patched_language
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.tensors import spec_of
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference

INF, NAN = math.inf, math.nan


def run(body: str, *given: Tensor, out: str = "") -> Tensor:
    """What a kernel stores as `y` of its loaded inputs a, b and c, one block."""
    names = "abc"[: len(given)]
    specs = tuple(spec_of(name, value) for name, value in zip(names, given, strict=True))
    size = given[0].numel()
    kernel = f"@triton.jit\ndef k({', '.join(f'{name}_ptr' for name in names)}, y_ptr, N: tl.constexpr):\n"
    kernel += "    i = tl.arange(0, N)\n" + "".join(f"    {name} = tl.load({name}_ptr + i)\n" for name in names)
    kernel += "".join(f"    {line}\n" for line in body.split("\n")) + "    tl.store(y_ptr + i, y)"
    made = out or "torch.empty_like(a)"
    host = (
        f"def forward({', '.join(names)}):\n    y = {made}\n    k[(1,)]({', '.join(names)}, y, N={size})\n    return y"
    )
    reference = Reference("class Model: ...", "Model", specs, (), specs[:1])
    module = KernelModule("semantics", reference, (Kernel("k", kernel),), Launcher(host))
    (found,) = load_module(module, InterpreterRuntime())(list(given), {})
    return found


def as_i32(numbers: Sequence[int]) -> Tensor:
    return torch.tensor([number - (1 << 32) if number >> 31 else number for number in numbers], dtype=torch.int32)


I32 = "torch.empty(a.shape, dtype=torch.int32, device=a.device)"
I64 = "torch.empty(a.shape, dtype=torch.int64, device=a.device)"
F32 = "torch.empty(a.shape, dtype=torch.float32, device=a.device)"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(1.97, 2.0), (0.9844, 1.0), (-1.97, -2.0), (1.06, 1.0), (1.0625, 1.0), (1.1875, 1.25), (460.0, 448.0),
     (1e6, 448.0), (-1e6, -448.0), (2**-9, 2**-9), (2**-10, 0.0), (1.6 * 2**-9, 2 * 2**-9)],
)  # fmt: skip
def test_fp8_rounds_to_the_nearest_and_saturates(value: float, wanted: float) -> None:
    """cvt.rn.satfinite.e4m3x2: four bits of exponent, three after the point, ties to even, 448 at most."""
    given = torch.full((4,), value)
    assert run("y = a.to(tl.float8e4nv).to(tl.float32)", given).tolist() == [wanted] * 4


@pytest.mark.parametrize(
    ("value", "wanted"), [(1.9, 2.0), (1.125, 1.0), (1.375, 1.5), (1e6, 57344.0), (-7e4, -57344.0)]
)
def test_the_other_fp8_too(value: float, wanted: float) -> None:
    assert run("y = a.to(tl.float8e5).to(tl.float32)", torch.full((4,), value)).tolist() == [wanted] * 4


def test_every_fp8_number_stays_itself() -> None:
    every = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn).float()
    numbers = every[torch.isfinite(every)]
    given = torch.cat([numbers, numbers[: 256 - len(numbers)]])
    assert torch.equal(run("y = a.to(tl.float8e4nv).to(tl.float32)", given), given)


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_umulhi_is_the_upper_half_of_the_unsigned_product(kind: str) -> None:
    """mul.hi.u32, mul.hi.u64."""
    bits = 32 if kind == "int32" else 64
    pairs = [(3, 5), (2**31, 2), (2**32 - 1, 2**32 - 1), (0x9E3779B9, 0x85EBCA6B)]
    pairs += [(2**64 - 1, 2**64 - 1), (2**63, 6), (0xD2B74407B1CE6E93, 0xCA5A826395121157), (2**40 + 7, 2**50 + 3)]
    pairs = [(a % 2**bits, b % 2**bits) for a, b in pairs]

    def signed(number: int) -> int:
        return number - (1 << bits) if number >> (bits - 1) else number

    a, b = (torch.tensor([signed(pair[side]) for pair in pairs], dtype=getattr(torch, kind)) for side in (0, 1))
    assert run("y = tl.umulhi(a, b)", a, b).tolist() == [signed((x * y) >> bits) for x, y in pairs]


def test_fma_rounds_once() -> None:
    """fma.rn.f32: what is lost where the product is rounded first."""
    a = torch.tensor([1 + 2**-12, 1 + 2**-23, 3.0, 1 + 2**-20])
    b = torch.tensor([1 + 2**-12, 1 - 2**-23, 1 / 3, 1 + 2**-20])
    c = -a * b
    exact = [
        Fraction(x) * Fraction(y) + Fraction(z) for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    ]
    wanted = [float(torch.tensor(float(number), dtype=torch.float64).float()) for number in exact]
    assert any(wanted)
    assert run("y = tl.fma(a, b, c)", a, b, c).tolist() == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (2.5, 3.0),
        (-2.5, -3.0),
        (0.49999997, 0.0),
        (8388609.0, 8388609.0),
        (-0.5, -1.0),
        (1.5, 2.0),
        (0.0, 0.0),
        (-3.2, -3.0),
    ],
)
def test_round_goes_away_from_zero(value: float, wanted: float) -> None:
    """libdevice's round: halves away from zero, and nothing else."""
    assert run("y = libdevice.round(a)", torch.full((2,), value)).tolist() == [wanted] * 2


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        ("int32", 3e9, 2**31 - 1), ("int32", -3e9, -(2**31)), ("int32", INF, 2**31 - 1), ("int32", NAN, 0),
        ("int32", -2.9, -2), ("int32", 2.9, 2), ("int64", 1e19, 2**63 - 1), ("int64", -1e19, -(2**63)),
        ("int64", 2.0**40 + 0.0, 2**40), ("int64", NAN, 0),
    ],
)  # fmt: skip
def test_floats_out_of_range_become_the_nearest_integer(kind: str, value: float, wanted: int) -> None:
    """cvt.rzi clamps to the range of the result; NaN gives 0."""
    given = torch.full((2,), value)
    found = run(f"y = a.to(tl.{kind})", given, out=I32 if kind == "int32" else I64)
    assert found.tolist() == [wanted] * 2


def test_sums_of_halves_are_rounded_at_every_step() -> None:
    """add.f16: 2048 + 1 stays 2048."""
    given = torch.ones(8192, dtype=torch.float16)
    given[0] = 2048.0
    found = run("y = tl.sum(a, axis=0) + a * 0", given)
    exact = 2048 + 8191
    assert found[0].item() != float(torch.tensor(float(exact)).half())
    assert abs(found[0].item() - exact) < 100
    wide = run("y = tl.sum(a.to(tl.float32), axis=0) + a * 0", given)
    assert wide[0].item() == float(torch.tensor(float(exact)).half())


PRODUCT = """@triton.jit
def k(a_ptr, b_ptr, y_ptr, K: tl.constexpr):
    i = tl.arange(0, 16)
    j = tl.arange(0, K)
    a = tl.load(a_ptr + i[:, None] * K + j[None, :])
    b = tl.load(b_ptr + j[:, None] * 16 + i[None, :])
    tl.store(y_ptr + i[:, None] * 16 + i[None, :], tl.dot(a, b, out_dtype={kind}).to(tl.float32))"""


def product(kind: str, a: Tensor, b: Tensor) -> Tensor:
    host = "def forward(a, b):\n    y = torch.empty((16, 16), dtype=torch.float32, device=a.device)\n"
    host += f"    k[(1,)](a, b, y, K={a.shape[1]})\n    return y"
    specs = spec_of("a", a), spec_of("b", b)
    module = KernelModule(
        "product", Reference("class Model: ...", "Model", specs, (), specs[:1]),
        (Kernel("k", PRODUCT.format(kind=kind)),), Launcher(host),
    )  # fmt: skip
    (found,) = load_module(module, InterpreterRuntime())([a, b], {})
    return found


def test_an_accumulator_of_16_bits_is_rounded_every_16_terms() -> None:
    """mma.m16n8k16 with an fp16 accumulator."""
    generator = torch.Generator().manual_seed(2)
    a, b = (torch.rand(shape, generator=generator).half() for shape in ((16, 2048), (2048, 16)))
    exact = a.double() @ b.double()
    narrow, wide = product("tl.float16", a, b), product("tl.float32", a, b)

    def error(found: Tensor) -> float:
        return float((found - exact).square().mean().sqrt() / exact.square().mean().sqrt())

    assert error(wide) < 1e-6
    assert 3e-4 < error(narrow) < 1e-2
    assert torch.equal(
        product("tl.float16", a[:, :16], b[:16]), product("tl.float32", a[:, :16], b[:16]).half().float()
    )


FUNCTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "tanh": ("y = libdevice.tanh(a)", torch.tanh),
    "erf": ("y = tl.erf(a)", torch.erf),
    "rsqrt": ("y = tl.rsqrt(tl.abs(a))", lambda a: torch.rsqrt(a.abs())),
    "exp2": ("y = tl.exp2(a)", torch.exp2),
    "sigmoid": ("y = tl.sigmoid(a)", torch.sigmoid),
    "floor": ("y = tl.floor(a)", torch.floor),
    "rint": ("y = libdevice.rint(a)", torch.round),
    "trunc": ("y = libdevice.trunc(a)", torch.trunc),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_what_they_are_called(name: str) -> None:
    body, function = FUNCTIONS[name]
    given = torch.linspace(-4, 4, 64)
    torch.testing.assert_close(run(body, given), function(given), rtol=1e-6, atol=1e-6)


def test_division_of_integers_cuts_towards_zero() -> None:
    """div.s32 and rem.s32."""
    a, b = torch.tensor([7, -7, 7, -7], dtype=torch.int32), torch.tensor([2, 2, -2, -2], dtype=torch.int32)
    assert run("y = a // b", a, b).tolist() == [3, -3, -3, 3]
    assert run("y = a % b", a, b).tolist() == [1, -1, 1, -1]


@pytest.mark.parametrize(
    ("call", "given", "wanted"),
    [("tl.sqrt", 1e-40, 0.0), ("tl.sqrt_rn", 1e-40, 1e-20), ("tl.rsqrt", 1e-40, INF), ("tl.exp2", -130.0, 0.0),
     ("tl.sqrt", 4e-38, 2e-19), ("tl.exp2", -120.0, 2.0**-120), ("tl.exp", -90.0, math.exp(-90.0))],
)  # fmt: skip
def test_denormals_are_flushed_where_ptx_flushes_them(call: str, given: float, wanted: float) -> None:
    """sqrt.approx.ftz, rsqrt.approx.ftz and ex2.approx.ftz; sqrt.rn and tl.exp's ex2.approx keep denormals."""
    found = run(f"y = {call}(a)", torch.full((4,), given)).double()
    assert found.tolist() == pytest.approx([wanted] * 4, rel=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int8, torch.uint8])
def test_lanes_that_are_off_hold_nothing_that_can_be_counted_on(dtype: torch.dtype) -> None:
    """A load's lanes that its mask turns off are undefined without `other`."""
    given = torch.ones(4, dtype=dtype)
    found = run("y = tl.load(a_ptr + i, mask=i < 2)", given)
    assert found[:2].tolist() == [1, 1]
    off = found[2:]
    assert bool((off.isnan() | (off.double().abs() > 40)).all())
    assert off[0] != off[1]
    assert run("y = tl.load(a_ptr + i, mask=i < 2, other=0)", given).tolist() == [1, 1, 0, 0]


def test_the_language_is_given_back_when_its_last_user_is_done() -> None:
    """A launch within another's language leaves that alone, and what fails gives it back as well."""
    language, before = patched_language(), tl.load
    with pytest.raises(KeyError), language.active():
        inside = tl.load
        assert inside is not before
        with language.active():
            assert tl.load is inside
        assert tl.load is inside
        with language.suspended():
            assert tl.load is before
        assert tl.load is inside
        raise KeyError
    assert tl.load is before
