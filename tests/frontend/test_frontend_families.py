"""Families of problems: programs by seed that run, differ in form, and are lowered without a library call."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung
from kernelwright.agent.rewards import make_reward
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.frontend.families import family_names, family_program
from kernelwright.frontend.families.family import REGISTRY, family
from kernelwright.frontend.families.sketch import Sketch
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import extern_ops
from kernelwright.rl.data.normal_form import normal_digest

RUNGS = (Rung.PARSE, Rung.INTERPRET)
AGENT = FrontendAgent("h100", make_reward("frontend"), "kernels")
#: What KernelBench's first two levels are made of.
NAMES = {
    *("activations", "attention", "chains", "convolutions", "grouped_convolutions", "losses", "norms", "pooling"),
    *("products", "reductions", "scans", "softmaxes", "transposed_convolutions"),
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=2, timeout_s=120, memory_gb=4, use_gpu=False) as evaluator:
        yield evaluator


def test_every_file_is_found() -> None:
    assert set(family_names()) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_family_has_many_forms_and_its_seeds_give_the_same_again(name: str) -> None:
    programs = [family_program(name, seed) for seed in range(60)]
    assert len({normal_digest(program) for program in programs}) >= 57
    assert [family_program(name, seed) for seed in (7, 3)] == [programs[7], programs[3]]


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_family_s_answer_calls_no_library_and_is_right(name: str, evaluator: LocalEvaluator) -> None:
    before = import_source(family_program(name, 1), "some", shrink="never")
    after = LowerInductor(written_out=True, tiles=1).run(before, Context("h100"))
    assert extern_ops(after) == ()
    verdict = evaluator.evaluate(after, RUNGS)
    assert verdict.ok, verdict
    short = AGENT.answer(after)
    if short is not None:
        read = AGENT.parse(short, before)
        assert isinstance(read, KernelModule), read
        assert evaluator.evaluate(read, RUNGS).ok


def test_what_is_never_sane_says_so() -> None:
    def zero(sketch: Sketch) -> None:
        sketch.let(f"{sketch.input(3)} * 0.0")

    family("zeros")(zero)
    try:
        with pytest.raises(UserError, match="family 'zeros' draws no sane program for the seed 5"):
            family_program("zeros", 5)
    finally:
        del REGISTRY["zeros"]
    with pytest.raises(UserError, match="unknown family 'prodcts'; did you mean 'products'"):
        family_program("prodcts", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_family_reaches_1500_forms(name: str) -> None:
    forms: set[str] = set()
    for seed in range(2000):
        forms.add(normal_digest(family_program(name, seed)))
        if len(forms) == 1500:
            return
    pytest.fail(f"{name}: {len(forms)} forms of 2,000 seeds")
