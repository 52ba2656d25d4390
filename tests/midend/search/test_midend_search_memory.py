"""What searches of other programs found: who is like whom, and what a search begins with."""

from dataclasses import replace
from pathlib import Path

import pytest
from programs import lowered

from kernelwright.driver.config.discovery import discover
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search import processes
from kernelwright.midend.search.beginnings import beginnings, best_of_each, early_lowerings, worth_measuring
from kernelwright.midend.search.frontier import Frontier
from kernelwright.midend.search.memory import MOST_UNLIKE, Found, Likeness, PastWinners
from kernelwright.midend.search.services import SearchServices
from kernelwright.midend.search.space import PLAIN, Candidate, Space, lowerings, run_step
from kernelwright.midend.search.tuning import Entry, Measured
from kernelwright.midend.search.waiting import Waiting

TARGET = "h200"


def found(module: KernelModule, winner: str, gain: float = 2.0, losers: tuple[str, ...] = ()) -> Found:
    return Found(Space(module, Context(TARGET)).bare.digest, TARGET, Likeness.of(module), winner, gain, losers)


def test_programs_are_alike_by_their_operations_and_sizes():
    softmax, larger = (Likeness.of(lowered("torch.softmax(a, 1)", [shape])) for shape in ((64, 200), (128, 200)))
    other = Likeness.of(lowered("torch.relu(a) + 1.0", [(64, 200)]))
    assert softmax.unlike(softmax) == 0 < softmax.unlike(larger) < 0.2 < softmax.unlike(other)


def test_programs_are_alike_first_of_all_by_what_libraries_compute():
    kernels = {"load": 9, "exp": 3}
    product = Likeness({**kernels, "aten.mm.out": 1}, (10.0,))
    convolution = Likeness({**kernels, "aten.convolution.default": 1}, (10.0,))
    longer = Likeness({"load": 20, "sin": 5, "aten.mm.out": 1}, (10.0,))
    assert product.unlike(longer) < MOST_UNLIKE < product.unlike(convolution)


def test_memory_is_kept_and_what_is_broken_in_it_is_not_there(tmp_path: Path):
    path = tmp_path / "memory.jsonl"
    module = lowered("torch.softmax(a, 1)", [(64, 200)])
    PastWinners(path).add(found(module, "lower-inductor,persistent-rows", losers=("lower-inductor{tiles=1}",)))
    path.write_text(path.read_text() + '\n{"program": 3}\n[]\nnull\nno')
    memory = PastWinners(path)
    assert [one.winner for one in memory.found] == ["lower-inductor,persistent-rows"]
    assert memory.found[0] == found(module, "lower-inductor,persistent-rows", losers=("lower-inductor{tiles=1}",))
    path.unlink()
    (path / "in the way").mkdir(parents=True)
    memory.add(found(module, "lower-inductor", 1.0))
    assert memory.path is None and len(memory.found) == 1  # the later one on the same program counts


def test_a_search_begins_with_what_won_on_its_like():
    like, given, unlike = (
        lowered(text, [shape])
        for text, shape in (
            ("torch.softmax(a, 1)", (64, 200)),
            ("torch.softmax(a, 1)", (96, 200)),
            ("a @ a.T", (64, 200)),
        )
    )
    memory = PastWinners()
    memory.add(found(like, 'lower-inductor{split=false},configure{configs="softmax: XBLOCK=2"}', losers=("slow", "b")))
    memory.add(found(unlike, "lower-inductor{tiles=1}"))
    memory.add(found(given, "lower-inductor,persistent-rows", 1.5, losers=("slow", "c")))

    def source(plain: KernelModule, target: str) -> list[str]:
        assert plain is given and target == TARGET
        return ["lower-inductor,cache-hints"]

    bare = Space(given, Context(TARGET)).bare
    ctx = Context(TARGET, services=(SearchServices(sources=(source,)),))
    first, last = beginnings(given, ctx, memory)
    assert first == (
        "lower-inductor,cache-hints",
        "lower-inductor,persistent-rows",
        'lower-inductor{split=false},configure{configs="softmax: XBLOCK=2",near=true}',
        "lower-inductor{split=false}",
    )  # all with launch options, before any without
    assert last == {"slow"}
    memory.add(found(given, 'lower-inductor,persistent-rows,configure{configs="?"}'))
    assert beginnings(given, ctx, memory)[0][1] == "lower-inductor,persistent-rows"
    without = Context(TARGET, services=(SearchServices(forgets=frozenset({bare.digest})),))
    assert "lower-inductor,persistent-rows" not in beginnings(given, without, memory)[0]
    assert beginnings(given, ctx, None) == (("lower-inductor,cache-hints",), ())


def test_lowerings_that_won_most_often_come_early():
    discover()
    given, other, third = (replace(lowered(f"a + {n}.0", [(4, 4)]), name=f"p{n}") for n in range(3))
    memory, ctx = PastWinners(), Context(TARGET)
    plain_first = lowerings()[:2]
    assert early_lowerings(ctx, None, 2) == early_lowerings(ctx, memory, 2) == plain_first
    memory.add(found(given, "lower-inductor{split=false},cache-hints"))
    memory.add(found(other, "lower-inductor{split=false}"))
    memory.add(found(third, "lower-inductor{tiles=1}", 1.0))
    assert early_lowerings(ctx, memory, 2) == ("lower-inductor{split=false}", plain_first[0])
    forgetful = Context(TARGET, services=(SearchServices(forgets=frozenset(one.program for one in memory.found)),))
    assert early_lowerings(forgetful, memory, 2) == plain_first


def test_pipelines_to_begin_with_are_made_right_after_the_plain_one():
    discover()
    module = replace(lowered("torch.softmax(a, 1)", [(16, 200)]), kernels=(), launcher=None)
    lowering = "lower-inductor{persistent=false}"
    first = (f"{lowering},cache-hints", f"{lowering},reverse-loops", "no-such-pass")
    space = Space(module, Context("h100"))
    frontier = Frontier(space, space.plain(), lambda _module: 0.0, 1, first)
    steps = [next(frontier) for _ in range(2 + len(first))]  # before all come the plain one's price, what simplifies it
    assert [step.spec for step in steps[2:]] == [first[0], lowering, "no-such-pass"]
    found = [one.spec for number, step in enumerate(steps) for one in frontier.came(number, run_step(step, space.ctx))]
    onward = next(frontier)
    assert onward.spec == "reverse-loops" and "no-such-pass" in space.failed
    found += [one.spec for one in frontier.came(len(steps), run_step(onward, space.ctx))]
    assert first[1] in found
    whole = parse_pipeline(first[1]).run(space.bare, space.ctx)
    made = run_step(onward, space.ctx).module
    assert made is not None and space.fitted(whole).digest == space.fitted(made).digest


def test_each_kernel_gets_the_options_with_which_it_was_fastest():
    module = lowered("torch.softmax(a.sum(1) + 1.0, 0)", [(64, 300)])
    symbols = [kernel.symbol for kernel in module.kernels if kernel.meta]
    assert len(symbols) == 2

    def with_warps(*warps: int) -> KernelModule:
        chosen = dict(zip(symbols, warps, strict=True))
        metas = {one: tuple((dict(module.kernel(one).meta) | {"num_warps": chosen[one]}).items()) for one in symbols}
        kernels = [replace(one, meta=metas.get(one.symbol, one.meta)) for one in module.kernels]
        return replace(module, kernels=tuple(kernels))

    plain, other = Candidate(PLAIN, with_warps(4, 4)), Candidate("other", with_warps(8, 16))
    us = ({"": 9.0, symbols[0]: 5.0, symbols[1]: 4.0}, {"": 8.0, symbols[0]: 6.0, symbols[1]: 2.0})
    entries = [Entry(one, plain, Measured(times)) for one, times in zip((plain, other), us, strict=True)]
    assert worth_measuring(entries[0], other.module) == tuple(symbols)
    longer = Entry(plain, plain, Measured({"": 90.0, symbols[0]: 5.0, symbols[1]: 40.0}))
    assert worth_measuring(longer, with_warps(8, 16)) == (symbols[1],) and not worth_measuring(longer, plain.module)
    best = best_of_each(entries)
    assert best is not None and best.module == with_warps(4, 16)
    assert best.spec == f'lower-inductor,configure{{configs="{symbols[1]}: {_spelt(best.module, symbols[1])}"}}'
    assert best_of_each(entries[:1]) is None


def _spelt(module: KernelModule, symbol: str) -> str:
    return " ".join(f"{name}={value}" for name, value in module.kernel(symbol).meta)


def test_what_is_promising_is_measured_first_and_what_is_hopeless_never():
    modules = [lowered(f"a + {number}.5", [(4, 4)]) for number in range(5)]
    price = {module.digest: us for module, us in zip(modules, (9.0, 1.0, 2.0, 50.0, 3.0), strict=True)}
    names = ("first", "cheap", "lost", "hopeless", "dear")
    waiting = Waiting(lambda module: price[module.digest], last={"lost"})
    candidates = [Candidate(name, module) for name, module in zip(names, modules, strict=True)]
    for one in candidates[1:]:
        waiting.put(one)
    waiting.put(candidates[0], first=True)
    assert waiting.left == 4 and waiting.pruned == 1
    waiting.end()
    taken = []
    while (one := waiting.take(float("inf"))) is not None:
        taken.append(one.spec)
    assert taken == ["first", "cheap", "dear", "lost"]
    assert waiting.take(0.0) is None and waiting.pruned == 1


@pytest.mark.parametrize(
    ("spec", "devices", "driver", "begins"),
    [
        ("search{seconds=15}", "0", True, True),
        ("lower-inductor,tune{trials=8}", "0", True, False),
        ("search{measure=model}", "0", True, False),
        ("search", "", True, False),
        ("search", "0", False, False),
    ],
)
def test_processes_begin_before_a_search_on_a_gpu_does(monkeypatch, tmp_path, spec, devices, driver, begins):
    discover()
    begun: list[tuple[object, ...]] = []
    monkeypatch.setattr(processes.pool, "begin", lambda *given: begun.append(given))
    monkeypatch.setattr(processes, "_DRIVER", tmp_path if driver else tmp_path / "none")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", devices)
    processes.begin(parse_pipeline(spec))
    assert [given[0] for given in begun] == [processes.workers_of(0)] * begins
