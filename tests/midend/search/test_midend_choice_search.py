"""Choices of passes: launch options that are said, the best choice by a score, choices drawn blindly."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from programs import assert_right, lowered

from kernelwright.backend.tuning.space import LIMITS, LONGEST_STEP, WARPS
from kernelwright.driver.config.discovery import discover
from kernelwright.ir.errors import SpecError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.choice_search import ChoiceSearch, drawn_choice, parts
from kernelwright.midend.search.choices import run_choice

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(autouse=True)
def _passes() -> Iterator[None]:
    discover()
    yield


@pytest.fixture(scope="module")
def unfused() -> KernelModule:
    """A row sum, and what it is added to."""
    discover()
    return lowered("(a * 2).tanh() + torch.relu(a).sum(1, keepdim=True)", [(6, 700)], fuse=False, persistent=False)


def retiled(module: KernelModule, spec: str) -> KernelModule:
    return parse_pipeline(spec).run(module, Context("h100"))


def test_retiled_programs_are_right_and_as_asked(unfused: KernelModule) -> None:
    found = retiled(unfused, "retile{block=512,rows=2,step=128,warps=2}")
    assert_right(found, seeds=(0,))
    assert found.digest != unfused.digest
    for kernel in found.kernels:
        meta = dict(kernel.meta)
        if "R0_BLOCK" in meta:
            assert (meta["XBLOCK"], meta["R0_BLOCK"], meta["num_warps"]) == (2, 128, 2)
        elif meta:
            assert (meta["XBLOCK"], meta["num_warps"]) == (512, 2)


def test_what_is_too_large_becomes_the_largest_that_is_allowed(unfused: KernelModule) -> None:
    found = retiled(unfused, "retile{block=1048576,step=1048576,warps=64}")
    assert_right(found, seeds=(0,))
    largest = LIMITS | {"R0_BLOCK": LONGEST_STEP, "num_warps": WARPS[-1]}  # its loop masks what it loads
    for kernel in found.kernels:
        assert all(value <= largest[name] for name, value in kernel.meta if isinstance(value, int))


def test_nothing_asked_changes_nothing(unfused: KernelModule) -> None:
    assert parse_pipeline("retile").passes[0].run(unfused, Context("h100")) is unfused
    with pytest.raises(SpecError, match="power of two"):
        parse_pipeline("retile{warps=3}")


def kernels(module: KernelModule) -> float:
    """A score by which fewer kernels are better, and then few warps."""
    launched = [kernel for kernel in module.kernels if kernel.meta]
    return len(launched) + 0.1 * sum(int(dict(kernel.meta)["num_warps"]) for kernel in launched) / len(launched)


def test_the_best_choice_makes_what_was_scored() -> None:
    unfused = lowered("torch.square(F.hardswish(torch.tanh(a)))", [(6, 700)], fuse=False)
    search = ChoiceSearch(unfused, kernels, "h100", trials=40)
    best = search.best()
    assert best.us < kernels(unfused) and best.us == kernels(best.module)
    assert parts(best.spec)[0] == "fuse-epilogue" and "warps=" in best.spec
    made = run_choice(best.spec, unfused, "h100")
    assert isinstance(made, KernelModule) and made.digest == best.module.digest
    assert_right(made, seeds=(0,))
    assert search.scored <= 41


def test_few_trials_are_kept_to_and_nothing_better_is_no_choice(unfused: KernelModule) -> None:
    asked: list[str] = []

    def score(module: KernelModule) -> float:
        asked.append(module.digest)
        return 1.0 if module.digest == unfused.digest else 2.0

    best = ChoiceSearch(unfused, score, "h100", trials=3).best()
    assert (best.spec, best.module) == ("", unfused)
    assert len(asked) == len(set(asked)) <= 4


def test_drawn_choices_are_legal_and_follow_from_the_seed() -> None:
    module = parse_module((GOLDEN / "persistent-rows" / "before.py").read_text("utf-8"))
    drawn = [drawn_choice(Random(seed)) for seed in range(12)]
    assert drawn == [drawn_choice(Random(seed)) for seed in range(12)] and len(set(drawn)) > 8
    for spec in drawn:
        assert 1 <= len(parts(spec)) <= 3
        assert isinstance(run_choice(spec, module, "h100"), KernelModule), spec
