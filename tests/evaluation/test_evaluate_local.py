"""The evaluator end to end on honest programs, and on references it cannot judge."""

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from broken_kernels import DOUBLE, GOOD, Broken, program, spec, vector, vector_host

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.inputs.patchwork.rows import PATCHES
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.truth import TruthKeeper
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule, Reference, StateSpec

RUNGS = (Rung.PARSE, Rung.INTERPRET)

BARE = """import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


def forward(x: "f32[1000]"):
    out = torch.empty((1000,), device=x.device, dtype=torch.float32)
    double[(4,)](x, out, 1000, BLOCK=256)
    return out
"""

CLASS = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = torch.empty_like(x)
        double[(4,)](x, out, 1000, BLOCK=256)
        return out
"""


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=2, timeout_s=60, memory_gb=4, use_gpu=False) as evaluator:
        yield evaluator


def test_what_is_right_may_be_found_out_before_there_is_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    find = TruthKeeper._find
    monkeypatch.setattr(TruthKeeper, "_find", lambda *given: found.append(given[2]) or find(*given))
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False) as evaluator:
        evaluator.prepare(DOUBLE)
        assert found == ["cpu"]
        assert evaluator.evaluate_text(BARE, DOUBLE, RUNGS).ok and found == ["cpu"]
        with pytest.raises(UserError, match="needs a CUDA device"):
            evaluator.prepare(DOUBLE, (Rung.RUN,))


def good(reference: Reference = DOUBLE, kernel: str = GOOD, host: str = "") -> KernelModule:
    return Broken("good", reference, kernel, host or vector_host(), Status.OK).module


def test_a_right_module_climbs_every_rung(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate(good())
    assert verdict.ok, verdict
    assert verdict.rungs == (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET)
    assert verdict.rung is Rung.INTERPRET
    assert verdict.resources["bad"].registers > 0
    assert verdict.caliber["device"] == "interpreter"
    assert verdict.caliber["seeds"] == 2
    assert verdict.caliber["passes"] == 29  # two as given, and twenty-seven other kinds
    assert verdict.caliber["draws"]["left_out"] == ["infinite", "extreme"]
    assert verdict.caliber["torch"] == torch.__version__
    assert verdict.caliber["tf32"] is False


def test_an_evaluators_worker_checks_with_other_kinds_of_inputs_too(evaluator: LocalEvaluator) -> None:
    default, fewer = evaluator.evaluate(good()), evaluator.checking("reward").evaluate(good())
    assert fewer.ok and (fewer.caliber["checks"], default.caliber["checks"]) == ("reward", "default")
    assert fewer.caliber["passes"] < default.caliber["passes"] / 2
    later = evaluator.checking("reward", samples=30)  # which are taken on a GPU alone
    assert later.evaluate(good(), RUNGS).ok and later.worker_pid == evaluator.worker_pid
    assert evaluator.evaluate(good()).caliber["checks"] == "default"


def test_a_kernel_that_only_the_interpreter_takes_fails_to_compile(evaluator: LocalEvaluator) -> None:
    # The interpreter would let a block of any size through.
    odd = vector("tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) * 2 + tl.sum(tl.arange(0, 3), 0), mask=mask)")
    verdict = evaluator.evaluate(good(kernel=odd), (Rung.COMPILE,))
    assert verdict.status is Status.COMPILE_ERROR, verdict
    assert verdict.diagnostics[0].kernel == "bad"


def test_a_kernel_may_ask_for_nan_to_be_kept(evaluator: LocalEvaluator) -> None:
    loaded = "tl.load(x_ptr + i, mask=mask) * 2"
    kept = f"tl.maximum({loaded}, {loaded}, propagate_nan=tl.PropagateNan.ALL)"
    verdict = evaluator.evaluate(good(kernel=vector(f"tl.store(out_ptr + i, {kept}, mask=mask)")))
    assert verdict.ok, verdict


def test_of_many_references_the_latest_alone_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each holds a file open, of which a process may have a thousand."""

    def open_files() -> int:
        links = (path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink())
        return sum("memfd:kernelwright" in str(link) for link in links)

    monkeypatch.setattr("kernelwright.evaluation.judge.truth.CACHED", 2)
    sources = [DOUBLE.source + f"# {number}\n" for number in range(5)]
    gc.collect()
    before = open_files()
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False) as evaluator:
        for source in (*sources, sources[0]):
            assert evaluator.evaluate(good(replace(DOUBLE, source=source)), RUNGS).ok
        gc.collect()
        assert open_files() <= before + 2


@pytest.mark.parametrize("text", [BARE, CLASS], ids=["function", "class"])
def test_texts_are_evaluated_against_the_reference_given(evaluator: LocalEvaluator, text: str) -> None:
    assert evaluator.evaluate_text(text, DOUBLE, RUNGS).ok
    wrong = evaluator.evaluate_text(text.replace("* 2", "* 3"), DOUBLE, RUNGS)
    assert wrong.status is Status.MISMATCH


def test_a_text_outside_the_dialect_is_unparsed_with_its_place(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(BARE.replace("return out", "return x * 2"), DOUBLE, RUNGS)
    assert verdict.status is Status.UNPARSED
    assert verdict.diagnostics[0].line == BARE.splitlines().index("    return out") + 1
    assert evaluator.evaluate_text("def f(:", DOUBLE).status is Status.UNPARSED


SCALE = Reference(
    """import torch


class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.rand(size))

    def forward(self, x):
        return x * self.gain


def get_inputs():
    return [torch.rand(1000)]


def get_init_inputs():
    return [1000]
""",
    "Model",
    (spec("x", "f32[1000]"),),
    (StateSpec(spec("gain", "f32[1000]"), "gain"),),
    (spec("out", "f32[1000]"),),
)
SCALE_HOST = """
def forward(x: "f32[1000]", gain: "f32[1000]"):
    out = torch.empty((1000,), device=x.device, dtype=torch.float32)
    bad[(4,)](x, gain, out, 1000, 256)
    return out
"""
SCALE_KERNEL = GOOD.replace("x_ptr,", "x_ptr, g_ptr,").replace("* 2,", "* tl.load(g_ptr + i, mask=mask),")
SCALE_CLASS = """
class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(size))

    def forward(self, x):
        out = torch.empty_like(x)
        bad[(4,)](x, self.gain, out, 1000, 256)
        return out
"""


def test_weights_vary_between_draws(evaluator: LocalEvaluator) -> None:
    assert evaluator.evaluate(good(SCALE, SCALE_KERNEL, SCALE_HOST), RUNGS).ok
    module = good(SCALE, SCALE_KERNEL, SCALE_CLASS)
    assert module.launcher is not None
    in_class = replace(module, launcher=replace(module.launcher, entry="ModelNew", form="class"))
    verdict = evaluator.evaluate(in_class, (Rung.INTERPRET,))
    assert verdict.ok, verdict


def test_the_candidate_s_process_has_no_reference(evaluator: LocalEvaluator) -> None:
    look = (
        'def forward(x: "f32[1000]"):\n    import gc\n'
        "    held = [o for o in gc.get_objects() if type(o).__name__ == 'Reference']\n"
        "    texts = [o.source for o in held]\n"
        "    raise ValueError('found' if any('get_inputs' in text for text in texts) else 'nothing')"
    )
    assert evaluator.evaluate(good(host=look), (Rung.INTERPRET,)).detail == "ValueError: nothing"


def test_random_programs_are_unsupported(evaluator: LocalEvaluator) -> None:
    dropout = program("torch.nn.functional.dropout(x * 2.0, 0.5)", "f32[1000]", "f32[1000]")
    verdict = evaluator.evaluate(good(dropout), RUNGS)
    assert verdict.status is Status.UNSUPPORTED
    assert "random" in verdict.detail


def test_a_program_is_not_random_by_algorithms_that_give_other_bits_each_time(evaluator: LocalEvaluator) -> None:
    factor = "2.0 if torch.backends.cudnn.deterministic else 2.0 + 0.001 * torch.rand(1)"
    verdict = evaluator.evaluate(good(program(f"x * ({factor})", "f32[1000]", "f32[1000]")), RUNGS)
    assert verdict.ok, verdict


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ("undefined(x)", Status.UNSUPPORTED, "NameError"),
        ("__import__('os').abort()", Status.UNSUPPORTED, "SIGABRT"),
        ("'text'", Status.UNSUPPORTED, "reference"),
    ],
)
def test_broken_references_are_not_held_against_a_candidate(
    evaluator: LocalEvaluator, body: str, status: Status, word: str
) -> None:
    verdict = evaluator.evaluate(good(program(body, "f32[1000]", "f32[1000]")), RUNGS)
    assert (verdict.status, word in verdict.detail) == (status, True), verdict


def test_nan_is_right_where_the_reference_gives_it(evaluator: LocalEvaluator) -> None:
    reference = program("torch.log(x - 0.5)", "f32[1000]", "f32[1000]")
    kernel = GOOD.replace("tl.load(x_ptr + i, mask=mask) * 2", "tl.log(tl.load(x_ptr + i, mask=mask) - 0.5)")
    verdict = evaluator.evaluate(good(reference, kernel), RUNGS)
    assert verdict.ok, verdict
    # One in which all numbers are alike comes sometimes; what gives NaN elsewhere is left out.
    made = [kind for kind in verdict.caliber["draws"]["made"] if kind not in ("orders", *PATCHES)]
    assert made == ["given", "given", "shifted", "offset", "one", "extreme", "vast"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32", "bool"])
def test_every_kind_of_dtype_is_compared(evaluator: LocalEvaluator, dtype: str) -> None:
    short = {"float16": "f16", "bfloat16": "bf16", "float64": "f64", "int32": "i32", "bool": "b1"}[dtype]
    body = f"(x * 100).to(torch.{dtype})" if dtype != "bool" else "x > 0.5"
    value = "x * 100" if dtype != "bool" else "x > 0.5"
    kernel = vector(f"x = tl.load(x_ptr + i, mask=mask, other=0.0)\ntl.store(out_ptr + i, {value}, mask=mask)")
    reference = program(body, "f32[1000]", f"{short}[1000]")
    host = vector_host().replace("float32", dtype)
    verdict = evaluator.evaluate(good(reference, kernel, host), RUNGS)
    assert verdict.ok, verdict
    wrong = kernel.replace(value, "x * 97" if dtype != "bool" else "x > 0.4")
    assert evaluator.evaluate(good(reference, wrong, host), RUNGS).status is Status.MISMATCH


def test_several_outputs_and_transposed_inputs(evaluator: LocalEvaluator) -> None:
    reference = replace(
        program("(x * 2.0, x + 1.0)", "f32[24, 40]", "f32[24, 40]"),
        source=program("(x * 2.0, x + 1.0)", "f32[24, 40]", "f32[24, 40]").source.replace(
            "torch.rand(24, 40)", "torch.rand(40, 24).t()"
        ),
        inputs=(spec("x", "f32[24, 40]@[1, 24]"),),
        outputs=(spec("twice", "f32[24, 40]@[1, 24]"), spec("more", "f32[24, 40]@[1, 24]")),
        returns="tuple",
    )
    kernel = """@triton.jit
def bad(x_ptr, twice_ptr, more_ptr, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) + j * 24, mask=j < 40)
    tl.store(twice_ptr + tl.program_id(0) * 40 + j, x * 2, mask=j < 40)
    tl.store(more_ptr + tl.program_id(0) * 40 + j, x + 1, mask=j < 40)
"""
    host = """
def forward(x: "f32[24, 40]@[1, 24]"):
    twice = torch.empty((24, 40), device=x.device, dtype=torch.float32)
    more = torch.empty((24, 40), device=x.device, dtype=torch.float32)
    bad[(24,)](x, twice, more, 64)
    return twice, more
"""
    verdict = evaluator.evaluate(good(reference, kernel, host), RUNGS)
    assert verdict.ok, verdict
    swapped = evaluator.evaluate(good(reference, kernel, host.replace("twice, more\n", "more, twice\n")), RUNGS)
    assert "output twice" in swapped.detail


def test_a_reference_that_works_in_place_allows_it(evaluator: LocalEvaluator) -> None:
    reference = program("x.mul_(2.0)", "f32[1000]", "f32[1000]")
    kernel = vector(
        "x = tl.load(x_ptr + i, mask=mask) * 2\ntl.store(out_ptr + i, x, mask=mask)\ntl.store(x_ptr + i, x, mask=mask)"
    )
    assert evaluator.evaluate(good(reference, kernel), RUNGS).ok
    assert evaluator.evaluate(good(DOUBLE, kernel), RUNGS).detail.startswith("input x was modified")


def test_what_was_asked_for_is_checked(evaluator: LocalEvaluator) -> None:
    with pytest.raises(UserError, match="lower it first"):
        evaluator.evaluate(replace(good(), launcher=None, kernels=()))
    with pytest.raises(UserError, match="choose from"):
        evaluator.evaluate(good(), (Rung.TIME,))
    with pytest.raises(UserError, match="CUDA"):
        evaluator.evaluate(good(), (Rung.RUN,))
    with pytest.raises(UserError, match="at least one"):
        LocalEvaluator(seeds=0)


def test_shrunken_references_are_marked(evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate(good(replace(DOUBLE, shrunken=True)), RUNGS)
    assert verdict.shrunken
    assert str(verdict) == "ok@interpret at shrunken shapes"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_modules_run_on_the_gpu() -> None:
    with LocalEvaluator(seeds=2) as evaluator:
        for module in (good(), good(SCALE, SCALE_KERNEL, SCALE_HOST)):
            verdict = evaluator.evaluate(module)
            assert verdict.ok, verdict
            assert verdict.rung is Rung.RUN
            assert verdict.caliber["device"] == torch.cuda.get_device_name()
        unwritten = evaluator.evaluate(good(kernel=GOOD.replace("* 2, mask=mask", "* 2, mask=i < n - 1")))
        assert unwritten.status is Status.MISMATCH
        wild = evaluator.evaluate(good(kernel=GOOD.replace("x_ptr + i", "x_ptr + (i.to(tl.int64) << 40)")))
        assert wild.status is Status.RUNTIME_ERROR
        assert evaluator.evaluate(good()).ok
