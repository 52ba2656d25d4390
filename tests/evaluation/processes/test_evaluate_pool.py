"""The pool: order, back-pressure, replacement of broken workers, and an end that leaves nothing behind."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from broken_kernels import program
from processes import descendants

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.judge.local import Checks, LocalEvaluator
from kernelwright.evaluation.judge.truth import Truth, TruthKeeper
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item, LocalOptions, Pool, PoolClosedError
from kernelwright.evaluation.protocol.jobs import Describe
from kernelwright.evaluation.sandbox.parent import Limits, Sandbox, SandboxError
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)
OPTIONS = LocalOptions(seeds=1, memory_gb=4, use_gpu=False, seed=7)
SOFTMAX = program("torch.softmax(x, dim=-1)", "f32[4, 33]", "f32[4, 33]", "torch.randn")
DOUBLE = program("x * 2.0", "f32[4, 33]", "f32[4, 33]")
CANDIDATE = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + row * columns + i, e / tl.sum(e, 0), mask=i < columns)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = torch.empty_like(x)
        softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
        return out
"""
WRONG = CANDIDATE.replace("e / tl", "e * tl")
OUTSIDE = CANDIDATE.replace("return out", "return torch.softmax(x, -1)")
WILD = CANDIDATE.replace("i < columns)\n\n", "i < columns + 1)\n\n")
ENDLESS = CANDIDATE.replace("    e = tl", "    for _ in range(1 << 40):\n        x += 0.0\n    e = tl")
#: Texts and what must become of them.
MIXED = (
    (CANDIDATE, SOFTMAX, Status.OK),
    (WRONG, SOFTMAX, Status.MISMATCH),
    (OUTSIDE, SOFTMAX, Status.UNPARSED),
    (CANDIDATE, DOUBLE, Status.MISMATCH),
    (WILD, SOFTMAX, Status.RUNTIME_ERROR),
    ("def forward(:", SOFTMAX, Status.UNPARSED),
)


def mixed(count: int) -> list[tuple[Item, Status]]:
    """Items of every kind, each text once."""
    chosen = [MIXED[i % len(MIXED)] for i in range(count)]
    return [(Item(f"{text}\n# {i}", reference, RUNGS), want) for i, (text, reference, want) in enumerate(chosen)]


@pytest.fixture(scope="module", autouse=True)
def _forker() -> None:
    """What workers are forked from is there, and at rest, before anything is counted: it stays."""
    with Sandbox() as sandbox:
        assert not sandbox.run(Describe(gpu=False), (), 0, Limits()).failure


class Scripted:
    """A worker that does what its item's text says, and remembers it."""

    meeting = threading.Barrier(2)

    def __init__(self) -> None:
        self.judged: list[str] = []
        self.closed = False
        self.ending = threading.Event()

    def judge(self, item: Item) -> Verdict:
        assert isinstance(item.program, str) and not self.closed
        self.judged.append(item.program)
        if item.program == "broken" or (item.program == "broken once" and len(self.judged) > 1):
            raise SandboxError("broken")
        if item.program == "unjudgeable":
            raise UserError("unjudgeable")
        if item.program == "meet":
            self.meeting.wait()
        if item.program == "wait":
            self.ending.wait()
        return Verdict(Status.OK, Rung.PARSE, item.program)

    def interrupt(self) -> None:
        self.ending.set()

    def close(self) -> None:
        self.closed = True


class ScriptedPool(Pool):
    """A pool of such workers; `started` has all that there ever were."""

    def __init__(self, workers: int = 1) -> None:
        self.started: list[Scripted] = []
        super().__init__(self._another, workers)

    def _another(self) -> Scripted:
        self.started.append(Scripted())
        return self.started[-1]


def items(*texts: str) -> list[Item]:
    return [Item(text, SOFTMAX) for text in texts]


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, for ten seconds at most."""
    end = time.monotonic() + 10.0
    while not holds():
        assert time.monotonic() < end, "it never held"
        time.sleep(0.001)


def test_verdicts_come_in_order_from_real_workers_and_none_is_left() -> None:
    before = descendants(os.getpid())
    given = mixed(14)
    with EvaluatorPool(OPTIONS, 2) as pool:
        verdicts = list(pool.evaluate_many(item for item, _ in given))
        module = parse_module(CANDIDATE, reference=SOFTMAX, name="candidate")
        assert pool.evaluate(module, RUNGS).ok
        assert next(pool.evaluate_many([Item(module, SOFTMAX, RUNGS)])).ok
        # Two workers, each with at most one device process, which serves the next candidate as well.
        assert 2 <= len(descendants(os.getpid()) - before) <= 4
    assert [verdict.status for verdict in verdicts] == [want for _, want in given]
    assert verdicts[0].caliber["dialect"] is True
    assert descendants(os.getpid()) == before


def test_an_item_may_ask_for_another_dialect_setting() -> None:
    with EvaluatorPool(OPTIONS, 1) as pool:
        given = [Item(CANDIDATE, SOFTMAX, RUNGS, dialect) for dialect in (None, False, True)]
        assert [verdict.caliber["dialect"] for verdict in pool.evaluate_many(given)] == [True, False, True]


def test_little_is_read_ahead() -> None:
    taken = 0

    def source() -> Iterator[Item]:
        nonlocal taken
        for number in range(5000):
            taken += 1
            yield Item(str(number), SOFTMAX)

    with ScriptedPool(3) as pool:
        for given, verdict in enumerate(pool.evaluate_many(source()), 1):
            assert verdict.detail == str(given - 1)
            assert taken - given < 2 * pool.workers
    assert taken == 5000


def test_a_stream_that_is_left_early_leaves_the_pool_usable() -> None:
    with ScriptedPool(2) as pool:
        stream = pool.evaluate_many(items("a", "b", "c", "d", "e", "f", "g"))
        assert next(stream).detail == "a"
        del stream
        assert [verdict.detail for verdict in pool.evaluate_many(items("h", "i"))] == ["h", "i"]


def test_of_two_streams_the_older_goes_first() -> None:
    """What the older one reads late is judged before what of the newer one has waited for longer."""
    late = threading.Event()

    def older() -> Iterator[Item]:
        yield from items("wait")
        late.wait(10.0)
        yield from items("older")

    with ThreadPoolExecutor(2) as threads, ScriptedPool() as pool:
        streams = [threads.submit(list, pool.outcomes(older()))]
        until(lambda: pool.started[0].judged == ["wait"])
        streams.append(threads.submit(list, pool.outcomes(items("newer", "newest"))))
        until(lambda: len(pool._waiting) == 2)
        late.set()
        until(lambda: len(pool._waiting) == 3)
        pool.started[0].ending.set()
        assert [len(stream.result()) for stream in streams] == [2, 2]
    assert pool.started[0].judged == ["wait", "older", "newer", "newest"]


def test_a_broken_worker_is_replaced_and_its_item_judged() -> None:
    with ScriptedPool() as pool:
        details = [verdict.detail for verdict in pool.evaluate_many(items("a", "broken once", "b"))]
    assert details == ["a", "broken once", "b"]
    assert [worker.judged for worker in pool.started] == [["a", "broken once"], ["broken once", "b"]]
    assert all(worker.closed for worker in pool.started)


def test_an_item_that_breaks_two_workers_is_an_error_in_its_place() -> None:
    with ScriptedPool() as pool:
        given = [*items("a", "broken", "unjudgeable"), UserError("no item"), *items("b")]
        outcomes = list(pool.outcomes(given))
        assert [str(o.detail if isinstance(o, Verdict) else o) for o in outcomes] == [
            "a",
            "broken",
            "unjudgeable",
            "no item",
            "b",
        ]
        assert isinstance(outcomes[1], SandboxError)
        stream = pool.evaluate_many(items("a", "unjudgeable", "b"))
        assert next(stream).detail == "a"
        with pytest.raises(UserError, match="unjudgeable"):
            next(stream)


def test_a_reference_stays_with_the_worker_that_knows_it() -> None:
    with ScriptedPool(2) as pool:
        list(pool.evaluate_many([Item("meet", SOFTMAX), Item("meet", DOUBLE)]))  # one each
        for reference in (SOFTMAX, DOUBLE, SOFTMAX, DOUBLE, DOUBLE):
            list(pool.evaluate_many([Item(reference.source, reference)]))
    assert sorted((len(worker.judged), len(set(worker.judged))) for worker in pool.started) == [(3, 2), (4, 2)]


def test_a_closed_pool_says_so_to_whoever_waits() -> None:
    pool = ScriptedPool()
    caught: list[BaseException] = []

    def consume() -> None:
        try:
            list(pool.evaluate_many(items("wait", "a", "b")))
        except PoolClosedError as error:
            caught.append(error)

    consumer = threading.Thread(target=consume)
    consumer.start()
    until(lambda: pool.started[0].judged == ["wait"])
    waiting = pool.submit(*items("c"))
    pool.close()
    pool.close()
    consumer.join()
    assert len(caught) == 1 and pool.started[0].closed
    assert waiting.cancelled()
    with pytest.raises(PoolClosedError):
        list(pool.evaluate_many(items("a")))


def test_an_interrupt_ends_running_jobs_and_all_their_processes() -> None:
    before = descendants(os.getpid())
    pids: set[int] = set()

    def endless() -> Iterator[Item]:
        yield Item(ENDLESS, SOFTMAX, RUNGS)
        while len(pids) < 2:  # the worker, and the child that runs the job
            pids.update(descendants(os.getpid()) - before)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), EvaluatorPool(LocalOptions(timeout_s=3600, use_gpu=False), 1) as pool:
        list(pool.evaluate_many(endless()))
    assert descendants(os.getpid()) == before


def test_an_evaluator_that_does_not_start_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[LocalEvaluator] = []

    def failing(*_: object, **__: object) -> Verdict:
        raise SandboxError("does not start")

    def build(self: LocalOptions, checks: Checks) -> LocalEvaluator:
        evaluator = LocalEvaluator(seeds=self.seeds, use_gpu=False, checks=checks)
        if not started:
            monkeypatch.setattr(evaluator, "evaluate_text", failing)
        started.append(evaluator)
        return evaluator

    monkeypatch.setattr(LocalOptions, "build", build)
    with EvaluatorPool(OPTIONS, 1) as pool:
        (verdict,) = pool.evaluate_many([Item(CANDIDATE, SOFTMAX, RUNGS)])
    assert verdict.ok and len(started) == 2


@pytest.mark.parametrize("breaks", [False, True])
def test_a_reference_runs_once_for_all_workers(monkeypatch: pytest.MonkeyPatch, breaks: bool) -> None:
    """Also where the first to run it cannot: another one does, as does whoever replaces the first."""
    ran: list[Sandbox] = []
    together, find = threading.Barrier(2), TruthKeeper._find
    get = TruthKeeper.get

    def met(self: TruthKeeper, reference: Reference, device: str, sandbox: Sandbox, *rest: tuple[float, ...]) -> Truth:
        with contextlib.suppress(threading.BrokenBarrierError):
            together.wait(20)
            together.abort()  # those that come later do not wait
        return get(self, reference, device, sandbox, *rest)

    def counted(
        self: TruthKeeper, reference: Reference, device: str, sandbox: Sandbox, draws: tuple[Draw, ...]
    ) -> Truth:
        ran.append(sandbox)
        if breaks and len(ran) == 1:
            raise SandboxError("its worker died")
        return find(self, reference, device, sandbox, draws)

    monkeypatch.setattr(TruthKeeper, "get", met)
    monkeypatch.setattr(TruthKeeper, "_find", counted)
    with EvaluatorPool(OPTIONS, 2) as pool:
        verdicts = list(pool.evaluate_many([Item(CANDIDATE, SOFTMAX, RUNGS), Item(f"{CANDIDATE}\n", SOFTMAX, RUNGS)]))
    assert all(verdict.ok for verdict in verdicts)
    assert len(ran) == 1 + breaks


def test_a_pool_needs_a_worker() -> None:
    with pytest.raises(UserError, match="workers=0"):
        EvaluatorPool(OPTIONS, 0)
