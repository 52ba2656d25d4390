"""`exp-identities`: as exact as what it replaces, infinities and NaN included, and left alone where it would not be."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from programs import assert_right, lowered, outputs

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.targets import get_target
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.local.exp_identities import ExpIdentities

#: Forward, and functions that are gone afterwards.
CASES = {
    "mish": ("F.mish(a)", ("tanh", "log1p")),
    "mish of mish": ("F.mish(F.mish(a) + 1)", ("tanh", "log1p")),
    "softplus": ("F.softplus(a)", ("log1p",)),
    "scaled softplus": ("F.softplus(a, 2.0, 11.0)", ("log1p",)),
    "gelu": ("F.gelu(a)", ("erf",)),
    "approximate gelu": ("F.gelu(a, approximate='tanh')", ("tanh",)),
    "tanh kept": ("torch.tanh(F.softplus(a)) + torch.tanh(a)", ("log1p",)),
    "in a loop": ("F.mish(a).sum(-1)", ("tanh", "log1p")),
}
SHAPES = [(7, 101), (3, 1, 13), (1,), (2, 4099)]
TINY = np.finfo(np.float32).tiny
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 9.1, 20.0, 20.000002, 44.0, 45.0, 88.7, 89.0, -87.5, -103)
EXACT = {
    "torch.tanh(F.softplus(a))": lambda x: np.tanh(np.logaddexp(0, x)),
    "F.softplus(a)": lambda x: np.logaddexp(0, x),
    "1 + torch.tanh(a)": lambda x: 2 / (1 + np.exp(-2 * x)),
}


def rewritten(module: KernelModule) -> KernelModule:
    return ExpIdentities().run(module, Context(target="h200"))


def calls(module: KernelModule, function: str) -> bool:
    return any(re.search(rf"[ .]{function}\(", kernel.source) for kernel in module.kernels)


def changed(module: KernelModule, old: str, new: str) -> KernelModule:
    assert old in module.kernels[-1].source
    kernel = replace(module.kernels[-1], source=module.kernels[-1].source.replace(old, new))
    return replace(module, kernels=(*module.kernels[:-1], kernel))


def computed(module: KernelModule, values: np.ndarray) -> np.ndarray:
    """What it gives with exp and exp2 right to half a unit in the last place, which numpy's are on some processors."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("exp", "exp2"):
            patch.setattr(np, name, rounded(getattr(np, name)))
        (found,) = load_module(module, InterpreterRuntime(), 0)([torch.from_numpy(values)], {})
    return found.numpy()


def rounded(function: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """The function in fp64, then rounded."""
    return lambda values: function(values.astype(np.float64)).astype(values.dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_chains_are_shortened(case: tuple[str, tuple[str, ...]], shape: tuple[int, ...]) -> None:
    forward, gone = case
    after = rewritten(lowered(forward, [shape], persistent=False))
    assert not any(calls(after, function) for function in gone)
    assert rewritten(after) is after
    assert_right(after)


def test_in_lower_precision_the_arithmetic_is_that_of_fp32() -> None:
    after = rewritten(lowered("F.mish(a)", [(7, 101)], dtype="bfloat16"))
    assert not calls(after, "tanh")
    assert_right(after)


def every_kind_of_number() -> np.ndarray:
    bits = np.linspace(0, 2**32 - 1, 2**16 - len(SPECIAL)).astype(np.uint32)
    values = np.concatenate([bits.view(np.float32), np.array(SPECIAL, np.float32)])
    return np.where(np.isnan(values), np.float32(np.nan), values)


@pytest.mark.parametrize("forward", EXACT)
def test_values_are_as_exact_as_before(forward: str) -> None:
    values = every_kind_of_number()
    before = lowered(forward, [values.shape])
    after = rewritten(before)
    assert after is not before
    with np.errstate(all="ignore"):  # NaN and infinities are compared below
        exact = EXACT[forward](values.astype(np.float64))
        old, new = computed(before, values), computed(after, values)
        ulp = np.spacing(np.maximum(np.abs(exact), TINY).astype(np.float32))
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(np.isnan(new), np.isnan(exact))
    np.testing.assert_array_equal(new[np.isinf(exact)], exact[np.isinf(exact)])
    # What is less than the least normal number may be none.
    error, error_before = (
        np.maximum(np.abs(one[finite] - exact[finite]) - TINY, 0) / ulp[finite] for one in (new, old)
    )
    assert error.max() < 5 and error.max() < error_before.max() + 1


def test_one_plus_erf_is_as_exact_where_it_is_large_and_more_so_where_it_is_small() -> None:
    values = np.concatenate([every_kind_of_number(), np.linspace(-6, 6, 2**16, dtype=np.float32)])
    before = lowered("1 + torch.erf(a)", [values.shape])
    exact = torch.special.erfc(torch.from_numpy(-values.astype(np.float64))).numpy()
    with np.errstate(all="ignore"):
        old, new = computed(before, values), computed(rewritten(before), values)
    np.testing.assert_array_equal(np.isnan(new), np.isnan(exact))
    assert np.nanmax(np.abs(new - exact)) < 1.3e-7 and np.nanmax(np.abs(old - exact)) < 1.3e-7
    relative = {name: np.abs(one - exact) / np.abs(exact) for name, one in (("old", old), ("new", new))}
    near, far = values > -1, (values > -4) & (values < -3)
    assert relative["new"][near].max() < 3e-7 and relative["new"][far].max() < 3e-5 < relative["old"][far].max()
    assert new[values == -np.inf] == 0.0 and new[values == np.inf] == 2.0


@pytest.mark.parametrize(
    ("forward", "share"),
    [("F.mish(a)", 0.5), ("F.softplus(a)", 0.7), ("1 + torch.tanh(a)", 0.8), ("1 + torch.erf(a)", 0.7)],
)
def test_a_kernel_has_fewer_instructions(forward: str, share: float) -> None:
    before = lowered(forward, [(64, 1024)])
    ptx = [compile_module(one, get_target("h200"))[one.kernels[-1].symbol].ptx for one in (before, rewritten(before))]
    counts = [sum(line.strip().endswith(";") for line in one.split("\n")) for one in ptx]
    assert counts[1] < share * counts[0]


@pytest.mark.parametrize(
    "forward",
    ["torch.tanh(a)", "torch.log1p(torch.exp(a))", "F.softplus(a, 1.0, 100.0)", "torch.log1p(a) + torch.exp(a)"],
)
def test_other_patterns_are_left_alone(forward: str) -> None:
    module = lowered(forward, [(7, 101)])
    assert rewritten(module) is module


def test_in_fp64_nothing_is_rewritten() -> None:
    module = lowered("F.mish(a)", [(7, 101)], dtype="float64")
    assert rewritten(module) is module


@pytest.mark.parametrize("threshold", [5.0, 9.0, 41.0])
def test_tanh_stays_where_the_threshold_does_not_suit_it(threshold: float) -> None:
    module = changed(lowered("torch.tanh(F.softplus(a))", [(7, 101)]), "> 20.0", f"> {threshold}")
    assert calls(rewritten(module), "tanh")
    assert not calls(rewritten(changed(module, f"> {threshold}", "> 9.2")), "tanh")


def test_softplus_that_others_use_stays() -> None:
    after = rewritten(lowered("F.softplus(a) + torch.tanh(F.softplus(a))", [(7, 101)]))
    assert not calls(after, "tanh") and after.kernels[-1].source.count("tl.where(") == 2
    assert_right(after)


@pytest.mark.parametrize("function", ["tanh", "erf"])
def test_a_function_that_others_use_stays(function: str) -> None:
    module = lowered(f"(1 + torch.{function}(a)) * torch.{function}(a)", [(7, 101)])
    assert rewritten(module) is module


def test_a_logarithm_that_is_seen_without_its_threshold_stays() -> None:
    module = lowered("F.softplus(a)", [(7, 101)])
    assert "where_0, xmask" in module.kernels[-1].source
    assert calls(rewritten(changed(module, "where_0, xmask", "where_0 + log1p_1, xmask")), "log1p")
    assert calls(rewritten(changed(module, "> 20.0", "> 89.0")), "log1p")


#: What in a kernel for mish becomes what, so that its tanh may not go; and whether its logarithm may.
UNLIKE = {
    "another value above the threshold": ("tl.where(test, a, ", "tl.where(test, exp, ", True),
    "another value's threshold": ("a > 20.0", "exp > 20.0", False),
    "the value below the threshold": ("tl.where(test, a, log1p_1)", "tl.where(test, log1p_1, a)", False),
    "a name that changes": ("    log1p_1 =", "    a = a + 1.0\n    log1p_1 =", True),
    "a name that grows": ("    log1p_1 =", "    a += 1.0\n    log1p_1 =", True),
    "a name of another function": ("    log1p_1 =", "    log1p = tl.exp\n    log1p_1 =", False),
    "fp64 in between": ("xindex, xmask)\n    test", "xindex, xmask).to(tl.float64)\n    test", False),
}


@pytest.mark.parametrize(("old", "new", "shorter"), UNLIKE.values(), ids=UNLIKE)
def test_what_only_looks_like_it_is_left_alone(old: str, new: str, shorter: bool) -> None:
    module = changed(lowered("F.mish(a)", [(7, 101)]), old, new)
    after = rewritten(module)
    assert calls(after, "tanh")
    assert (after is not module) == shorter
    pairs = zip(outputs(module, 0), outputs(after, 0), strict=True) if shorter else ()
    assert all(torch.allclose(one, other, equal_nan=True) for one, other in pairs)


def test_other_spellings_are_known() -> None:
    module = lowered("F.mish(a)", [(7, 101)])
    cuda = changed(changed(module, " log1p(", " libdevice.log1p("), " tanh(", " libdevice.tanh(")
    assert not calls(rewritten(cuda), "tanh") and not calls(rewritten(cuda), "log1p")
    nested = changed(module, "log1p(exp)", "log1p(tl.exp(a))")
    assert not calls(rewritten(nested), "tanh")
    assert_right(rewritten(nested))
    one_line = changed(module, "exp = tl.exp(a)\n    log1p_1", "exp = tl.exp(a); log1p_1")
    assert not calls(rewritten(one_line), "tanh")


#: What a person writes in place of the three lines for softplus, and for tanh.
WRITTEN = {
    "log of 1 + exp": ("log1p(exp)", "tl.log(1 + exp)"),
    "tanh by sigmoid": ("tanh(where_0)", "2 * tl.sigmoid(2 * where_0) - 1"),
    "the other choice": ("tl.where(test, a, log1p_1)", "tl.where(20.0 >= a, log1p_1, a)"),
    "a threshold that counts": ("a > 20.0", "a >= 20"),
}


@pytest.mark.parametrize(("old", "new"), WRITTEN.values(), ids=WRITTEN)
def test_what_people_write_is_shortened(old: str, new: str) -> None:
    module = changed(lowered("F.mish(a)", [(7, 101)]), old, new)
    after = rewritten(module)
    assert not any(calls(after, function) for function in ("tanh", "sigmoid", "log1p", "log"))
    assert_right(after)


def test_helpers_under_any_name_are_known_by_what_they_compute() -> None:
    module = lowered("F.mish(a)", [(7, 101)])
    renamed = [
        replace(
            one, symbol={"tanh": "squash"}.get(one.symbol, one.symbol), source=one.source.replace("tanh(", "squash(")
        )
        for one in module.kernels
    ]
    after = rewritten(replace(module, kernels=tuple(renamed)))
    assert not calls(after, "squash")
    assert_right(after)


def test_a_helper_that_only_has_the_name_stays() -> None:
    module = lowered("F.mish(a)", [(7, 101)])
    other = [replace(one, source=one.source.replace("-2.0 *", "-3.0 *")) for one in module.kernels]
    assert calls(rewritten(replace(module, kernels=tuple(other))), "tanh")


def test_helpers_that_stay_are_called() -> None:
    after = rewritten(lowered("F.gelu(a) + torch.tanh(a)", [(7, 101)]))
    assert calls(after, "tanh") and not calls(after, "erf")
    assert len(after.kernels) == 2
    assert_right(after)
