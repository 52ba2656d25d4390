"""What must hold of calls of libraries under `torch.compile(backend="kernelwright")`; on the bed, each alone."""

import re
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import swap_cases
import torch
from swap_cases import compiled, warnings_of
from torch import Tensor, nn

from kernelwright.backend.store.entry import Entry
from kernelwright.backend.store.store import Store
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.extraction.filling import entry_of
from kernelwright.driver.optimize.ranking import Recording, hope, ranked, recordings
from kernelwright.driver.optimize.running import Running
from kernelwright.driver.optimize.subjects import Model
from kernelwright.driver.torch_compile import regions
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.swap.live import exchange_all
from kernelwright.frontend.swap.problem import own_kernel, problem
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline

CASES: dict[str, Callable[[], None]] = {}


def run_all() -> dict[str, str]:
    """The traceback of each case; "" for one that holds."""
    discover()
    return swap_cases.run_all(among=CASES)


def case(function: Callable[[], None]) -> Callable[[], None]:
    CASES[function.__name__.replace("_", " ")] = function
    return function


class Two(nn.Module):
    """A depthwise convolution and a product, with a kernel of Inductor's behind each."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False)
        self.product = nn.Linear(8, 16, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.product(self.convolution(x).relu().mean((2, 3)).sigmoid()).relu()


def two(dtype: torch.dtype = torch.float32) -> tuple[nn.Module, Tensor]:
    return Two().eval().to(dtype), torch.randn(2, 8, 7, 9).to(dtype)


def calls(model: nn.Module, *inputs: Tensor, mode: str = "eval") -> dict[str, Recording]:
    """The calls of libraries in a model, by the operation's name."""
    with Running(Model(model, inputs, mode)) as running:
        found = recordings(running.graphs)
        return {found[key][0].name.split("_")[1]: found[key] for key in running.places if _is_library(found[key])}


def _is_library(recording: Recording) -> bool:
    return recording[0].name.startswith("library_")


def verified(recording: Recording, passes: str) -> Entry:
    """An entry for a kernel that passes make, judged."""
    evaluator = LocalEvaluator("interpreter", use_gpu=False)
    try:
        module = problem(recording[0], recording[1].spreads)
        own = own_kernel(recording[0], module, "interpreter")
        assert own.launcher is not None and "aten." in own.launcher.source and evaluator.evaluate(own).ok
        made = parse_pipeline(passes).run(module, Context(target="h200"))
        verdict = evaluator.evaluate(made)
        assert verdict.ok, verdict
        return entry_of(*recording, "interpreter", made, verdict, passes)
    finally:
        evaluator.close()


PASSES = {
    "convolution": "lower-inductor{channels_last=false},depthwise-conv",
    "mm": "lower-inductor,triton-matmul",
}


def kept(model: nn.Module, x: Tensor, change: Callable[[str], str] = str) -> dict[str, Entry]:
    """Entries for a model's calls, put into the user's store with another text."""
    found = {name: verified(one, PASSES[name]) for name, one in calls(model, x).items()}
    assert found.keys() == PASSES.keys()
    for name, entry in found.items():
        found[name] = Entry(**{**vars_of(entry), "replacement": change(entry.replacement)})
        assert Store.open().put(found[name])
    return found


def doubled(text: str) -> str:
    """A text all of whose values stored are twice as large."""
    return re.sub(r"(?m)^( *tl\.store\(.*), (acc\w*), ", r"\1, 2 * \2, ", text)


def vars_of(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in entry.__dataclass_fields__}


def runs() -> dict[str, tuple[str, str]]:
    """What runs for each call of a library, and why."""
    swaps = [swap for region in regions() for swap in region.swaps if swap.name.startswith("library_")]
    return {swap.name.split("_")[1]: (swap.runs, swap.why) for swap in swaps}


def close(one: Tensor, other: Tensor) -> None:
    torch.testing.assert_close(one, other, rtol=1e-2 if one.dtype is torch.float16 else 1e-5, atol=1e-3)


@case
def verified_kernels_take_the_places_of_library_calls() -> None:
    for dtype in (torch.float32, torch.float16):
        model, x = two(dtype)
        with torch.no_grad():
            made = kept(model, x)
            assert {entry.form for entry in made.values()} == {"kernel"}
            call = compiled(model)
            for value in (x, 2 * x):
                close(call(value), model(value))
        assert runs() == dict.fromkeys(PASSES, ("kernelwright", "verified")), runs()
        torch.compiler.reset()


@case
def what_the_store_has_is_what_runs_and_inductor_beside_it_is_as_ever() -> None:
    model, x = two()
    with torch.no_grad():
        kept(model, x, doubled)
        ours, plain = compiled(model), torch.compile(model)
        twice = 2 * model.product((2 * model.convolution(x).relu().mean((2, 3))).sigmoid()).relu()
        close(ours(x), twice)
        close(plain(x), model(x))
        close(ours(x), twice)


@case
def the_first_replacement_of_a_librarys_call_runs_in_what_is_compiled_next() -> None:
    model, x = two()
    with torch.no_grad():
        found = kept(model, x, doubled)["mm"]
        for entry in list((store := Store.open()).entries()):
            store.remove(entry)
        close(compiled(model)(x), model(x))
        assert not runs()
        assert store.put(found)
        close(compiled(lambda given: model(given))(x), 2 * model(x))
        assert runs() == {
            "mm": ("kernelwright", "verified"),
            "convolution": ("inductor", "the store has nothing for it"),
        }


@case
def looking_for_libraries_calls_uses_no_entry() -> None:
    model, x = two()
    asked, find = list[str](), Store.find

    def finding(store: Store, key: str, *rest: Any) -> Entry | None:
        asked.append(key)
        return find(store, key, *rest)

    with torch.no_grad():
        made = kept(model, x)
        with patch.object(Store, "find", finding):
            compiled(torch.exp)(torch.randn(9))
    assert asked and not set(asked) & {entry.key for entry in made.values()}


@case
def one_that_fails_gives_way_to_the_library_with_a_warning() -> None:
    model, x = two()
    with torch.no_grad():
        kept(model, x, lambda text: text.replace("tl.store(", "tl.no_such_operation("))
        with warnings_of("kernelwright.swap") as lines:
            call = compiled(model)
            for value in (x, 2 * x):
                close(call(value), model(value))
        assert len(lines) == 2 and all("library_" in line for line in lines), lines
    assert {one for one, _ in runs().values()} == {"inductor"}, runs()


@case
def what_is_admitted_later_is_exchanged() -> None:
    model, x = two()
    with torch.no_grad():
        found = kept(model, x, doubled)
        call = compiled(model)
        before = call(x)
        for entry in found.values():
            Store.open().remove(entry)
        entry = Entry(**{**vars_of(found["mm"]), "replacement": found["mm"].replacement.replace(", 2 * ", ", ")})
        assert exchange_all(entry) >= 1
        close(2 * call(x), before)


@case
def a_call_has_one_key_wherever_it_is() -> None:
    model, x = two()
    with torch.no_grad():
        key = {name: one[0].key for name, one in calls(model, x).items()}
        other = nn.Sequential(nn.Sigmoid(), nn.Linear(8, 16, bias=False), nn.Sigmoid()).eval()
        assert calls(other, torch.randn(2, 8))["mm"][0].key == key["mm"]
        for wider in (torch.randn(3, 8), torch.randn(2, 8).bfloat16()):
            assert calls(other.to(wider.dtype), wider)["mm"][0].key != key["mm"]


class Sliced(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x.sigmoid() + torch.mm(y[:, 1:], x)


@case
def what_is_no_places_stays_the_librarys() -> None:
    given: Sequence[tuple[str, nn.Module, Sequence[Tensor]]] = [
        ("unaligned", Sliced().eval(), (torch.randn(8, 8), torch.randn(8, 9))),
        ("fp64", Sliced().eval(), (torch.randn(8, 8).double(), torch.randn(8, 9).double())),
    ]
    for name, model, inputs in given:
        with torch.no_grad():
            assert not calls(model, *inputs), name


@case
def sizes_that_change_leave_all_calls_to_libraries() -> None:
    model, x = two()
    with torch.no_grad():
        kept(model, x)
        call = compiled(model, dynamic=True)
        for count in (2, 5):
            value = torch.randn(count, 8, 7, 9)
            close(call(value), model(value))
    assert not runs(), runs()


@case
def training_has_the_calls_of_both_passes() -> None:
    model, x = two()
    found = calls(model.train(), x, mode="train")
    assert "mm" in found and "convolution" in found
    with Running(Model(model, (x,), "train")) as running:
        names = [place.name for places in running.places.values() for place in places if place.opened]
    assert sum("mm" in name for name in names) == 3, names  # a product, and two for its gradients


@case
def products_of_16_bits_are_hoped_less_of() -> None:
    model, x = two(torch.bfloat16)
    with torch.no_grad(), Running(Model(model, (x,), "eval")) as running:
        kernels, _ = ranked(running, "h200")
        found = recordings(running.graphs)
        for key, kernel in kernels.items():
            assert hope(found[key][0]) == (0.1 if kernel.name.startswith("library_mm") else 1.0), kernel.name
