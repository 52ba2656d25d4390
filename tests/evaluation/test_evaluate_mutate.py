"""Mutants: what each kind of change makes of a small kernel, how they are sampled, and what becomes of them."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from broken_kernels import DOUBLE, program, vector, vector_host

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.mutation.equivalence import Original
from kernelwright.evaluation.mutation.mutants import Mutant, mutants
from kernelwright.evaluation.mutation.operators import KERNEL_CHANGES, LAUNCH_CHANGES
from kernelwright.evaluation.mutation.score import Examiner, Fate, Finding, MutationReport, mutation_score
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, TensorSpec
from kernelwright.ir.verifier import verify

SUMS = Reference(
    """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (x - 1.0).exp().sum(1)


def get_inputs():
    return [torch.rand(3, 40)]


def get_init_inputs():
    return []
""",
    "Model",
    (TensorSpec.parse("x", "f32[3, 40]"),),
    (),
    (TensorSpec.parse("out", "f32[3]"),),
)
KERNEL = """@triton.jit
def rows(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, width, BLOCK):
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * 40 + j, mask=j < width, other=0.0)
        total += tl.sum(tl.where(j < width, tl.exp(x - 1.0), 0.0), 0)
    tl.store(out_ptr + row, total)"""
HOST = """def forward(x: "f32[3, 40]"):
    out = torch.empty((3,), device=x.device, dtype=torch.float32)
    rows[(3,)](x, out, 40, BLOCK=16)
    return out"""
MODULE = KernelModule("rows", SUMS, (Kernel("rows", KERNEL),), Launcher(HOST))

#: Every kind of change -> (line, description) of some that it must make of the module.
EXPECTED = {
    "mask": [
        (7, "`j < width` -> `j < width + 1`"),
        (7, "`j < width` -> `j < width - 1`"),
        (
            7,
            "`tl.load(x_ptr + row * 40 + j, mask=j < width, other=0.0)` -> "
            "`tl.load(x_ptr + row * 40 + j, mask=j < width, other=1.0)`",
        ),
        (7, "`tl.load(x_ptr + row * 40 + j, mask=j < width, other=0.0)` -> `tl.load(x_ptr + row * 40 + j)`"),
        (8, "`tl.where(j < width, tl.exp(x - 1.0), 0.0)` -> `tl.exp(x - 1.0)`"),
    ],
    "bound": [
        (5, "`range(0, width, BLOCK)` -> `range(0, width - BLOCK, BLOCK)`"),
        (5, "`range(0, width, BLOCK)` -> `range(0, width + BLOCK, BLOCK)`"),
        (5, "`range(0, width, BLOCK)` -> `range(0 + BLOCK, width, BLOCK)`"),
    ],
    "stride": [(7, "`row * 40` -> `row * 41`")],
    "operator": [
        (6, "`start + tl.arange(0, BLOCK)` -> `start - tl.arange(0, BLOCK)`"),
        (7, "`j < width` -> `j <= width`"),
        (8, "`tl.exp(x - 1.0)` -> `tl.exp2(x - 1.0)`"),
        (8, "`x - 1.0` -> `x + 1.0`"),
    ],
    "constant": [(4, "`0.0` -> `1.0`"), (8, "`1.0` -> `2.0`")],
    "accumulate": [
        (
            8,
            "`total += tl.sum(tl.where(j < width, tl.exp(x - 1.0), 0.0), 0)` -> "
            "`total = (total + tl.sum(tl.where(j < width, tl.exp(x - 1.0), 0.0), 0)).to(tl.float16).to(tl.float32)`",
        ),
        (
            8,
            "`tl.sum(tl.where(j < width, tl.exp(x - 1.0), 0.0), 0)` -> "
            "`tl.sum(tl.where(j < width, tl.exp(x - 1.0), 0.0), 0).to(tl.bfloat16).to(tl.float32)`",
        ),
    ],
    "term": [(8, "`x - 1.0` -> `x`"), (7, "`x_ptr + row * 40` -> `x_ptr`"), (7, "`row * 40` -> `row`")],
    "arguments": [
        (8, "`x - 1.0` -> `1.0 - x`"),
        (
            8,
            "`tl.where(j < width, tl.exp(x - 1.0), 0.0)` -> `tl.where(j < width, 0.0, tl.exp(x - 1.0))`",
        ),
        (3, "`rows[3,](x, out, 40, BLOCK=16)` -> `rows[3,](out, x, 40, BLOCK=16)`"),
    ],
    "store": [(9, "`tl.store(out_ptr + row, total)` -> `pass`")],
    "axis": [
        (3, "`tl.program_id(0)` -> `tl.program_id(1)`"),
        (3, "`tl.program_id(0)` -> `tl.program_id(0) + 1`"),
    ],
    "grid": [(3, "`3` -> `3 - 1`")],
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=2, timeout_s=60, memory_gb=4, use_gpu=False, seed=3) as evaluator:
        yield evaluator


class Blind:
    """An evaluator that accepts everything."""

    def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:
        del module, rungs
        return Verdict(Status.OK, Rung.INTERPRET)


def texts(mutant: Mutant) -> tuple[str, str]:
    launcher = mutant.module.launcher
    assert launcher is not None
    return mutant.module.kernels[0].source, launcher.source


def find(description: str, module: KernelModule = MODULE, kind: str = "") -> Mutant:
    found = [m for m in mutants(module) if m.description == description and kind in m.kind]
    assert len(found) >= 1, [m.description for m in mutants(module)]
    return found[0]


@pytest.mark.parametrize("kind", EXPECTED)
def test_each_kind_of_change_is_made_where_it_applies(kind: str) -> None:
    made = {(mutant.line, mutant.description) for mutant in mutants(MODULE) if mutant.kind == kind}
    assert set(EXPECTED[kind]) <= made, made


def test_every_kind_has_an_expectation() -> None:
    assert EXPECTED.keys() == KERNEL_CHANGES.keys() | LAUNCH_CHANGES.keys()


def test_a_mutant_is_one_change_of_one_text() -> None:
    found = mutants(MODULE)
    assert len({texts(mutant) for mutant in found}) == len(found)
    for mutant in found:
        kernel, host = texts(mutant)
        assert (kernel == KERNEL) != (host == HOST)
        assert mutant.kernel == ("forward" if kernel == KERNEL else "rows")
        before, after = (KERNEL, kernel) if host == HOST else (HOST, host)
        changed = [i for i, (a, b) in enumerate(zip(before.split("\n"), after.split("\n"), strict=True), 1) if a != b]
        assert changed == [mutant.line], mutant.description


def test_mutants_are_in_the_dialect_and_keep_the_reference() -> None:
    for mutant in mutants(MODULE):
        assert verify(mutant.module) == ()
        assert mutant.module.reference is MODULE.reference


def test_shapes_axes_and_block_sizes_are_left_alone() -> None:
    changed = [mutant.description.split(" -> ")[0] for mutant in mutants(MODULE)]
    assert not {"`0`", "`BLOCK`", "`16`", "`tl.arange(0, BLOCK)`"} & set(changed)


def test_mutants_are_the_same_every_time() -> None:
    assert mutants(MODULE) == mutants(MODULE)
    assert mutants(MODULE, limit=9, seed=4) == mutants(MODULE, limit=9, seed=4)
    assert mutants(MODULE, limit=9, seed=4) != mutants(MODULE, limit=9, seed=5)


def test_a_sample_is_spread_over_kinds_and_lines() -> None:
    everything = mutants(MODULE)
    kinds = {mutant.kind for mutant in everything}
    few = mutants(MODULE, limit=len(kinds))
    assert {mutant.kind for mutant in few} == kinds
    assert [everything.index(mutant) for mutant in few] == sorted(everything.index(mutant) for mutant in few)
    assert len(mutants(MODULE, limit=10_000)) == len(everything)
    assert mutants(MODULE, limit=0) == ()
    operators = [mutant for mutant in mutants(MODULE, limit=40) if mutant.kind == "operator"]
    assert len({mutant.line for mutant in operators}) == len({m.line for m in everything if m.kind == "operator"})


def test_helpers_count_if_they_are_used() -> None:
    helper = Kernel("twice", "@triton.jit\ndef twice(a):\n    return a + a")
    unused = replace(MODULE, kernels=(helper, *MODULE.kernels))
    assert all(mutant.kernel != "twice" for mutant in mutants(unused))
    called = Kernel("rows", KERNEL.replace("tl.exp(x - 1.0)", "tl.exp(twice(x) - 1.0)"))
    used = replace(MODULE, kernels=(helper, called))
    assert any(mutant.kernel == "twice" and mutant.line == 3 for mutant in mutants(used))


def test_text_that_is_not_ascii_is_cut_at_the_right_place() -> None:
    odd = replace(
        MODULE, kernels=(Kernel("rows", KERNEL.replace("row)", 'row)  # größe "é"').replace("0)\n", "0)  # ü\n")),)
    )
    for mutant in mutants(odd):
        assert verify(mutant.module) == ()


def test_a_module_without_kernels_has_no_mutants() -> None:
    with pytest.raises(UserError, match="lower it first"):
        mutants(replace(MODULE, kernels=(), launcher=None))


def fate(mutant: Mutant, module: KernelModule = MODULE) -> Finding:
    return Examiner(module, Blind()).judge(mutant)


def test_the_same_code_is_equivalent() -> None:
    # The value is not used: the compiler drops it, so that it cannot matter.
    source = KERNEL.replace("    tl.store", "    unused = total * 3.0\n    tl.store")
    module = replace(MODULE, kernels=(Kernel("rows", source),))
    found = fate(find("`3.0` -> `6.0`", module), module)
    assert found.fate is Fate.EQUIVALENT
    assert "same code" in found.detail
    assert fate(find("`x - 1.0` -> `x + 1.0`")).fate is Fate.SURVIVED


EVEN = KernelModule(
    "even",
    replace(DOUBLE, inputs=(TensorSpec.parse("x", "f32[1024]"),), outputs=(TensorSpec.parse("out", "f32[1024]"),)),
    (Kernel("bad", vector("tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask, other=0.0) * 2, mask=mask)").strip()),),
    Launcher(vector_host(out="1024", x="f32[1024]").replace("1000, 256", "1024, 256").strip()),
)
EVEN = replace(EVEN, reference=replace(EVEN.reference, source=DOUBLE.source.replace("1000", "1024")))


def test_changes_outside_every_lane_are_equivalent() -> None:
    # All 1024 lanes are inside: the mask is true everywhere, which the code does not show.
    inside = "tl.load(x_ptr + i, mask=mask, other=0.0)"
    assert fate(find(f"`{inside}` -> `tl.load(x_ptr + i)`", EVEN), EVEN).fate is Fate.EQUIVALENT
    assert fate(find("`i < n` -> `i <= n`", EVEN), EVEN).fate is Fate.EQUIVALENT
    assert fate(find("`i < n` -> `i < n - 1`", EVEN), EVEN).fate is Fate.SURVIVED
    odd = replace(EVEN, reference=DOUBLE, launcher=Launcher(vector_host().strip()))
    assert fate(find("`i < n` -> `i <= n`", odd), odd).fate is not Fate.EQUIVALENT


def test_what_comes_from_a_tensor_proves_nothing() -> None:
    ids = replace(
        program("x * 2", "i32[1000]", "i32[1000]"), source=DOUBLE.source.replace("rand(1000)", "zeros(1000).int()")
    )
    body = "x = tl.load(x_ptr + i, mask=mask, other=0)\ntl.store(out_ptr + i, tl.where(x < 99, x * 2, 7), mask=mask)"
    kernel = vector(body).strip()
    host = vector_host(x="i32[1000]").replace("float32", "int32").strip()
    module = KernelModule("ids", ids, (Kernel("bad", kernel),), Launcher(host))
    found = fate(find("`7` -> `8`", module), module)  # never taken, on every draw
    assert found.fate is Fate.PROBABLY_EQUIVALENT
    assert "same outputs on" in found.detail


def test_a_change_below_rounding_is_named_so() -> None:
    slight = KERNEL.replace("x - 1.0", "x * 1.0000001 - 1.0")
    module = replace(MODULE, kernels=(Kernel("rows", slight),))
    found = fate(find("`x * 1.0000001` -> `x`", module), module)
    assert found.fate is Fate.WITHIN_ROUNDING, found
    assert "of the floor apart" in found.detail


def test_agreement_is_to_the_bit_on_as_many_draws_as_are_asked_for() -> None:
    original = Original(MODULE)
    other = find("`tl.load(x_ptr + row * 40 + j, mask=j < width, other=0.0)` -> "
                 "`tl.load(x_ptr + row * 40 + j, mask=j < width, other=1.0)`")  # fmt: skip
    agreed = list(original.agreements(other, range(120, 240)))
    assert len(agreed) == 120 and all(same for _, same in agreed)
    assert len({draw.seed for draw, _ in agreed}) == 120
    rounded = replace(other, module=replace(MODULE, kernels=(Kernel("rows", KERNEL.replace("1.0", "1.0000001")),)))
    assert not all(same for _, same in original.agreements(rounded, range(60)))


def test_a_survivor_names_the_draws_that_reveal_it() -> None:
    found = fate(find("`tl.program_id(0)` -> `tl.program_id(1)`"))
    assert found.fate is Fate.SURVIVED
    assert "given (inf)" in found.detail


FAILURES = ("assert False", "raise SystemExit(3)", "raise AttributeError")


@pytest.mark.parametrize("failure", FAILURES)
def test_a_reference_that_fails_stops_nothing(failure: str) -> None:
    mutant = find("`x - 1.0` -> `x + 1.0`")
    check = f"    if torch.initial_seed() > 3: {failure}\n"
    sometimes = SUMS.source.replace("    return [torch.r", f"{check}    return [torch.r")
    found = fate(mutant, replace(MODULE, reference=replace(SUMS, source=sometimes)))
    assert (found.fate, found.detail.split(" (")[0]) == (Fate.SURVIVED, "revealed by given")
    for always in (sometimes.replace("> 3", ">= 0"), SUMS.source + failure):
        found = fate(mutant, replace(MODULE, reference=replace(SUMS, source=always)))
        assert found.fate is Fate.SURVIVED
        assert "runs on no draw" in found.detail


@pytest.mark.parametrize("failure", FAILURES)
def test_a_mutant_that_fails_stops_nothing(failure: str) -> None:
    mutant = find("`3` -> `3 - 1`")
    broken = replace(MODULE, launcher=Launcher(HOST.replace("    return out", f"    {failure}\n    return out")))
    assert fate(replace(mutant, module=broken)).fate is Fate.SURVIVED


def test_what_does_not_compile_is_invalid(evaluator: LocalEvaluator) -> None:
    mutant = find("`out_ptr + row` -> `out_ptr`")
    broken = replace(mutant, module=replace(MODULE, kernels=(Kernel("rows", KERNEL.replace("out_ptr + row", "row")),)))
    found = Examiner(MODULE, evaluator, (Rung.COMPILE, Rung.INTERPRET)).judge(broken)
    assert found.fate is Fate.INVALID, found


def test_the_score_of_the_real_evaluator(evaluator: LocalEvaluator) -> None:
    torch.set_num_threads(1)
    report = mutation_score(MODULE, evaluator, limit=24, rungs=(Rung.PARSE, Rung.INTERPRET))
    assert len(report.findings) == 24
    assert report.killed >= 15
    assert report.score >= 0.9, report.survived
    assert report.strict_score <= report.score
    assert {finding.kind for finding in report.of(Fate.KILLED)} >= {"store", "stride", "axis", "grid"}
    counts = report.by_kind()
    assert sum(count for kind in counts.values() for count in kind.values()) == 24


def test_a_module_that_is_wrong_itself_is_refused(evaluator: LocalEvaluator) -> None:
    wrong = find("`x - 1.0` -> `x`").module
    with pytest.raises(UserError, match="is not accepted itself"):
        mutation_score(wrong, evaluator, limit=2, rungs=(Rung.INTERPRET,))


def test_scores_count_what_they_say() -> None:
    def finding(fate: Fate) -> Finding:
        return Finding("mask", "k", 1, "a -> b", fate, "")

    fates = [Fate.KILLED] * 6 + [Fate.SURVIVED] * 2 + [Fate.EQUIVALENT] * 5
    fates += [Fate.PROBABLY_EQUIVALENT, Fate.WITHIN_ROUNDING, Fate.INVALID]
    report = MutationReport(tuple(map(finding, fates)))
    assert report.score == 6 / 8
    assert report.strict_score == 6 / 10
    assert report.by_kind()["mask"]["equivalent"] == 5
    assert MutationReport(()).score != MutationReport(()).score  # no mutants, no number


@pytest.mark.gpu
def test_compiled_kernels_agree_where_interpreted_ones_do() -> None:
    original = Original(MODULE)
    same = find("`tl.load(x_ptr + row * 40 + j, mask=j < width, other=0.0)` -> "
                "`tl.load(x_ptr + row * 40 + j, mask=j < width, other=1.0)`")  # fmt: skip
    agreed = list(original.agreements_on_gpu(same, range(120, 240)))
    assert len(agreed) == 120 and all(one for _, one in agreed)
    rounded = replace(same, module=replace(MODULE, kernels=(Kernel("rows", KERNEL.replace("1.0", "1.0000001")),)))
    kinds = {draw.name for draw, one in original.agreements(rounded, range(60)) if one}
    found = list(original.agreements_on_gpu(rounded, range(60, 240)))
    assert {draw.name for draw, _ in found} <= kinds and not all(one for _, one in found)
