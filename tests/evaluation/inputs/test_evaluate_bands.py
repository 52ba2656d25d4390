"""Large elements of an output excuse nothing in small ones; what honest rounding leaves of small ones passes."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from kernelwright.evaluation.checks.correctness import compare_output, differ
from kernelwright.evaluation.checks.expected import Expected
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.values import Tolerance, contiguous_strides

GOLD = Tolerance()
Function = Callable[[NDArray], NDArray]
RNG = np.random.default_rng(5)
NORMAL = RNG.normal(size=(32, 64))


def raw(array: NDArray, dtype: str) -> RawTensor:
    data = array.astype({"f32": np.float32, "f64": np.float64, "f16": np.float16}.get(dtype, np.float32))
    if dtype == "bf16":
        bits = data.view(np.uint32)
        data = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return RawTensor(dtype, array.shape, contiguous_strides(array.shape), memoryview(data.tobytes()))


def judged(gold: NDArray, eager: NDArray, got: NDArray, dtype: str = "f32", given: float = 1.0) -> str:
    want = Expected("out", raw(eager, dtype), raw(gold, "f64"), given=given)
    return compare_output(want, raw(got, dtype), GOLD).mismatch


def half(small: NDArray, large: NDArray) -> NDArray:
    return np.concatenate([small, large], axis=1)


CAUSAL = np.tril(np.ones((64, 64))) > 0
SCORES = RNG.normal(size=(64, 64))

#: What the output is, and what a candidate gives instead.
WRONG = {
    "scores beside a masked logit": (np.where(CAUSAL, SCORES, -1e9), np.where(CAUSAL, 1 / 7, -1e9)),
    "scores shifted beside a masked logit": (np.where(CAUSAL, SCORES, -1e9), np.where(CAUSAL, SCORES + 1e-3, -1e9)),
    "a small half": (half(NORMAL, 1e6 * NORMAL), half(0 * NORMAL, 1e6 * NORMAL)),
    "a small half left as the input": (half(np.sin(NORMAL), 1e6 * NORMAL), half(NORMAL, 1e6 * NORMAL)),
    "a small half in another order": (half(NORMAL, 1e7 * NORMAL), half(NORMAL[::-1], 1e7 * NORMAL)),
    "a heavy tail": (1 / NORMAL**2, np.where(1e-6 * np.max(NORMAL**-2) > NORMAL**-2, 0, 1 / NORMAL**2)),
    "one row of ordinary size": (
        np.concatenate([1e8 * NORMAL, NORMAL[:1]]),
        np.concatenate([1e8 * NORMAL, 1.01 * NORMAL[:1]]),
    ),
    "one ordinary number": (np.array([[1e9, 2e9, 3.0]]), np.array([[1e9, 2e9, 4.0]])),
    "zeros that are none": (half(0 * NORMAL, 1e6 * NORMAL), half(0 * NORMAL + 0.1, 1e6 * NORMAL)),
    "a term that only small elements show": (half(NORMAL, 1e5 * NORMAL), half(NORMAL + 2e-3, 1e5 * NORMAL)),
}


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16"])
@pytest.mark.parametrize("name", WRONG)
def test_large_elements_excuse_nothing(name: str, dtype: str) -> None:
    gold, got = WRONG[name]
    if dtype == "f16":
        gold, got = (np.clip(values, -6e4, 6e4) for values in (gold, got))
    if dtype != "f32" and np.allclose(gold, got, rtol=2e-2, atol=1e-2):
        pytest.skip("no difference in so few bits")
    assert judged(gold, gold, got, dtype)
    assert not judged(gold, gold, gold, dtype)


def f32(values: NDArray) -> NDArray:
    return values.astype(np.float32)


X = RNG.normal(size=(256, 512))
XF = f32(X)


def erf(values: NDArray) -> NDArray:
    import torch

    return torch.erf(torch.from_numpy(values)).numpy()


def rows_summed(values: NDArray) -> NDArray:
    return np.add.accumulate(values, axis=1)[:, -1]


def logsumexp(values: NDArray) -> NDArray:
    peak = values.max(1, keepdims=True)
    return peak + np.log(np.exp(values - peak).sum(1, keepdims=True))


SHARES = np.exp(20 * XF - (20 * XF).max(1, keepdims=True))

#: Gold of fp64, eager's result and another honest way, all of the same fp32 inputs; and the inputs' RMS.
RIGHT: dict[str, tuple[NDArray, NDArray, NDArray, float]] = {
    "one order of additions and another": (X.sum(1), XF.sum(1), rows_summed(XF), 1.0),
    "running sums": (np.cumsum(X, 1), np.cumsum(XF, 1), np.cumsum(X, 1, dtype=np.float64), 1.0),
    "the tail of GELU": (
        3 * X * 0.5 * (1 + erf(3 * X / 2**0.5)),
        f32(3 * X * 0.5 * (1 + erf(3 * X / 2**0.5))),
        (3 * XF) * np.float32(0.5) * (1 + erf(3 * XF * np.float32(0.5**0.5))),
        3.0,
    ),
    "the tail of softmax": (
        np.exp(20 * X - logsumexp(20 * X)),
        f32(np.exp(20 * X - logsumexp(20 * X))),
SHARES / SHARES.sum(1)[:, None],
        20.0,
    ),
    "confident logarithms": (
        100 * X - logsumexp(100 * X),
        f32(100 * X - logsumexp(100 * X)),
        100 * XF - logsumexp(100 * XF),
        100.0,
    ),
    "a product": (X @ X.T, XF @ XF.T, (XF[:, :256] @ XF[:, :256].T) + (XF[:, 256:] @ XF[:, 256:].T), 1.0),
    "a product of few terms": (X[:, :8] @ X[:, :8].T, XF[:, :8] @ XF[:, :8].T, (XF[:, 7::-1] @ XF[:, 7::-1].T), 1.0),
    "normalised rows": (
        (X - X.mean(1, keepdims=True)) / X.std(1, keepdims=True),
        f32((X - X.mean(1, keepdims=True)) / X.std(1, keepdims=True)),
        (XF - XF.mean(1, keepdims=True)) / np.sqrt((XF * XF).mean(1, keepdims=True) - XF.mean(1, keepdims=True) ** 2),
        1.0,
    ),
    "folded normalisation": (
        (X - 0.7) / 1.3 * 0.9 + 0.2,
        f32((X - 0.7) / 1.3 * 0.9 + 0.2),
        XF * np.float32(0.9 / 1.3) + np.float32(0.2 - 0.7 / 1.3 * 0.9),
        1.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_honest_rounding_passes(name: str) -> None:
    gold, eager, got, given = RIGHT[name]
    found = judged(gold, eager, got, given=given)
    assert not found, found


def test_runs_in_another_order_are_no_random_program() -> None:
    first, second = XF.sum(1), rows_summed(XF)
    assert not differ(raw(first, "f32"), raw(second, "f32"))


def test_rounding_of_large_inputs_is_allowed_in_small_outputs() -> None:
    """x - lse of logits around 100: what is left of a confident one is the rounding of 100."""
    gold, got = np.array([[-1e-6, -200.0]]), np.array([[-7.6e-6, -200.0]])
    assert not judged(gold, gold, got, given=100.0)
    assert judged(gold, gold, got, given=1.0)
