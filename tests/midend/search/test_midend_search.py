"""The search for the fastest verified candidate: never wrong, never slower, and nothing is done twice."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from exploring import keep_variants
from programs import lowered

from kernelwright.agent.evaluator import Evaluator, Rung, Status, Verdict
from kernelwright.agent.services import AgentServices
from kernelwright.backend.cost.model import estimate
from kernelwright.backend.targets import get_target
from kernelwright.driver.compiling.program import compile_module
from kernelwright.driver.compiling.report import estimated_speedup, make_report
from kernelwright.driver.config.discovery import discover
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.errors import PassError, UserError
from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context, Pass, register
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.search.frontier import Frontier
from kernelwright.midend.search.services import SearchServices
from kernelwright.midend.search.space import (
    PLAIN,
    Candidate,
    Made,
    Space,
    followers,
    in_turn,
    lowerings,
    rewrites,
    run_step,
    tried,
)

TARGET = "h200"
#: The lowerings that are tried beside the plain one.
FEW = (
    "channels_last=false",
    "persistent=false",
    "reassociate=true",
    "every_conv=true,reassociate=true",
    "persistent=false,split=false,reassociate=true",
)
#: Forward, shapes, init; and a pass that is part of what wins, or none.
PROGRAMS = {
    "softmax": ("torch.softmax(a, 1)", [(40, 8000)], "pass", "persistent-rows"),
    "depthwise": (
        "torch.relu(self.conv(a))",
        [(2, 8, 24, 40)],
        "self.conv = nn.Conv2d(8, 8, 5, padding=2, groups=8)",
        "depthwise-conv",
    ),
    "transposed": ("self.conv(a)", [(2, 4, 9, 9)], "self.conv = nn.ConvTranspose2d(4, 6, 3, stride=2)", ""),
    "layer norm": ("F.layer_norm(a, (300,), b, c)", [(70, 300), (300,), (300,)], "pass", ""),
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    discover()
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False, seed=3) as evaluator:
        yield evaluator


@pytest.fixture(autouse=True)
def _few_lowerings(monkeypatch: pytest.MonkeyPatch) -> None:
    discover()
    averaged = ("precision=tf32x3",)
    keep_variants(monkeypatch, {"lower-inductor": FEW, "depthwise-conv": ("rows=8",), "channels-last-conv": averaged})


@dataclass
class Counting:
    """A real evaluator that remembers whom it judged, and is interrupted at the call of that number."""

    judge: Evaluator
    interrupt_at: int = 0

    def __post_init__(self) -> None:
        self.judged: list[str] = []

    def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:
        self.judged.append(module.digest)
        if len(self.judged) == self.interrupt_at:
            raise KeyboardInterrupt
        return self.judge.evaluate(module, rungs)


def problem(name: str) -> KernelModule:
    forward, shapes, init, _ = PROGRAMS[name]
    return replace(lowered(forward, shapes, init), kernels=(), launcher=None)


def context(evaluator: Evaluator | None, journals: Path, **judging: Any) -> Context:
    services = (AgentServices(rungs=(Rung.PARSE, Rung.INTERPRET)), SearchServices(journals, judging))
    return Context(TARGET, evaluator, services=services)


def search(module: KernelModule, ctx: Context, spec: str = "search{width=3,trials=2,most=16}") -> KernelModule:
    return parse_pipeline(spec).run(module, ctx)


def microseconds(module: KernelModule) -> float:
    return estimate(module, get_target(TARGET)).us


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_best_is_verified_and_not_slower(name: str, evaluator: LocalEvaluator, tmp_path: Path) -> None:
    module, counting = problem(name), Counting(evaluator)
    found = search(module, context(counting, tmp_path))
    plain = parse_pipeline("lower-inductor").run(module, Context(TARGET))
    notes = found.provenance[-1].notes
    assert found.level is Level.TUNED and found.target == TARGET
    assert evaluator.evaluate(found).ok
    assert microseconds(found) <= microseconds(plain)
    assert PROGRAMS[name][3] in notes["best"]
    assert (notes["us"], notes["plain_us"]) == (round(microseconds(found), 3), round(microseconds(plain), 3))
    assert "not measured" in notes["obtained"]
    assert notes["made"] > notes["distinct"] == notes["pruned"] + min(notes["distinct"], 3)
    assert notes["judged"] == notes["verified"] + len(notes["refused"]) == len(counting.judged)
    seconds, evaluations, times = zip(*notes["curve"], strict=True)
    assert list(seconds) == sorted(seconds) and list(times) == sorted(times, reverse=True)
    assert len(set(evaluations)) == len(times) and evaluations[-1] <= notes["judged"]
    assert times[0] == notes["plain_us"] and times[-1] <= notes["us"]
    assert len(set(counting.judged)) == len(counting.judged)
    assert parse_module(print_module(found)) == found
    # What the notes call the best is what its spec makes.
    remade = parse_pipeline(notes["best"]).run(module, Context(TARGET))
    assert replace(remade, target=TARGET).digest == found.digest
    again = Counting(evaluator)
    assert search(module, context(again, tmp_path)).digest == found.digest
    assert again.judged == []


def test_the_same_without_a_journal(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    module, counting = problem("depthwise"), Counting(evaluator)
    spec = "search{width=3,trials=1,most=6,resume=false}"
    first, second = (search(module, context(counting, tmp_path), spec) for _ in range(2))
    assert first.digest == second.digest and list(tmp_path.iterdir()) == []
    half = len(counting.judged) // 2
    assert counting.judged[:half] == counting.judged[half:]


def test_an_interrupted_search_keeps_the_best_and_goes_on(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    spec = "search{width=3,trials=2,most=8}"
    module, stopped, resumed = problem("depthwise"), Counting(evaluator, 3), Counting(evaluator)
    kept = search(module, context(stopped, tmp_path), spec)
    notes = kept.provenance[-1].notes
    assert (notes["stopped"], notes["verified"]) == ("interrupted", 2)
    assert evaluator.evaluate(kept).ok
    found = search(module, context(resumed, tmp_path), spec)
    assert microseconds(found) <= microseconds(kept)
    assert resumed.judged and not set(stopped.judged[:-1]) & set(resumed.judged)
    unbroken = Counting(evaluator)
    assert search(module, context(unbroken, tmp_path / "other"), spec).digest == found.digest
    assert stopped.judged[:-1] + resumed.judged == unbroken.judged


def test_an_interruption_before_there_is_a_best(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        search(problem("layer norm"), context(Counting(evaluator, 1), tmp_path))


def test_a_search_ends_when_its_time_is_over(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    counting = Counting(evaluator)
    found = search(problem("layer norm"), context(counting, tmp_path), "search{seconds=0.001}")
    assert found.provenance[-1].notes["stopped"] == "out of time"
    assert len(counting.judged) == 1 and evaluator.evaluate(found).ok


@pytest.fixture
def _wrong_pass() -> Iterator[None]:
    @register
    @dataclass(frozen=True)
    class Wrong(Pass):
        """Compute the beginning of each row, and leave out the rest."""

        __module__ = "kernelwright.midend.wrong"
        name: ClassVar[str] = "wrong"
        reads: ClassVar[Level] = Level.TRITON
        writes: ClassVar[Level] = Level.TRITON

        def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
            text = "tl.range(0, {}, R0_BLOCK)"
            sources = [kernel.source.replace(text.format(8000), text.format(8)) for kernel in module.kernels]
            kernels = zip(module.kernels, sources, strict=True)
            return replace(module, kernels=tuple(replace(kernel, source=source) for kernel, source in kernels))

    yield
    del REGISTRY["wrong"]


@pytest.mark.usefixtures("_wrong_pass")
def test_what_is_wrong_is_never_returned(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    assert "wrong" in rewrites()
    module, ctx = problem("softmax"), context(evaluator, tmp_path)
    space = Space(module, ctx)
    fastest = min(space.walk(space.plain(), microseconds, 3), key=lambda candidate: microseconds(candidate.module))
    assert "wrong" in fastest.spec
    found = search(module, ctx)
    notes = found.provenance[-1].notes
    assert evaluator.evaluate(found).ok and "wrong" not in notes["best"]
    assert notes["refused"][fastest.spec].startswith(Status.MISMATCH)


def test_a_pass_that_breaks_is_left_out(
    evaluator: LocalEvaluator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_given: object) -> KernelModule:
        raise ZeroDivisionError("nothing to split")

    monkeypatch.setattr(REGISTRY["persistent-rows"], "run", broken)
    found = search(problem("layer norm"), context(evaluator, tmp_path), "search{width=2,trials=1,most=6}")
    failed = found.provenance[-1].notes["failed"]
    assert "ZeroDivisionError: nothing to split" in failed["lower-inductor,persistent-rows"]


def test_it_goes_on_from_kernels(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    forward, shapes, init, _ = PROGRAMS["layer norm"]
    module = lowered(forward, shapes, init, persistent=False)
    found = search(module, context(evaluator, tmp_path), "search{width=2,trials=1,most=8}")
    notes = found.provenance[-1].notes
    assert notes["plain"] == "given" and notes["plain_us"] == round(microseconds(replace(module, target=TARGET)), 3)
    assert microseconds(found) <= microseconds(module) and evaluator.evaluate(found).ok


@dataclass
class Refusing:
    """An evaluator that finds everything wrong."""

    def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:  # noqa: ARG002
        return Verdict(Status.MISMATCH, Rung.INTERPRET, f"@{module.name} is off")


def test_nothing_is_returned_that_was_not_verified(tmp_path: Path) -> None:
    with pytest.raises(PassError, match="none of 2 candidates is verified: lower-inductor: mismatch@interpret"):
        search(problem("layer norm"), context(Refusing(), tmp_path), "search{width=2}")


def test_a_journal_with_a_torn_line(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    module, spec = problem("layer norm"), "search{width=2,trials=1,most=6}"
    found = search(module, context(evaluator, tmp_path), spec)
    (journal,) = tmp_path.iterdir()
    text = journal.read_text()
    journal.write_text(text[: text.rindex("\n") + 9])
    second, third = Counting(evaluator), Counting(evaluator)
    assert search(module, context(second, tmp_path), spec).digest == found.digest
    assert len(second.judged) <= 1
    assert search(module, context(third, tmp_path), spec).digest == found.digest
    assert third.judged == []


def test_other_judges_settings_have_a_journal_of_their_own(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    module, spec = problem("layer norm"), "search{width=1,trials=1,most=1}"
    for seeds in (1, 2):
        counting = Counting(evaluator)
        search(module, context(counting, tmp_path, seeds=seeds), spec)
        assert counting.judged
    assert len(list(tmp_path.iterdir())) == 2


def test_the_report_says_what_was_tried(evaluator: LocalEvaluator, tmp_path: Path) -> None:
    lines: list[str] = []
    ctx = replace(context(evaluator, tmp_path), progress=lines.append)
    result = compile_module(problem("depthwise"), parse_pipeline("search{width=3,trials=2,most=12,seconds=900}"), ctx)
    report = make_report(result, TARGET, estimated_speedup(result, TARGET))
    notes = report["stages"][0]["notes"]
    assert report["status"] == "ok" and notes["distinct"] == notes["pruned"] + 3 > 3
    assert report["speedup"]["against"] == "lower-inductor" and report["speedup"]["value"] > 1
    assert report["speedup"]["value"] == round(notes["plain_us"] / notes["us"], 3)
    told = "\n".join(lines)
    assert all(word in told for word in ("distinct candidates", "estimating", "verifying", "tuning"))
    standing = r"\d+ candidates made, best [1-9]\d*\.\d\dx the plain lowering, \d+ s left; tuning 1/\d"
    assert any(re.match(standing, line) for line in lines), told


def test_what_cannot_be_searched(tmp_path: Path) -> None:
    module = problem("layer norm")
    with pytest.raises(UserError, match="target interpreter has none"):
        search(module, replace(context(Refusing(), tmp_path), target="interpreter"))
    with pytest.raises(UserError, match="needs an evaluator"):
        search(module, context(None, tmp_path))
    for option in ("width=0", "trials=0", "most=0", "seconds=-1", "measure=never", "workers=-1", "cache=warm"):
        with pytest.raises(UserError, match=option.partition("=")[0]):
            parse_pipeline(f"search{{{option}}}")


def test_chains_begin_with_templates_and_end_with_fusions() -> None:
    after = list(followers(Candidate("lower-inductor{channels_last=false,persistent=false}", problem("softmax"))))
    assert after[0] == "diagonal-products" and after[-1] == "specialize" and "depthwise-conv{rows=8}" in after
    fused = list(followers(Candidate("lower-inductor,implicit-gemm,fuse-epilogue", problem("softmax"))))
    local = ["align-rows", "hoist-offsets", "join-pairs", "strength-reduce", "cache-hints", "specialize"]
    assert fused == ["fuse-prologue", "fuse-reduction", "rematerialize", *local]
    middle = list(followers(Candidate("given,split-rows{programs=264}", problem("softmax"))))
    assert "persistent-rows" in middle and "split-rows" not in middle and "implicit-gemm" not in middle


def test_convolutions_of_averages_are_not_rounded_to_tf32() -> None:
    usual = set(followers(Candidate("lower-inductor{every_conv=true}", problem("softmax"))))
    averaged = set(followers(Candidate("lower-inductor{every_conv=true,reassociate=true}", problem("softmax"))))
    assert averaged - usual == {"channels-last-conv{precision=tf32x3}"}
    assert "channels-last-conv" in usual - averaged


@pytest.mark.parametrize("given", [False, True])
def test_what_can_be_simplified_is_not_tried_unsimplified(given: bool) -> None:
    module = lowered("F.mish(self.conv(a))", [(1, 8, 12, 12)], "self.conv = nn.Conv2d(8, 8, 3)")
    space = Space(module if given else replace(module, kernels=(), launcher=None), Context(target=TARGET))
    found = list(space.walk(space.plain(), microseconds, 2))
    assert found[1].spec == f"{found[0].spec},exp-identities"
    assert any(len(candidate.passes) > 3 for candidate in found)
    for candidate in found[1:]:
        remade = parse_pipeline(candidate.spec.removeprefix("given,")).run(space.module, Context(target=TARGET))
        assert replace(remade, target=TARGET).digest == candidate.digest
        simplest = parse_pipeline("exp-identities").run(candidate.module, Context(target=TARGET))
        assert simplest is candidate.module and candidate.passes.count("exp-identities") == 1
        assert candidate.passes[-1] == "exp-identities"
    plain = lowered("torch.relu(a).sum(1)", [(40, 300)])
    space = Space(plain, Context(target=TARGET))
    assert not any("exp-identities" in one.spec for one in space.walk(space.plain(), microseconds, 3))


def test_general_candidates_are_made_of_the_given_kernels_and_of_no_size() -> None:
    plain, specs, best_first = lowered("F.mish(a).sum(1)", [(40, 300)]), {}, {}
    for general in (False, True):
        space = Space(plain, Context(target=TARGET), general=general)
        specs[general] = [candidate.spec for candidate in space.walk(space.plain(), microseconds, 3)]
        frontier = Frontier(space, space.plain(), microseconds, 3)
        best_first[general] = [
            candidate.spec
            for number, step in enumerate(frontier)
            for candidate in frontier.came(number, run_step(step, space.ctx))
        ]
    for found in (specs, best_first):
        assert any(spec.startswith("lower-inductor{persistent=false}") for spec in found[False])
        assert all(spec.startswith("given") and "specialize" not in spec for spec in found[True])
        assert found[True] and set(found[True]) < set(found[False])


def test_other_templates_are_not_weighed_against_one_another() -> None:
    module = problem("softmax")
    specs = {"a": 1.0, "b": 2.0, "c": 3.0, "a,implicit-gemm": 8.0, "b,implicit-gemm": 7.0, "a,triton-matmul": 9.0}
    candidates = [Candidate(spec, replace(module, name=f"m{number}")) for number, spec in enumerate(specs)]
    score = {c.digest: specs[c.spec] for c in candidates}
    order = [candidate.spec for candidate in in_turn(candidates, lambda module: score[module.digest])]
    assert order == ["a", "b,implicit-gemm", "a,triton-matmul", "b", "a,implicit-gemm", "c"]


def test_lowerings_for_rewrites_are_not_weighed_against_others(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = "lower-inductor{split=false}"
    explore = Exploration(Phase.LOWERING, variants=(Variant("split=false", prepared=True),))
    monkeypatch.setattr(REGISTRY["lower-inductor"], "explore", explore)
    made = [Candidate(f"{spec},channels-last-conv", problem("softmax")) for spec in ("a", "b", prepared)]
    assert [candidate.prospects for candidate in made[:2]] == [("channels-last-conv",)] * 2
    score = {candidate.spec: number for number, candidate in enumerate(made)}
    modules = [replace(candidate.module, name=f"m{number}") for number, candidate in enumerate(made)]
    made = [replace(candidate, module=module) for candidate, module in zip(made, modules, strict=True)]
    us = {candidate.module.name: score[candidate.spec] for candidate in made}
    order = in_turn(made, lambda module: us[module.name], lambda candidate: candidate.prospects)
    assert [candidate.spec.partition(",chan")[0] for candidate in order] == ["a", prepared, "b"]


@pytest.mark.parametrize("averages", [True, False])
def test_lowerings_are_reassociated_where_there_is_something_to_reassociate(averages: bool) -> None:
    asked: list[str] = []

    module = problem("softmax")
    frontier = Frontier(Space(module, Context(target=TARGET)), Candidate(PLAIN, module), lambda _module: 0.0, 0)
    for number, step in enumerate(frontier):
        asked.append(step.spec)
        plain = "reassociate" not in step.spec
        list(frontier.came(number, Made(module) if plain or averages else Made(failed="nothing to reassociate")))
    variants = [spec for spec in asked if "reassociate" in spec]
    assert variants[0] == "lower-inductor{reassociate=true}"
    assert len(variants) == (3 if averages else 1)
    for spec in variants:
        parse_pipeline(spec)


@pytest.mark.parametrize("lowering", ["lower-inductor", "given", "lower-inductor{tiles=2}"])
def test_a_rewrite_is_tried_with_its_defaults_first(lowering: str) -> None:
    for name in ("triton-matmul", "implicit-gemm", "depthwise-conv"):
        assert tried(name, lowering)[0] == name


def test_variants_for_a_lowerings_option_stand_alone_behind_it() -> None:
    assert tried("channels-last-conv", "lower-inductor{reassociate=true}") == ("channels-last-conv{precision=tf32x3}",)
    assert "channels-last-conv" in tried("channels-last-conv", "lower-inductor")
    assert lowerings()[0] == "lower-inductor"
