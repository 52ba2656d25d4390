"""Right or wrong: a candidate's raw outputs against the gold (fp64) and eager's own error.

Runs in the judge, on bytes, with NumPy alone. Errors are relative to the gold's RMS:
`rms` = rms(got - gold) / rms(gold), `max` = max |got - gold| / (rms(gold) + |gold|). Besides, elements are looked at
in bands, each of numbers of about one magnitude, so that large elements excuse nothing in small ones. Where outputs
are sketched, both are those of the sketches: the same `rms`, and a `max` in which a single wrong element weighs a
sixteenth.
"""

from collections.abc import Sequence
from dataclasses import replace

from kernelwright.evaluation.checks.bands import off_scale, uneven
from kernelwright.evaluation.checks.exact import compare_exactly
from kernelwright.evaluation.checks.expected import CANCELLED, FLOORS, Expected
from kernelwright.evaluation.checks.findings import Findings, sentence
from kernelwright.evaluation.checks.places import compare_numbers, compare_places
from kernelwright.evaluation.checks.sides import Sides, combined, elements, in_blocks, worst
from kernelwright.evaluation.protocol.wire import SKETCHED, RawTensor
from kernelwright.ir.layout import shares_elements
from kernelwright.ir.values import Tolerance

#: How many times eager's error a candidate's may be at most where a program computes in 16 bits, and from which error
#: on: so large ones are the sum of many roundings, half of them a candidate's own, and no matter of luck.
NARROW_FACTOR, _MANY_ROUNDINGS = 4.0, 2**-10
#: Errors of so many elements or fewer are a matter of luck, unless nudged runs tell how far it goes, as none do among
#: opposites.
_SMALL_OUTPUT = 64


def compare(
    expected: Sequence[Expected], got: Sequence[RawTensor], tolerance: Tolerance, cancelling: bool = False
) -> Findings:
    """Compare all outputs of one call, in order. `cancelling`: the inputs are so small that errors may be those of
    numbers around 1."""
    if len(got) != len(expected):
        return Findings(f"{len(got)} outputs where the reference gives {len(expected)}")
    findings = Findings()
    for want, have in zip(expected, got, strict=True):
        findings = findings.worst(compare_output(want, have, tolerance, cancelling))
    return findings


def compare_output(want: Expected, got: RawTensor, tolerance: Tolerance, cancelling: bool = False) -> Findings:
    """Compare one output: dtype, shape, then integers exactly and floats within the tolerance."""
    if got.dtype != want.eager.dtype:
        return Findings(f"output {want.name} is {got.dtype} where the reference gives {want.eager.dtype}")
    if got.shape != want.eager.shape:
        return Findings(
            f"output {want.name} has shape {list(got.shape)} where the reference gives {list(want.eager.shape)}"
        )
    if shares_elements(got.shape, got.strides) and not shares_elements(want.eager.shape, want.eager.strides):
        return Findings(f"output {want.name} has places that share memory, with strides {list(got.strides)}")
    if got.nbytes == 0:
        return Findings()
    if want.places or want.numbers:
        return compare_places(want, got) if want.places else compare_numbers(want, got)
    assert got.sketched == want.eager.sketched == want.gold.sketched, "a sketch is compared with elements"
    if want.eager.dtype not in FLOORS:
        return compare_exactly(want, got)
    # Most outputs are right beside eager alone, and comparing all that widens the limits takes several times as long.
    narrow = replace(tolerance, factor=min(tolerance.factor, NARROW_FACTOR)) if want.narrow else tolerance
    found = _compare_floats(want.eager_alone, got, narrow, cancelling)
    return _compare_floats(want, got, tolerance, cancelling) if found.mismatch and want.widened else found


def differ(first: RawTensor, second: RawTensor) -> bool:
    """Whether two runs of one program differ by more than rounding, as those of a random program do."""
    if first.shape != second.shape or first.dtype != second.dtype:
        return True
    if first.dtype not in FLOORS:
        return bytes(first.data) != bytes(second.data)
    return bool(_compare_floats(Expected("", first, first), second, Tolerance(factor=0.0)).mismatch)


def _compare_floats(want: Expected, got: RawTensor, tolerance: Tolerance, cancelling: bool = False) -> Findings:
    sides = Sides(*(elements(tensor) for tensor in (got, want.eager, want.gold)))
    found = in_blocks(lambda block: sides.errors(block, want.own.scale), sides.have.size)
    wrong = sum(one.wrong for one in found)
    if wrong:
        first = next(one.place for one in found if one.wrong)
        note = f"NaN or infinity differs in {wrong} elements"
        return Findings(sentence(want, first, sides.have, sides.eager, note), float("inf"), float("inf"))
    known = bool(want.nudged) or sides.have.size > _SMALL_OUTPUT
    if want.narrow and known and want.own.rms >= _MANY_ROUNDINGS:
        tolerance = replace(tolerance, factor=min(tolerance.factor, NARROW_FACTOR))
    rms, peak, place = combined([one.squares for one in found]) / want.own.scale, *worst(found)
    if tolerance.kind == "allclose":
        terms = SKETCHED if got.sketched else 1
        excess, where = worst(in_blocks(lambda block: sides.excess(block, tolerance, terms), sides.have.size))
        accepted, note = excess <= 0, f"beyond rtol {tolerance.rtol:g}, atol {tolerance.atol:g}"
        place = place if accepted else where
    else:
        floor = max(want.floor, CANCELLED.get(got.dtype, 0.0) / want.own.scale if cancelling else 0.0)
        rounded = want.rounded(tolerance.factor)
        limits = max(rounded[0], floor), max(rounded[1], floor)
        accepted = rms <= limits[0] and peak <= limits[1]
        note = f"error rms {rms:.2g}, max {peak:.2g}; allowed {limits[0]:.2g}, {limits[1]:.2g}"
        if accepted and tolerance.factor and not got.sketched:
            found_uneven = uneven(want, sides, tolerance) or off_scale(want, sides)
            accepted = found_uneven is None
            place, note = found_uneven or (place, note)
    return Findings("" if accepted else sentence(want, place, sides.have, sides.gold, note), rms, peak)
