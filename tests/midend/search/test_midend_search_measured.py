"""The search as it goes on a GPU, with the interpreter in the GPU's place: real children, clocks and verdicts."""

import contextlib
import math
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from exploring import keep_variants
from programs import assert_right, lowered

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.services import AgentServices
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.measure import bench
from kernelwright.backend.measure.bench import WHOLE
from kernelwright.backend.measure.children import OFF_GPU, Child, Outcome
from kernelwright.backend.measure.stopwatch import Measured, Stopwatch
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning import trials as tuning
from kernelwright.driver.config.discovery import discover
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search import measured
from kernelwright.midend.search import tuning as search_tuning
from kernelwright.midend.search.making import make, price
from kernelwright.midend.search.measured import CHECKED, TIMED, MeasuredSearchRun
from kernelwright.midend.search.processes import modules_of_passes
from kernelwright.midend.search.search_run import SearchError, Spending
from kernelwright.midend.search.services import SearchServices
from kernelwright.midend.search.space import PLAIN, Candidate, Space, Step
from kernelwright.midend.search.supply import Supply
from kernelwright.midend.search.tuning import Entry, Fitting
from kernelwright.midend.search.verifying import Keeping, Verifying
from kernelwright.midend.search.waiting import Waiting

TARGET = "h200"
RUNGS = (Rung.PARSE, Rung.INTERPRET)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    discover()
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False, seed=3) as evaluator:
        yield evaluator


@pytest.fixture(scope="module")
def problem() -> KernelModule:
    discover()
    module = lowered("torch.relu(self.conv(a))", [(1, 4, 12, 20)], "self.conv = nn.Conv2d(4, 4, 3, groups=4)")
    return replace(module, kernels=(), launcher=None)


def race(
    problem: KernelModule, evaluator: Any, journals: Path, spending: Spending, **options: Any
) -> MeasuredSearchRun:
    ctx = Context(TARGET, evaluator, services=(AgentServices(rungs=RUNGS, **options), SearchServices(journals)))
    return MeasuredSearchRun(Space(problem, ctx), spending, ctx, workers=1, timed=False, device="cpu")


def begun_with(module: KernelModule, line: str) -> KernelModule:
    assert module.launcher is not None
    head, body = module.launcher.source.split("\n", 1)
    return replace(module, launcher=replace(module.launcher, source=f"{head}\n    {line}\n{body}"))


@pytest.mark.slow
def test_candidates_are_made_measured_tuned_and_the_fastest_verified(
    problem: KernelModule, evaluator: LocalEvaluator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_variants(monkeypatch, {"lower-inductor": ("channels_last=false",)})
    monkeypatch.setattr(search_tuning, "TUNED", 1)
    first = race(problem, evaluator, tmp_path, Spending(3, 2, 12, 0.0))
    found = first.run()
    notes = first.notes()
    assert evaluator.evaluate(found.candidate.module, RUNGS).ok
    assert notes["best"] == found.candidate.spec and notes["us"] == round(found.us, 3) <= notes["plain_us"]
    assert notes["distinct"] == 12 and any("fuse-epilogue" in spec for spec in notes["candidates_us"])
    assert notes["trials"] > 0 and notes["measured"] >= notes["distinct"] - notes["pruned"]
    times = [us for _, _, us in notes["curve"]]
    assert times == sorted(times, reverse=True) and notes["curve"][-1][1] <= notes["measured"] + notes["trials"] + 1
    assert notes["processes_lost"] == 0 and notes["verified"] >= 1 and "measured" in notes["obtained"]
    assert set(notes["seconds"]) == {"starting", "making", "measuring", "tuning", "verifying"}
    # The plain lowering's call is the first point of the curve: its kernels are timed apart behind that.
    plain, journal = first.entries[0].candidate.module, first.judge.journal
    symbols = [kernel.symbol for kernel in plain.kernels if kernel.meta]
    call, apart = (journal.measured(plain, asked) for asked in ((WHOLE,), symbols))
    assert call is not None and notes["curve"][0][1:] == [1, round(call.whole_us, 3)]
    assert apart is not None and list(apart.us) == symbols != []
    # What was made by shapes alone in a child is what its spec makes of tensors here.
    spec = next(spec for spec in notes["candidates_us"] if spec.endswith("depthwise-conv"))
    remade = parse_pipeline(spec).run(problem, Context(TARGET))
    assert replace(remade, target=TARGET).digest in {entry.candidate.digest for entry in first.entries}
    # A second search may come upon others and tune those, but measures nothing again but for the last comparison.
    second = race(problem, None, tmp_path, Spending(3, 2, 12, 0.0), evaluate=lambda modules, _rungs: _never(modules))
    known, take = (
        {entry.candidate.digest for entry in first.entries if entry.base is entry.candidate},
        Stopwatch.measure,
    )

    def measure(watch: Stopwatch, module: KernelModule, symbols: Any, *given: Any) -> Any:
        return (
            _never(module) if symbols == (WHOLE,) and module.digest in known else take(watch, module, symbols, *given)
        )

    monkeypatch.setattr(MeasuredSearchRun, "_compare", lambda *_given: None)
    monkeypatch.setattr(MeasuredSearchRun, "_verified", lambda one: one.entries[0])
    monkeypatch.setattr(Stopwatch, "measure", measure)
    second.run()
    assert len({entry.candidate.digest for entry in second.entries} & known) > 1


def _never(given: object) -> Any:
    raise AssertionError(f"{given} were found out before")


@pytest.mark.slow
def test_what_breaks_drops_out_and_the_others_are_measured(
    problem: KernelModule, evaluator: LocalEvaluator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(self: MeasuredSearchRun, supply: Supply, plain: Candidate, _waiting: object) -> list[Candidate]:
        assert self.ctx.target == TARGET and plain.module.launcher is not None
        zeros = plain.module.launcher.source.replace("return out", "return out.zero_()")
        self.distinct = 4
        found = [
            Candidate("crashes", begun_with(plain.module, "torch.os._exit(3)")),
            Candidate("wrong", replace(plain.module, launcher=replace(plain.module.launcher, source=zeros))),
            Candidate("good", begun_with(plain.module, "pass")),
        ]
        supply.makers.us |= {one.digest: 1.0 for one in found}
        return found

    monkeypatch.setattr(MeasuredSearchRun, "_make", made)
    monkeypatch.setattr(MeasuredSearchRun, "_tune", lambda *_given: None)
    one = race(problem, evaluator, tmp_path, Spending(3, 1, 8, 0.0))
    found = one.run()
    notes = one.notes()
    assert found.candidate.spec in ("lower-inductor", "good")
    assert "exit status 3" in notes["refused"]["crashes"] and "output 0 is off" in notes["refused"]["wrong"]
    assert set(notes["candidates_us"]) == {"lower-inductor", "good"} and notes["processes_lost"] == 1


class _Compiled:
    """Children of whom each trial compiles at once."""

    count = 1

    def each(self, tasks: Any, *_given: float) -> Iterator[tuple[int, Outcome]]:
        for number, (task, given) in enumerate(tasks):
            yield number, Outcome(True if task is tuning.prepare_trial else task(*given))


class _Clock:
    """A stopwatch by which a kernel takes as long as `us` says of its launch options; it remembers what it timed."""

    def __init__(self, us: Callable[[dict[str, Any]], float]) -> None:
        self.us, self.timed = us, set[str]()

    def measure(self, module: KernelModule, symbols: Sequence[str], *_given: float) -> Measured:
        self.timed.add(module.digest)
        us = self.us(dict(module.kernels[-1].meta))
        return Measured(dict.fromkeys(symbols, us))


def tuned(
    us: Callable[[dict[str, Any]], float], journals: Path, trials: int, seconds: float = 0.0
) -> MeasuredSearchRun:
    """A race of one candidate, a sum of columns, after the trials of its launch options."""
    module = lowered("a.sum(1)", [(8, 400, 500)])
    bare, spending = replace(module, kernels=(), launcher=None), Spending(3, trials, 8, seconds)
    one = race(bare, None, journals, spending, evaluate=lambda *_given: ())
    plain = one.plain = Candidate("lower-inductor", module)
    one.entries = [Entry(plain, plain, Measured({"": us(dict(module.kernels[-1].meta))}))]
    one._tune(_Clock(us), _Compiled())  # type: ignore[arg-type]
    return one


def test_what_memory_gave_has_longer_to_be_measured(problem: KernelModule, tmp_path: Path) -> None:
    one = race(problem, None, tmp_path, Spending(3, 2, 8, 10.0), evaluate=lambda *_given: ())
    one._begins, one._ends = 100.0, 110.0
    waiting = Waiting(lambda _module: 1.0)
    for owed, longer, until in ((False, 106.5, 105.5), (True, 106.5, 106.5), (True, 105.0, 105.5)):
        makers: Any = SimpleNamespace(owed=lambda owed=owed: owed, longer=longer)
        assert one._measured_by(waiting, makers) == pytest.approx(until)
    waiting.put(Candidate("given", problem), first=True)
    assert one._measured_by(waiting, SimpleNamespace(owed=lambda: False, longer=106.5)) == pytest.approx(106.5)  # type: ignore[arg-type]


def test_templates_take_turns_in_tuning(monkeypatch: pytest.MonkeyPatch) -> None:
    discover()
    monkeypatch.setattr(search_tuning, "TUNED", 3)
    module = lowered("a.sum(1)", [(8, 400, 500)])
    us = {"p": 10.0, "p,cache-hints": 10.1, "p,reverse-loops": 10.2, "p,triton-matmul": 29.0, "p,implicit-gemm": 31.0}
    entries = []
    for number, (spec, time) in enumerate(us.items()):
        candidate = Candidate(spec, begun_with(module, "pass  # " + "x" * number))
        entries.append(Entry(candidate, candidate, Measured({"": time})))
    (kernel, *others) = entries[0].candidate.module.kernels
    kernels = (replace(kernel, meta=(("num_warps", 2),)), *others)
    same = Candidate("p,configure", replace(entries[0].candidate.module, kernels=kernels))
    entries.append(Entry(same, same, Measured({"": 10.05})))  # the same kernels as in p, with other options
    fitting = Fitting(entries, _Compiled(), get_target("h200"), _Clock(lambda _meta: 1.0).measure, lambda _line: None)  # type: ignore[arg-type]
    assert [one.spec for one in fitting.promising()] == ["p", "p,triton-matmul", "p,cache-hints"]


def test_options_found_for_a_kernel_are_given_to_all_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_tuning, "TUNED", 1)
    module = lowered("a.sum(1)", [(8, 400, 500)])
    first, second = (Candidate(f"p{number}", begun_with(module, "pass  # " + "x" * number)) for number in range(2))
    entries = [Entry(one, one, Measured({"": 10.0})) for one in (first, second)]
    clock = _Clock(lambda meta: 10.0 / meta["num_warps"])
    fitting = Fitting(entries, _Compiled(), get_target("h200"), clock.measure, lambda _line: None)  # type: ignore[arg-type]
    fitting.run(8)
    best = {base.spec: min(entry.us for entry in entries if entry.base is base) for base in (first, second)}
    assert best["p0"] == best["p1"] < 10.0


def test_the_last_candidate_is_tuned_while_that_brings_something(tmp_path: Path) -> None:
    def us(meta: dict[str, Any]) -> float:
        return 10.0 + sum(abs(math.log2(meta[name] / best)) for name, best in fastest.items())

    fastest = {"XBLOCK": 2, "R0_BLOCK": 1024, "num_warps": 2}
    one = tuned(us, tmp_path, trials=4)
    best = min(one.entries, key=lambda entry: entry.us)
    assert dict(best.candidate.module.kernels[-1].meta) == fastest and best.us == 10.0
    # Its spec says how it is made again, launch options included.
    given, _, options = best.candidate.spec.partition(",")
    assert given == one.entries[0].candidate.spec and options.startswith("configure{")
    module = one.entries[0].candidate.module
    assert parse_pipeline(options).run(module, Context(TARGET)).kernels == best.candidate.module.kernels
    assert one.trials > 4 + 8 and one.stopped == ""


def test_tuning_ends_where_nothing_is_gained_or_time_is_over(tmp_path: Path) -> None:
    one = tuned(lambda _meta: 10.0, tmp_path / "flat", trials=4)
    assert 4 + 8 < one.trials <= 4 + 8 + 16
    assert len(one.entries) == 1 and one.stopped == ""
    over = tuned(lambda _meta: 10.0, tmp_path / "over", trials=4, seconds=1e-9)
    assert over.trials == 0 and over.stopped == "out of time"


def entered(one: MeasuredSearchRun, us: dict[str, float]) -> None:
    """As though these had been measured, the first as the plain lowering."""
    candidates = [Candidate(spec, lowered(f"a + {number}", [(4, 4)])) for number, spec in enumerate(us)]
    times = zip(candidates, us.values(), strict=True)
    one.entries = [Entry(each, each, Measured({"": time})) for each, time in times]
    one.plain = candidates[0]


@pytest.mark.parametrize(
    ("us", "wrong", "kept"),
    [
        ({"plain": 10.0, "a": 5.0, "b": 8.0}, set(), "a"),
        ({"plain": 10.0, "a": 5.0, "b": 8.0}, {"a"}, "b"),
        ({"plain": 10.0, "a": 5.0, "b": 8.0}, {"a", "b"}, "plain"),
        ({"plain": 10.0, "a": 9.9}, set(), "plain"),  # no more than noise
        ({"plain": 10.0, "a": 5.0}, {"plain"}, "a"),
    ],
)
def test_the_fastest_that_is_verified_is_kept(
    us: dict[str, float], wrong: set[str], kept: str, problem: KernelModule, tmp_path: Path
) -> None:
    asked: list[str] = []

    def evaluate(modules: list[KernelModule], rungs: tuple[Rung, ...]) -> Iterator[Verdict]:
        for module in modules:
            spec = next(e.candidate.spec for e in one.entries if e.candidate.digest == module.digest)
            asked.append(spec)
            yield Verdict(Status.MISMATCH if spec in wrong else Status.OK, Rung.INTERPRET, rungs=rungs)

    one = race(problem, None, tmp_path, Spending(3, 1, 8, 0.0), evaluate=evaluate)
    entered(one, us)
    one.verdicts[one.entries[0].candidate.digest] = one.judge.verdict(one.entries[0].candidate.module, RUNGS)
    one.best = one._verified()
    assert one.best.candidate.spec == kept
    assert asked[1:] == [spec for spec in us if spec != "plain" and us[spec] < 9][: len(asked) - 1]
    told = one.notes()
    assert told["refused"].keys() == wrong & set(asked) and ("plain" in told["kept"]) == (kept == "plain")


def test_nothing_is_kept_that_was_not_verified(problem: KernelModule, tmp_path: Path) -> None:
    refused = Verdict(Status.MISMATCH, Rung.INTERPRET, "off")
    one = race(
        problem, None, tmp_path, Spending(3, 1, 8, 0.0), evaluate=lambda modules, _rungs: [refused for _ in modules]
    )
    entered(one, {"plain": 10.0, "a": 5.0})
    one.verdicts[one.entries[0].candidate.digest] = refused
    with pytest.raises(SearchError, match="none of 2 is verified: mismatch"):
        one._verified()


def test_a_verification_that_does_not_end_in_time_is_not_waited_for(problem: KernelModule, tmp_path: Path) -> None:
    never_s, asked, seconds = 600.0, list[str](), 0.01
    over = threading.Event()

    def evaluate(modules: list[KernelModule], rungs: tuple[Rung, ...]) -> Iterator[Verdict]:
        for module in modules:
            asked.append(next(e.candidate.spec for e in one.entries if e.candidate.digest == module.digest))
            assert asked[-1] != "a" or over.wait(never_s)
            yield Verdict(Status.OK, Rung.INTERPRET, rungs=rungs)

    one = race(problem, None, tmp_path, Spending(3, 1, 8, seconds), evaluate=evaluate)
    entered(one, {"plain": 10.0, "a": 5.0, "b": 6.0})
    for spec in ("plain", "b"):
        entry = next(e for e in one.entries if e.candidate.spec == spec)
        assert one._verifying.verdict(entry.candidate.module) is not None
    one.best = one._verified()
    # The fastest would be kept, had its verdict come: of what is verified by then the fastest is.
    assert (one.best.candidate.spec, one.stopped) == ("b", "out of time") and asked == ["plain", "b", "a"]
    assert one.notes()["not_verified"] == {"a": 5.0}
    over.set()


def test_what_is_slower_than_pytorch_is_said_to_be(problem: KernelModule, tmp_path: Path) -> None:
    one = race(problem, None, tmp_path, Spending(3, 1, 8, 0.0), evaluate=lambda *_given: ())
    entered(one, {"plain": 10.0})
    one.best = one.entries[0]
    times = {"candidate": 2.0, "eager": 4.0, "inductor": 1.0}
    one.timing = Verdict(Status.OK, Rung.TIME, rungs=TIMED, times_ms=times)
    assert one.notes()["speedups"] == {"eager": 2.0, "inductor": 0.5} and one.notes()["slower_than"] == ["inductor"]
    assert set(CHECKED) < set(TIMED)


def test_lowering_by_shapes_alone_gives_the_same(problem: KernelModule) -> None:
    for spec in ("lower-inductor", "lower-inductor{channels_last=false}"):
        pipeline = parse_pipeline(spec)
        shapes = pipeline.run(problem, Context(TARGET, lowering_device="meta"))
        assert shapes.digest == pipeline.run(problem, Context(TARGET)).digest
        assert trace_launches(shapes)


def test_by_shapes_alone_programs_may_make_tensors_of_numbers() -> None:
    module = lowered(
        "torch.minimum(a, torch.tensor(0.25, device=a.device)) + torch.tensor(2, device=a.device)", [(200,)]
    )
    bare = replace(module, kernels=(), launcher=None)
    found = parse_pipeline("lower-inductor").run(bare, Context(TARGET, lowering_device="meta"))
    assert_right(found)


@pytest.mark.parametrize("shape", [(3, 6000), (5, 4097), (2, 3, 5001)], ids=str)
def test_by_shapes_alone_a_softmax_reads_its_rows_twice_as_on_a_gpu(shape: tuple[int, ...]) -> None:
    module = replace(lowered("torch.softmax(a, -1)", [shape]), kernels=(), launcher=None)
    ctx = Context(TARGET, lowering_device="meta")
    found = parse_pipeline("lower-inductor{persistent=false,split=false}").run(module, ctx)
    assert found.kernels[-1].source.count("tl.load(") == 2
    assert_right(found)
    plain = parse_pipeline("lower-inductor{persistent=false,split=false,online_softmax=false}").run(module, ctx)
    assert plain.kernels[-1].source.count("tl.load(") == 3


def test_by_shapes_alone_reductions_are_split_as_for_a_gpu() -> None:
    """A GPU has use for more programs than there are rows here; the cores of this machine have not."""
    module = lowered("torch.sum(a, 1)", [(200, 65536)])
    module = replace(module, kernels=(), launcher=None)
    found = parse_pipeline("lower-inductor").run(module, Context(TARGET, lowering_device="meta"))
    assert len(found.kernels) == 2 and math.prod(trace_launches(found)[0].grid) > 200


def test_by_shapes_alone_a_total_in_two_steps_is_written_and_read() -> None:
    """Inductor spells the address of a tensor of one number as it spells the number."""
    module = replace(lowered("a / torch.norm(a)", [(8, 8, 32, 32)]), kernels=(), launcher=None)
    found = parse_pipeline("lower-inductor").run(module, Context(TARGET, lowering_device="meta"))
    assert len(found.kernels) == 3 and math.isfinite(price(found, TARGET))
    assert_right(found)


def test_few_outputs_of_tf32_products_are_compared_as_tf32() -> None:
    """Of a clamp that leaves some dozen of thousands of numbers: their error is TF32's, their mean says little."""
    discover()
    lowering = lowered(
        "torch.clamp(self.conv(a) + 1.4, max=0.0)", [(2, 16, 15, 15)], "self.conv = nn.Conv2d(16, 16, 3)"
    )
    plain = replace(lowering, reference=replace(lowering.reference, numerics="torch"))
    template = parse_pipeline("implicit-gemm{form=dot}").run(plain, Context(TARGET))
    kernels = [replace(kernel, source=kernel.source.replace("1.4", "1.37")) for kernel in template.kernels]
    wrong = replace(template, kernels=tuple(kernels))
    bench.open_bench(plain, 0, "cpu")
    assert bench.measure(template, [bench.WHOLE], math.inf, 0.1)
    with pytest.raises(bench.WrongOutputError, match="output 0 is off"):
        bench.measure(wrong, [bench.WHOLE], math.inf, 0.1)


def _state() -> tuple[int, set[str]]:
    """From a child: threads of the process that it was forked from, and what it has imported."""
    return len(list(Path(f"/proc/{os.getppid()}/task").iterdir())), set(sys.modules)


def test_children_begin_to_make_candidates_with_all_imported() -> None:
    discover()
    module = lowered("torch.relu(a) + 1", [(40, 50)])
    environment = {**OFF_GPU, "PYTHONPATH": os.pathsep.join(map(str, Path(__file__).parents[:3]))}
    with Child(modules_of_passes(), environment) as child:
        threads, before = child.do((_state, ()), 120).value
        step = Step(replace(module, kernels=(), launcher=None), PLAIN)
        found = child.do((make, (step, TARGET, 0)), 120)
        assert math.isfinite(found.value.us) and found.value.made.module.kernels
        # What won elsewhere is told with its launch options.
        configs = f'configure{{configs="{found.value.made.module.kernels[0].symbol}: num_warps=1"}}'
        fitted = child.do((make, (replace(step, spec=f"{PLAIN},{configs}"), TARGET, 0)), 120).value.made
        assert fitted.module and dict(fitted.module.kernels[0].meta)["num_warps"] == 1
        imported = child.do((_state, ()), 30).value[1] - before
    assert threads == 1  # else it could not be forked safely
    assert not {name for name in imported if name.startswith(("torch", "kernelwright", "triton"))}


def test_seconds_in_which_children_start_are_taken_from_all_shares(
    problem: KernelModule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Starting(contextlib.ExitStack):
        replaced, us, cut = 0, dict[str, float](), False

        def begin(self, _task: object, _seconds: float) -> None:
            pass

        def wait_ready(self, seconds: float) -> None:
            assert seconds == 100.0
            clock.monotonic = lambda: 1060.0

    clock, ends = SimpleNamespace(monotonic=lambda: 1000.0), list[float]()
    monkeypatch.setattr(measured, "time", clock)
    monkeypatch.setattr(measured, "lent_children", lambda *_given: Starting())
    monkeypatch.setattr(measured, "lent_child", lambda *_given: Starting())
    monkeypatch.setattr(MeasuredSearchRun, "_plain", lambda *_given: Candidate(PLAIN, problem))
    monkeypatch.setattr(measured, "Stopwatch", lambda *_given, **_named: Starting())
    monkeypatch.setattr(
        MeasuredSearchRun, "_explore", lambda _one, _watch, made, _plain: ends.append(made.makers.until)
    )
    for name in ("_tune", "_compare"):
        monkeypatch.setattr(MeasuredSearchRun, name, lambda *_given: None)
    monkeypatch.setattr(Verifying, "begin_beside", lambda *_given: None)
    monkeypatch.setattr(MeasuredSearchRun, "_verified", lambda one: one.entries[0])
    prepared: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    options = {"evaluate": lambda *_given: (), "prepare": lambda *given: prepared.put(given)}
    one = race(problem, None, tmp_path, Spending(3, 1, 8, 100.0), **options)
    one.run()
    assert prepared.get(timeout=600.0) == (problem.reference, RUNGS)
    # Half of the seconds are left then, though they would be over sooner.
    assert ends == [1060.0 + 50.0 * measured.MADE_BY] and one.notes()["seconds"]["starting"] == 60.0


def test_times_with_a_hot_cache_are_not_taken_for_those_with_a_cold_one(tmp_path: Path) -> None:
    module = lowered("a.sum(1)", [(8, 400, 500)])
    bare = replace(module, kernels=(), launcher=None)

    def taken(cache: str, us: float) -> list[float]:
        run = race(bare, None, tmp_path, Spending(3, 1, 8, 0.0), evaluate=lambda *_given: ())
        run.cache = cache
        watch: Any = _Clock(lambda _meta: us)
        return [run._measured(watch, module).whole_us for _ in range(2)]

    assert (taken("cold", 10.0), taken("hot", 4.0)) == ([10.0] * 2, [4.0] * 2)
    assert (taken("cold", 99.0), taken("hot", 99.0)) == ([10.0] * 2, [4.0] * 2)


def test_rivals_are_verified_other_kernels_before_other_launch_options(tmp_path: Path) -> None:
    module, judged = lowered("a.sum(1)", [(8, 400, 500)]), list[str]()

    def evaluate(modules: Iterable[KernelModule], _rungs: object) -> Iterator[Verdict]:
        for one in modules:
            judged.append(one.digest)
            yield Verdict(Status.OK, Rung.INTERPRET, rungs=RUNGS)

    def candidate(spec: str) -> Candidate:
        return Candidate(spec, begun_with(module, f"{spec} = 0"))

    run = race(replace(module, kernels=(), launcher=None), None, tmp_path, Spending(3, 1, 8, 0.0), evaluate=evaluate)
    plain, best, other = candidate("plain"), candidate("best"), candidate("other")
    options, slow = candidate("options"), candidate("slow")
    entries = [(plain, plain, 10.0), (best, best, 5.0), (options, best, 5.5), (other, other, 9.0), (slow, slow, 20.0)]
    run.entries = [Entry(one, base, Measured({bench.WHOLE: us})) for one, base, us in entries]
    keeping = Keeping(run._verifying, run.entries, lambda _line: None, math.inf, 0.0)
    keeping.verify_rivals(run.entries[1], 2)
    assert judged == [other.digest, options.digest]
    replace(keeping, ends=0.0).verify_rivals(run.entries[3], 2)
    assert len(judged) == 2
