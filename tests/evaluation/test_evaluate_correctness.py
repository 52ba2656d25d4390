"""The tolerance: honest work passes, subtly wrong work does not."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from kernelwright.evaluation.checks.correctness import compare, compare_output, differ
from kernelwright.evaluation.checks.expected import Expected
from kernelwright.evaluation.checks.findings import Findings
from kernelwright.evaluation.checks.sides import elements
from kernelwright.evaluation.inputs.weights import nudge
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.values import Tolerance, contiguous_strides

SHORT = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64", "bool": "b1", "int8": "i8"}
GOLD = Tolerance()


def raw(array: NDArray, dtype: str = "") -> RawTensor:
    shape = tuple(array.shape)
    return RawTensor(dtype or SHORT[array.dtype.name], shape, contiguous_strides(shape), memoryview(array.tobytes()))


def expected(gold: NDArray, eager: NDArray | None = None) -> Expected:
    eager = gold.astype(np.float32) if eager is None else eager
    return Expected("out", raw(eager), raw(gold.astype(np.float64)))


@pytest.fixture
def values() -> NDArray:
    return np.random.default_rng(0).normal(size=(32, 64))


def test_rounding_passes_and_is_measured(values: NDArray) -> None:
    found = compare_output(expected(values), raw((values * (1 + 3e-7)).astype(np.float32)), GOLD)
    assert found.mismatch == ""
    assert 1e-7 < found.rms < 1e-6
    assert 0 < found.max < 1e-6


def test_tf32_products_are_told_from_fp32() -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=(128, 128)).astype(np.float32) for _ in range(2))
    gold = a.astype(np.float64) @ b.astype(np.float64)
    cut = [(m.view(np.uint32) & 0xFFFFE000).view(np.float32) for m in (a, b)]  # TF32 keeps ten bits
    want = expected(gold, a @ b)
    assert compare_output(want, raw((b.T @ a.T).T.copy()), GOLD).mismatch == ""
    assert "error rms" in compare_output(want, raw(cut[0] @ cut[1]), GOLD).mismatch
    assert compare_output(want, raw(cut[0] @ cut[1]), Tolerance("allclose")).rms > 1e-4


@pytest.mark.parametrize("lucky", [True, False])
def test_what_cancels_exactly_may_be_rounding(lucky: bool) -> None:
    """Equal numbers cancel: eager gives 0 by luck or noise, and the gold that of fp64. Nudged runs tell how large noise
    is."""
    rng = np.random.default_rng(3)
    gold = rng.normal(size=(16, 32)) * 1e-17
    noise = [(rng.normal(size=gold.shape) * 3e-8).astype(np.float32) for _ in range(3)]
    eager = np.zeros_like(noise[0]) if lucky else noise[0]
    want = replace(expected(gold, eager), nudged=(raw(noise[1]), raw(noise[2])))
    mine = (rng.normal(size=gold.shape) * 3e-8).astype(np.float32)
    assert compare_output(want, raw(mine), GOLD).mismatch == ""
    assert "error rms" in compare_output(want, raw(mine * 1e4), GOLD).mismatch


@pytest.mark.parametrize(
    ("gold_of_one", "noise_of_one", "right"), [(1e-15, 3e-6, True), (0.04, 3e-6, False), (0.0, 0.015, False)]
)
def test_a_sum_that_cancels_may_be_off_by_noise_where_eager_is_not(
    gold_of_one: float, noise_of_one: float, right: bool
) -> None:
    """All else is small, so that what noise leaves of one sum is more than rounding of the whole output. A comparison
    that tips over is no noise."""
    gold = np.array([gold_of_one, 0.02, -0.01, 0.03, 1e-5])
    eager = gold.astype(np.float32)
    noise, mine = (eager + np.array([error, 0, 0, 0, 0], np.float32) for error in (noise_of_one, -7e-6))
    want = replace(expected(gold, eager), nudged=(raw(noise),))
    assert ("error rms" not in compare_output(want, raw(mine), GOLD).mismatch) is right
    off = mine + np.array([0, 1e-4, 0, 0, 0], np.float32)
    assert compare_output(want, raw(off), GOLD).mismatch


@pytest.mark.parametrize(("noise", "right"), [(0.2, True), (1e-6, False)])
def test_one_small_number_may_be_what_is_left_of_large_sums(noise: float, right: bool) -> None:
    """Eager's error of the small number is small by luck; nudged runs tell whether its sum cancels."""
    rng = np.random.default_rng(4)
    gold = rng.choice([-1e7, 1e7], size=(16, 32))
    gold[3, 18] = 12.976468
    errors = rng.normal(size=(4, *gold.shape)) * 0.3
    errors[0, 3, 18], errors[1:3, 3, 18], errors[3, 3, 18] = 3e-5, (noise, -noise), 0.15
    eager, *nudged, mine = (raw((gold + error).astype(np.float32)) for error in errors)
    want = replace(expected(gold, elements(eager).reshape(gold.shape)), nudged=tuple(nudged))
    found = compare_output(want, mine, GOLD).mismatch
    assert ("where elements are around 13" not in found) if right else ("where elements are around 13" in found)


@pytest.mark.parametrize(("number", "right"), [(-3.3e38, True), (3.3e38, False), (-1e38, False)])
def test_what_is_all_but_infinite_may_overflow(values: NDArray, number: float, right: bool) -> None:
    gold = values.copy()
    gold[3, 5] = number
    got = gold.astype(np.float32)
    got[3, 5] = -np.inf
    assert (compare_output(expected(gold), raw(got), GOLD).mismatch == "") is right


def test_one_wrong_element_among_many_is_named(values: NDArray) -> None:
    got = values.astype(np.float32)
    got[7, 9] += 1e-3
    assert "out[7, 9]" in compare_output(expected(values), raw(got), GOLD).mismatch


def test_eager_s_own_error_widens_the_tolerance(values: NDArray) -> None:
    got = raw((values + 1e-3).astype(np.float32))
    assert compare_output(expected(values), got, GOLD).mismatch
    assert not compare_output(expected(values, (values - 2e-4).astype(np.float32)), got, GOLD).mismatch


def test_luck_of_eager_s_is_not_asked_of_others(values: NDArray) -> None:
    """Its error on values whose last bits are noise counts too, but not beyond what separates fp32 from TF32."""
    gold, eager = raw(values), raw((values + 1e-6).astype(np.float32))
    for error, allowed in ((1e-4, True), (1e-3, False)):
        got = raw((values + error).astype(np.float32))
        assert compare_output(Expected("out", eager, gold), got, GOLD).mismatch
        for noisy in (1e-5, 1.0):
            nudged = eager, raw((values + noisy).astype(np.float32))
            assert allowed is not bool(compare_output(Expected("out", eager, gold, None, nudged), got, GOLD).mismatch)


def test_a_nudge_changes_last_bits_alone() -> None:
    given = [torch.randn(64, 8), torch.tensor([0.0, torch.inf, -torch.inf]), torch.arange(4), torch.ones(9).bfloat16()]
    nudged = [value.clone() for value in given]
    nudge(nudged, 3)
    assert 0 < (nudged[0] / given[0] - 1).abs().max() < 2.5e-7
    assert torch.equal(nudged[1], given[1]) and torch.equal(nudged[2], given[2])
    assert 0 < (nudged[3] - 1).abs().max() <= 2**-7
    again = [value.clone() for value in given]
    nudge(again, 3)
    assert all(map(torch.equal, nudged, again))


def test_allclose_is_measured_against_eager(values: NDArray) -> None:
    got = raw((values + 0.005).astype(np.float32))
    assert not compare_output(expected(values), got, Tolerance("allclose", rtol=1e-2, atol=1e-2)).mismatch
    assert "rtol" in compare_output(expected(values), got, Tolerance("allclose", rtol=1e-4, atol=1e-4)).mismatch


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_values_must_be_where_they_are_expected(values: NDArray, special: float) -> None:
    gold = values.copy()
    gold[3, 4] = special
    assert not compare_output(expected(gold), raw(gold.astype(np.float32)), GOLD).mismatch
    assert "out[3, 4]" in compare_output(expected(gold), raw(values.astype(np.float32)), GOLD).mismatch
    assert "out[3, 4]" in compare_output(expected(values), raw(gold.astype(np.float32)), GOLD).mismatch


def test_the_sign_of_an_infinity_counts(values: NDArray) -> None:
    gold = values.copy()
    gold[0, 0] = np.inf
    got = gold.astype(np.float32)
    got[0, 0] = -np.inf
    assert compare_output(expected(gold), raw(got), GOLD).mismatch


def test_where_eager_overflows_the_gold_is_right_too() -> None:
    gold = np.array([1.0, 65504.0 * 2])
    want = Expected("out", raw(np.array([1.0, np.inf], np.float16)), raw(gold))
    assert not compare_output(want, raw(np.array([1.0, np.inf], np.float16)), GOLD).mismatch
    assert compare_output(want, raw(np.array([1.0, np.nan], np.float16)), GOLD).mismatch


def test_integers_and_booleans_are_exact() -> None:
    big = np.array([2**60, 2**60 + 1])
    want = Expected("out", raw(big), raw(big))
    assert not compare_output(want, raw(big.copy()), GOLD).mismatch
    assert "out[1]" in compare_output(want, raw(np.array([2**60, 2**60])), GOLD).mismatch
    flags = np.array([True, False])
    assert compare_output(Expected("out", raw(flags), raw(flags)), raw(~flags), GOLD).mismatch


def test_dtype_shape_and_count_are_exact(values: NDArray) -> None:
    want, single = expected(values), values.astype(np.float32)
    assert "is f64" in compare_output(want, raw(values), GOLD).mismatch
    assert "shape" in compare_output(want, raw(single.T.copy()), GOLD).mismatch
    assert "2 outputs" in compare([want], [raw(single), raw(single)], GOLD).mismatch
    assert "0 outputs" in compare([want], [], GOLD).mismatch


def test_zeros_where_the_gold_is_zero_are_right() -> None:
    zeros = np.zeros(16)
    assert compare_output(expected(zeros), raw(zeros.astype(np.float32)), GOLD) == Findings()
    assert compare_output(expected(zeros), raw(np.full(16, 1e-3, np.float32)), GOLD).mismatch


def test_empty_outputs_are_right() -> None:
    assert compare_output(expected(np.zeros((0, 4))), raw(np.zeros((0, 4), np.float32)), GOLD) == Findings()


def test_huge_values_do_not_overflow_the_metric() -> None:
    huge = np.array([1e300, -1e300])
    found = compare_output(expected(huge, huge), raw(huge * (1 + 1e-15)), GOLD)
    assert found.mismatch == ""
    assert np.isfinite(found.rms)


def test_bfloat16_is_read_from_its_bits() -> None:
    bits = np.array([0x3F80, 0xC040, 0x7FC0], np.uint16)
    read = elements(raw(bits, "bf16"))
    assert read[:2].tolist() == [1.0, -3.0]
    assert np.isnan(read[2])


def test_random_programs_are_told_from_rounding(values: NDArray) -> None:
    first = raw(values.astype(np.float32))
    assert not differ(first, raw((values * (1 + 1e-7)).astype(np.float32)))
    assert differ(first, raw((values * (np.arange(64) % 2)).astype(np.float32)))


@pytest.mark.parametrize(
    ("narrow", "own", "error", "right"),
    [
        (True, 0.01, 0.03, True),
        (True, 0.01, 0.05, False),
        (True, 0.01, 0.12, False),
        (False, 0.01, 0.05, True),
        (False, 0.01, 0.12, True),
        (False, 0.01, 0.2, False),
        (True, 1e-4, 1e-3, True),  # so few roundings may be a matter of luck
        (True, 1e-4, 2e-3, False),
    ],
)
def test_many_roundings_to_16_bits_are_no_matter_of_luck(narrow: bool, own: float, error: float, right: bool) -> None:
    generator = np.random.default_rng(3)
    gold = np.sign(generator.standard_normal(4096)) * (1 + generator.random(4096))
    noise = generator.uniform(-1, 1, (2, 4096)) * 3**0.5 * np.sqrt(np.mean(gold**2))
    eager, got = ((gold + size * one).astype(np.float32) for size, one in zip((own, error), noise, strict=True))
    want = Expected("out", raw(eager), raw(gold), narrow=narrow)
    assert bool(compare_output(want, raw(got), GOLD).mismatch) is not right


@pytest.mark.parametrize(
    ("size", "nudged", "error", "right"),
    [
        (20, False, 0.05, True),
        (20, False, 0.2, False),
        (20, True, 0.03, True),
        (20, True, 0.05, False),
        (65, False, 0.03, True),
        (65, False, 0.05, False),
    ],
)
def test_few_elements_are_a_matter_of_luck_in_16_bits_if_no_other_run_is_known(
    size: int, nudged: bool, error: float, right: bool
) -> None:
    generator = np.random.default_rng(3)
    gold = 1 + generator.random(size)
    signs = np.sign(generator.standard_normal(size))
    eager, got = (raw((gold * (1 + one * signs)).astype(np.float32)) for one in (0.01, error))
    want = Expected("out", eager, raw(gold), narrow=True, nudged=(eager,) * nudged)
    assert bool(compare_output(want, got, GOLD).mismatch) is not right
