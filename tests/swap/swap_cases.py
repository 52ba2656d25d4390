"""What must hold under `torch.compile(backend="kernelwright")`: cases that one process on the bed runs, each alone.

Unless a case says otherwise, the store has a replacement for each kernel: Inductor's own text under another name, so
that results are Inductor's to the bit.
"""

import contextlib
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import entries
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import kernelwright as kernelwright_package
from kernelwright.backend.store.entry import Versions
from kernelwright.backend.store.lock import Lock, read_lock, write_lock
from kernelwright.backend.store.store import Store
from kernelwright.driver.torch_backend import kernelwright
from kernelwright.driver.torch_compile import Region, regions, reset
from kernelwright.frontend.swap.key import read

CASES: dict[str, Callable[[], None]] = {}
Case = Callable[[], None]


def case(function: Case) -> Case:
    CASES[function.__name__.replace("_", " ")] = function
    return function


def run_all(*only: str, among: Mapping[str, Case] = CASES) -> dict[str, str]:
    """The traceback of each case, or of those named; "" for one that holds."""
    found = {}
    for name, function in among.items():
        if only and name not in only:
            continue
        for entry in list((store := Store.open()).entries()):
            store.remove(entry)
        torch.manual_seed(0)
        torch.compiler.reset()
        try:
            function()
            found[name] = ""
        except Exception:  # noqa: BLE001 - whatever a case ends with
            found[name] = traceback.format_exc()
    return found


@contextlib.contextmanager
def warnings_of(name: str) -> Iterator[list[str]]:
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger(name)
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    made: Callable[..., Any] = torch.compile(function, backend=kernelwright, **options)
    return made


def swapped(function: Callable[..., Any], *inputs: Any, keep: bool = True, **options: Any) -> tuple[Any, list[Region]]:
    """The results of a function whose kernels are replaced, and its graphs."""
    given = [one.clone() if isinstance(one, Tensor) else one for one in inputs]
    if keep:
        entries.keep(entries.generated(lambda: torch.compile(function, **options)(*given)))
    result = compiled(function, **options)(*inputs)
    return result, list(regions())


def run_of_ours(work: Callable[[], object]) -> list[str]:
    """The functions of this project's packages that run in this thread."""
    root = Path(kernelwright_package.__file__).parent.parent
    packages = tuple(f"{root / name}/" for name in ("kernelwright", "ir", "frontend", "midend", "backend"))
    ran: list[str] = []

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(packages):
            ran.append(frame.f_code.co_qualname)

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return ran


def peak_of(work: Callable[[], object]) -> int:
    """By how many bytes the process's memory grows at most, of what it holds at the beginning."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _memory("VmRSS")
    work()
    return _memory("VmHWM") - before


def _memory(which: str) -> int:
    status = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(1024 * int(line.split()[1]) for line in status if line.startswith(which))


def all_replaced(found: list[Region]) -> None:
    assert [region.runs for region in found] == ["kernelwright"] * len(found) != [], [str(one) for one in found]
    assert all(region.replaced == len(region.swaps) for region in found), [str(one) for one in found]


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 8))


@case
def inference() -> None:
    model, x = mlp(), torch.randn(5, 16)
    with torch.no_grad():
        result, found = swapped(model, x)
        torch.testing.assert_close(result, model(x))
    all_replaced(found)
    assert str(found[0]).endswith("kernelwright, 1 of 1 kernels replaced")
    assert len(found[0].swaps[0].key) == len(found[0].swaps[0].pick) == 64


@case
def what_the_store_has_is_what_runs() -> None:
    x = torch.randn(9)
    entries.keep(entries.generated(lambda: torch.compile(torch.exp)(x)), entries.doubled)
    torch.testing.assert_close(compiled(torch.exp)(x), 2 * x.exp())


@case
def host_code_takes_a_kernels_place() -> None:
    def function(x: Tensor) -> Tensor:
        return x.sin() + 1

    x = torch.randn(9)
    text = "def forward_into(x, out):\n    torch.add(aten.cos(x), 1, out=out)\n"
    kernels = entries.generated(lambda: torch.compile(function)(x))
    entries.keep(kernels, lambda _source: text, form="host", order=(0, 1))
    run = compiled(function)
    for value in (x, 2 * x):
        torch.testing.assert_close(run(value), value.cos() + 1)
    all_replaced(list(regions()))


@case
def training_also_where_the_backward_pass_runs_in_another_thread() -> None:
    model, x = mlp(), torch.randn(5, 16)
    ours = compiled(model)

    def step(run: Callable[..., Any]) -> list[Tensor | None]:
        model.zero_grad()
        loss = run(x).square().sum()
        if run is ours:
            thread = threading.Thread(target=loss.backward)
            thread.start()
            thread.join()
        else:
            loss.backward()
        return [parameter.grad for parameter in model.parameters()]

    entries.keep(entries.generated(lambda: step(torch.compile(model))))
    with entries.without_caches():
        got = step(ours)
        found = list(regions())
    torch.testing.assert_close(got, step(model))
    all_replaced(found)
    assert {swap.backward for swap in found[0].swaps} == {True, False}


@case
def kernels_of_one_name_in_both_passes() -> None:
    """The cache gives both passes at once."""

    def product(x: Tensor, y: Tensor) -> Tensor:
        return x * y

    def step(call: Callable[..., Any]) -> bool:
        x, y, gradient = (torch.randn(32, 16, requires_grad=number < 2) for number in range(3))
        result = call(x, y)
        result.backward(gradient)
        assert x.grad is not None and y.grad is not None
        pairs = (result, x * y), (x.grad, gradient * y), (y.grad, gradient * x)
        return all(torch.allclose(one, other) for one, other in pairs)

    kernels = entries.generated(lambda: step(torch.compile(product)))
    assert len({one.name for one in kernels}) == 1 and len(entries.keep(kernels)) == 2
    counted = torch._dynamo.utils.counters["aot_autograd"]
    for hits in range(2):
        torch.compiler.reset()
        counted.clear()
        assert step(compiled(product)), hits
        assert counted["autograd_cache_hit"] == hits
        (region,) = regions()
        assert region.replaced == len(region.swaps) == 2, region.swaps


@case
def autocast() -> None:
    model, x = mlp(), torch.randn(5, 16)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        result, found = swapped(model, x)
        torch.testing.assert_close(result, torch.compile(model)(x), rtol=0, atol=0)
    all_replaced(found)


@case
def sizes_that_change_are_left_to_inductor() -> None:
    model = mlp()
    with torch.no_grad():
        entries.keep(entries.generated(lambda: torch.compile(model, dynamic=True)(torch.randn(5, 16))))
        run = compiled(model, dynamic=True)
        for rows in (5, 7, 3):
            x = torch.randn(rows, 16)
            torch.testing.assert_close(run(x), model(x))
    (swap,) = regions()[0].swaps
    assert swap.runs == "inductor" and "may change from call to call" in swap.why, swap


@case
def two_batch_sizes() -> None:
    model = mlp()
    with torch.no_grad():
        for rows in (5, 7):
            torch.compiler.reset()
            x = torch.randn(rows, 16)
            result, found = swapped(model, x, dynamic=False)
            torch.testing.assert_close(result, model(x))
            all_replaced(found)


@case
def vmap_inside_a_graph() -> None:
    x, w = torch.randn(3, 4), torch.randn(4, 4)

    def function(x: Tensor, w: Tensor) -> Tensor:
        return torch.vmap(lambda row: (row @ w).softmax(-1))(x)

    result, found = swapped(function, x, w, fullgraph=True)
    torch.testing.assert_close(result, function(x, w))
    all_replaced(found)


@case
def a_gradient_inside_a_graph() -> None:
    x, w = torch.randn(3, 4), torch.randn(4, 4)

    def function(x: Tensor, w: Tensor) -> Tensor:
        return torch.func.grad(lambda w: (x @ w).relu().sum())(w)

    result, found = swapped(function, x, w, fullgraph=True)
    torch.testing.assert_close(result, function(x, w))
    all_replaced(found)


@case
def gradients_that_are_enabled_under_no_grad() -> None:
    w = torch.randn(4, 4, requires_grad=True)

    def function(x: Tensor) -> Tensor:
        with torch.enable_grad():
            return (x @ w).tanh().sum()

    x = torch.randn(3, 4)
    with torch.no_grad():
        loss, _ = swapped(function, x)
        assert loss.requires_grad
        got, wanted = torch.autograd.grad(loss, w), torch.autograd.grad(function(x), w)
    torch.testing.assert_close(got, wanted)


@case
def subclasses_of_tensors() -> None:
    from torch.testing._internal.two_tensor import TwoTensor

    x = TwoTensor(torch.randn(4, 8), torch.randn(4, 8))

    def function(x: Tensor) -> Tensor:
        return x.sin() * 2

    result, found = swapped(function, x)
    assert isinstance(result, TwoTensor)
    torch.testing.assert_close((result.a, result.b), (x.a.sin() * 2, x.b.sin() * 2))
    all_replaced(found)


@case
def attention_stays_one_operation() -> None:
    from torch._inductor.utils import run_and_get_code

    q, k, v = (torch.randn(1, 2, 16, 8, dtype=torch.bfloat16) for _ in range(3))

    def function(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True) + 1

    with torch.no_grad():
        plain, theirs = run_and_get_code(torch.compile(function), q, k, v)
        torch.compiler.reset()
        result, ours = run_and_get_code(compiled(function), q, k, v)
    assert "_scaled_dot_product" in ours[0] and ".mm" not in ours[0]
    assert ours == theirs and torch.equal(result, plain)


@case
def a_graph_without_a_kernel() -> None:
    x = torch.randn(4, 8)
    result = compiled(lambda x: x @ x.t())(x)
    torch.testing.assert_close(result, x @ x.t())
    (region,) = regions()
    assert (region.runs, region.why, region.swaps) == ("inductor", "it has no Triton kernel", ())


@case
def later_calls_run_nothing_of_this_project() -> None:
    def function(x: Tensor) -> Tensor:
        return (x.relu() + 1).sum(-1)

    x = torch.randn(4, 8)
    entries.keep(entries.generated(lambda: torch.compile(function)(x)))
    run = compiled(function)
    assert run_of_ours(lambda: run(x)) != []
    assert (later := run_of_ours(lambda: run(x))) == [], later
    all_replaced(list(regions()))


@case
def a_compile_takes_no_copies_of_weights() -> None:
    """Once it printed statistics of each weight in fp64, which took 4.4 times the weights."""
    model, x = nn.Sequential(nn.Linear(4096, 4096), nn.GELU()), torch.randn(1, 4096)
    weights = sum(one.nbytes for one in model.parameters())
    with torch.no_grad():
        theirs = peak_of(lambda: torch.compile(model)(x))
        torch.compiler.reset()
        ours = peak_of(lambda: compiled(model)(x))
    assert regions()[0].swaps and ours < theirs + weights / 2


@case
def what_the_store_lacks_says_so() -> None:
    compiled(torch.sin)(torch.randn(7))
    (swap,) = regions()[0].swaps
    assert swap.runs == "inductor" and swap.why == "the store has nothing for it"


@case
def errors_at_the_first_call_leave_arguments_and_run_inductors_kernel() -> None:
    def function(x: Tensor) -> Tensor:
        return x.add_(1.0).sin()

    x = torch.randn(9)
    kernels = entries.generated(lambda: torch.compile(function)(x.clone()))
    order = tuple(range(len(read(kernels[0].source).pointers)))
    text = "def forward_into(*buffers):\n    buffers[-1].zero_()\n    raise RuntimeError('out of resource')\n"
    entries.keep(kernels, lambda _source: text, form="host", order=order)
    run = compiled(function)
    with warnings_of("kernelwright.swap") as lines:
        for _ in range(2):
            mine, eager = x.clone(), x.clone()
            torch.testing.assert_close(run(mine), function(eager))
            torch.testing.assert_close(mine, eager)
    assert len(lines) == 1 and "RuntimeError: out of resource" in lines[0], lines
    (swap,) = regions()[0].swaps
    assert swap.runs == "inductor" and "out of resource" in swap.why, swap


@case
def a_replacement_that_does_not_compile() -> None:
    x = torch.randn(9)
    kernels = entries.generated(lambda: torch.compile(torch.exp)(x))
    entries.keep(kernels, lambda source: entries.same(source).replace("tl.store(", "tl.no_such_thing("))
    with warnings_of("kernelwright.swap") as lines:
        torch.testing.assert_close(compiled(torch.exp)(x), x.exp())
    assert len(lines) == 1 and "no_such_thing" in lines[0], lines


@case
def arguments_that_are_changed_in_place() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        x.add_(y)
        y.mul_(2.0)
        return x.sin()

    x, y = torch.randn(5, 7), torch.randn(5, 7)
    eager = [x.clone(), y.clone()]
    result, found = swapped(function, x, y)
    torch.testing.assert_close((result, x, y), (function(*eager), *eager))
    all_replaced(found)


@case
def dropout_has_one_mask_in_both_passes() -> None:
    def function(x: Tensor) -> Tensor:
        return F.dropout(x.sin(), 0.5, training=True)

    x = torch.rand(64, requires_grad=True)
    entries.keep(entries.generated(lambda: torch.compile(function)(x).sum().backward()))
    results = []
    for backend in ("inductor", kernelwright):
        torch.compiler.reset()
        torch.manual_seed(3)
        out = torch.compile(function, backend=backend)(x)
        (gradient,) = torch.autograd.grad(out.sum(), x)
        assert torch.equal(gradient != 0, out != 0) and 10 < int((out == 0).sum()) < 54
        results.append((out.detach(), gradient))
    assert all(map(torch.equal, *results))


@case
def a_wrong_kernel_beside_dropout() -> None:
    def function(x: Tensor) -> Tensor:
        # The pass for gradients computes all of it again.
        made: Tensor = checkpoint(lambda x: F.dropout(x.sin(), 0.5, training=True), x, use_reentrant=False)
        return made

    x = torch.rand(64, requires_grad=True)
    kernels = entries.generated(lambda: torch.compile(function)(x).sum().backward())
    for wrong in kernels:  # one pass in eager mode, the other one Inductor's
        for entry in list((store := Store.open()).entries()):
            store.remove(entry)
        entries.keep([wrong], kind="wrong", operation="aten.sin")
        with entries.without_caches():
            out = compiled(function)(x)
            (gradient,) = torch.autograd.grad(out.sum(), x)
            (region,) = regions()
        assert "eager" in {swap.runs for swap in region.swaps}
        assert torch.equal(gradient != 0, out != 0) and 10 < int((out == 0).sum()) < 54


@case
def a_known_wrong_kernel_is_not_run() -> None:
    def function(x: Tensor) -> Tensor:
        return torch.arange(0, 4) * 1500000000 + x

    x = torch.zeros(4, dtype=torch.int64)
    entries.keep(entries.generated(lambda: torch.compile(function)(x)), kind="wrong", operation="aten.arange")
    for _ in range(2):  # the second time the code comes from the cache of AOTAutograd
        torch.compiler.reset()
        torch.testing.assert_close(compiled(function)(x), function(x))
        (region,) = regions()
        assert region.runs == "eager" and region.why == "Inductor's code gives wrong values for aten.arange", region


@case
def a_known_wrong_kernel_of_a_backward_pass() -> None:
    def function(x: Tensor) -> Tensor:
        return x.sin().exp()

    x = torch.randn(6, requires_grad=True)
    kernels = entries.generated(lambda: torch.compile(function)(x).sum().backward())
    entries.keep(kernels[1:], kind="wrong", operation="aten.cos")
    entries.keep(kernels[:1])
    with warnings_of("kernelwright.torch_compile") as lines, entries.without_caches():
        run = compiled(function)
        for _ in range(2):
            (got,) = torch.autograd.grad(run(x).sum(), x)
            torch.testing.assert_close(got, torch.autograd.grad(function(x).sum(), x)[0])
        (region,) = regions()
    assert [swap.runs for swap in region.swaps] == ["kernelwright", "eager"], region.swaps
    assert len(lines) == 1 and "aten.cos" in lines[0], lines


@case
def plain_inductor_beside_it_in_threads() -> None:
    x = torch.randn(16)
    functions: list[Callable[[Tensor], Tensor]] = [lambda x: x.exp(), lambda x: x.tanh()]
    for function in functions:
        entries.keep(entries.generated(lambda f=function: torch.compile(f)(x)), entries.doubled)
    found: dict[tuple[int, bool], Tensor] = {}
    ready = threading.Barrier(4)

    def work(n: int, ours: bool) -> None:
        ready.wait()
        found[n, ours] = torch.compile(functions[n], backend=kernelwright if ours else "inductor")(x)

    threads = [threading.Thread(target=work, args=(n, ours)) for n in range(2) for ours in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (n, ours), result in found.items():
        torch.testing.assert_close(result, (1 + ours) * functions[n](x))
    assert len(found) == 4


@case
def nothing_of_it_is_left_in_inductor() -> None:
    from torch._inductor.async_compile import AsyncCompile
    from torch._inductor.codegen.triton import TritonScheduling

    swapped(torch.sin, torch.randn(11))
    assert AsyncCompile.triton.__module__ == "torch._inductor.async_compile"
    assert TritonScheduling.define_kernel.__module__ == "torch._inductor.codegen.triton"


@case
def regions_are_forgotten() -> None:
    swapped(torch.sin, torch.randn(12))
    assert len(regions()) == 1
    reset()
    assert regions() == ()
    compiled(torch.sin)(torch.randn(13))
    assert [region.index for region in regions()] == [0]
    torch.compiler.reset()
    assert regions() == ()


@case
def what_is_kept_later_runs_after_a_reset() -> None:
    x = torch.randn(14)
    compiled(torch.sin)(x)
    swapped(torch.sin, x)
    all_replaced(list(regions()))


@case
def a_mode_and_inductors_options_mean_what_they_mean_there() -> None:
    x = torch.randn(15)
    for given in (
        {"mode": "max-autotune-no-cudagraphs"},
        {"options": {"max_autotune": True, "epilogue-fusion": False}},
        {"options": {"mode": "max-autotune-no-cudagraphs", "store": str(Store.open().folder)}},
    ):
        torch.compiler.reset()
        seen: list[Any] = []

        def look(_graph: Any, seen: list[Any] = seen) -> None:
            config = torch._inductor.config
            seen.append((config.max_autotune, config.epilogue_fusion))

        with torch._inductor.config.patch(post_grad_custom_post_pass=look, fx_graph_cache=False):
            torch.testing.assert_close(compiled(torch.tanh, **given)(x), x.tanh())
        assert seen == [(True, "epilogue-fusion" not in given.get("options", {}))], seen


@case
def wrong_options() -> None:
    for options, message in {
        '{"stor": "x"}': "no option 'stor'; did you mean store",
        '{"max_autotun": True}': "did you mean max_autotune",
        '{"zzzzz": 1}': "its own are deterministic, hot, lock, mode, search, store, target",
        '{"target": "z80"}': "z80",
        '{"store": 3}': "store=3: give a path",
        '{"deterministic": "yes"}': "deterministic='yes': give True or False",
        '{"hot": 1}': "hot=1: give True or False",
        '{"mode": "fast"}': "fast",
        '{"max_autotune": "yes"}': "max_autotune",
        '{"lock": "/"}': "/",
    }.items():
        torch.compiler.reset()
        try:
            compiled(torch.tanh, options=eval(options))(torch.randn(3))
        except ValueError as error:
            assert message in str(error), error
        else:
            raise AssertionError(f"{options} was taken")


@case
def kernels_for_another_target_are_left_alone() -> None:
    _, found = swapped(torch.sin, x := torch.randn(21))
    all_replaced(found)
    for name, why in {
        "sm_90": "it is for interpreter",
        "h100": "it is for interpreter",
        "interpreter": "verified",
    }.items():
        torch.compiler.reset()
        torch.testing.assert_close(compiled(torch.sin, options={"target": name})(x), x.sin())
        assert [swap.why for swap in regions()[0].swaps] == [why]


@case
def a_second_store() -> None:
    x = torch.randn(17)
    kernels = entries.generated(lambda: torch.compile(torch.sin)(x))
    (entry,) = entries.keep(kernels, entries.doubled)
    user = Store.open()
    other = Store.open(user.folder.parent / "second")
    user.remove(entry)
    assert other.put(entry)
    torch.testing.assert_close(compiled(torch.sin)(x), x.sin())
    torch.compiler.reset()
    torch.testing.assert_close(compiled(torch.sin, options={"store": str(other.folder)})(x), 2 * x.sin())


def picked(**options: Any) -> tuple[str, Tensor]:
    """What runs for the kernel of a sine, and its result for one half."""
    torch.compiler.reset()
    result = compiled(torch.sin, options=options)(torch.full((18,), 0.5))
    return regions()[0].swaps[0].pick, result[0] / torch.tensor(0.5).sin()


@case
def a_lock_keeps_its_picks() -> None:
    lock = Store.open().folder.parent / "kernelwright.lock"
    kernels = entries.generated(lambda: torch.compile(torch.sin)(torch.full((18,), 0.5)))
    (first,) = entries.keep(kernels)
    assert picked(lock=str(lock)) == (first.pick, torch.tensor(1.0))
    assert read_lock(lock).picks == {first.key: first.pick}
    (second,) = entries.keep(kernels, entries.doubled)
    assert picked(lock=lock) == (first.pick, torch.tensor(1.0))
    assert picked() == (second.pick, torch.tensor(2.0))
    Store.open().remove(first)
    pick, scale = picked(lock=lock)
    assert (pick, float(scale)) == ("", 1.0) and "lacks" in regions()[0].swaps[0].why
    write_lock(lock, Lock("sm_90", Versions.installed(), {first.key: second.pick}))
    with warnings_of("kernelwright.torch_compile") as lines:
        assert picked(lock=lock)[0] == ""
    assert len(lines) == 1 and "it is for sm_90, and this is interpreter" in lines[0], lines
    # What is known to be wrong is not run, whatever a lock names.
    entries.keep(kernels, kind="wrong", operation="aten.sin")
    picked(lock=lock)
    assert regions()[0].runs == "eager"


@case
def a_deterministic_choice_is_the_cost_models() -> None:
    kernels = entries.generated(lambda: torch.compile(torch.sin)(torch.full((18,), 0.5)))
    (cheap,) = entries.keep(kernels, entries.doubled, certificate={"predicted_us": 1.0, "measured_us": 9.0})
    (dear,) = entries.keep(kernels, certificate={"predicted_us": 2.0, "measured_us": 1.0})
    assert picked()[0] == dear.pick
    assert picked(deterministic=True)[0] == cheap.pick
    Store.open().remove(cheap)
    assert Store.open().put(cheap)
    assert picked(deterministic=True)[0] == cheap.pick
