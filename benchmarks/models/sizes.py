"""Admitted kernels at other sizes than those that `optimize` was given, in models compiled for sizes that change.

    python -m benchmarks.models.sizes --only "bert-base bf16 eval,vit-b bf16 train" --budget 90

A model, or its training step, is optimised with `dynamic=True`, then compiled anew and called with four other batches,
or lengths where the batch is 1: two around the first one, and two beyond all sizes that are tried. At each launch of a
kernel that has replacements, whatever is chosen there, and each replacement that is for these sizes, gets copies of the
arguments, and so does Inductor's kernel: `apart` is how much they differ, relative to the largest value. A launch is at
`fault` where none of the kernel's certificates holds its sizes and ours is launched, or where one does and Inductor's
is.

OUT.journal gets every row as it is found, and the same command goes on from there. `--tiny` makes models small; without
a GPU all of it runs on the test bed, whose times say nothing: there each kernel that is verified is admitted.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.models.apart import apart
from benchmarks.models.campaign import campaign, options, status_of
from benchmarks.models.plan import TRAINED, WIDE

if TYPE_CHECKING:  # a process on the bed imports Triton only once it is set up
    from torch import Tensor

    from kernelwright.backend.store.entry import Entry
    from kernelwright.backend.store.store import Store
    from kernelwright.frontend.swap.hooks import OneOf
    from kernelwright.frontend.swap.live import Place

#: By how much results of 16 bits may differ, relative to the largest value; sums in another order are rounded anew.
ROUNDING = 2e-2
#: Kernels that are to be looked at in all, and models that are to use ours within its sizes.
KERNELS, MODELS = 40, 3
ON_BED = """\
import sys
from benchmarks.models.row import bed
bed().install()
from benchmarks.models.sizes import main
sys.exit(main(sys.argv[1:]))
"""


def other_sizes(size: int) -> dict[str, tuple[int, int]]:
    """Two sizes around one, and two beyond all that are tried for it."""
    above = 1 << (size - 1).bit_length()
    around = (max(2, above // 2 + 1), 2 * above - 1)
    return {"around": (around[0] if around[0] != size else 2 * above, around[1]), "beyond": (2 * above + 1, 5 * above)}


def resized(inputs: Sequence[Any], size: int) -> list[Any]:
    """Inputs with another batch, or another length where the batch is 1: what they hold, repeated and cut."""
    axis = _axis(inputs)
    return [one.repeat_interleave(-(-size // one.shape[axis]), axis).narrow(axis, 0, size) for one in inputs]


def _axis(inputs: Sequence[Any]) -> int:
    return 0 if inputs[0].shape[0] > 1 else 1


def work(name: str, dtype: str, mode: str, tiny: bool, budget: float, folder: Path) -> dict[str, Any]:
    """All about one model in one type and mode, in its own process."""
    import torch

    from benchmarks.models.cases import CASES, DTYPES
    from kernelwright.backend.store.entry import OTHER_SIZES
    from kernelwright.backend.store.store import Store
    from kernelwright.driver.extraction.modes import EVAL
    from kernelwright.driver.extraction.recording import run_once
    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.frontend.swap.hooks import OneOf
    from kernelwright.frontend.swap.live import places

    model, inputs = CASES[name].built(tiny, DTYPES[dtype])
    counts = _optimised(model, inputs, mode, budget, folder / "store")
    torch.compiler.reset()
    model.train(mode != EVAL)
    store, sides = Store.open(folder / "store"), other_sizes(inputs[0].shape[_axis(inputs)])
    ours = torch.compile(model, backend=kernelwright, dynamic=True, options={"store": str(folder / "store")})
    launches: list[dict[str, Any]] = []
    known = set[int]()
    for where, sizes in sides.items():
        for size in sizes:
            given, begun = resized(inputs, size), len(launches)
            for _ in range(2):  # the first call of a program is watched from its second one on
                del launches[begun:]
                run_once(ours, model, given, mode)
                for place in places():
                    if isinstance(place.found, OneOf) and id(place.found) not in known:
                        known.add(id(place.found))
                        _watch(place, place.found, store, launches)
            for one in launches[begun:]:
                one.update(where=where, size=size)
    entries = _in_use(store)
    return {
        "counts": dict(counts),
        "batches": sides,
        "admitted": Counter(_short(one.key) for one in entries),
        "tried": {one.name: [size["became"] for size in one.certificate.get(OTHER_SIZES, ())] for one in entries},
        "launches": _merged(launches),
    }


def _in_use(store: "Store") -> "list[Entry]":
    """The replacements that run, those for different sizes side by side."""
    from kernelwright.frontend.swap.running import side_by_side

    kernels = dict.fromkeys((one.key, one.target, one.versions) for one in store.entries() if one.kind == "replacement")
    return [one for kernel in kernels for one in side_by_side(store.candidates(*kernel))]


def _short(key: str) -> str:
    """What stands for a kernel's text in rows."""
    return key[:8]


def _optimised(model: Any, inputs: Sequence[Any], mode: str, budget: float, store: Path) -> Mapping[str, int]:
    """Spend the budget; how many kernels became what."""
    import torch

    from kernelwright.driver.optimize.session import optimize_model

    if torch.cuda.is_available():
        return optimize_model(model, inputs, budget=budget, mode=mode, dynamic=True, store=store, say=print).counts
    from benchmarks.models.planned_times import optimized_by_plan
    from kernelwright.backend.store.store import Store

    return optimized_by_plan(model, inputs, mode, Store.open(store), budget)


def _watch(place: "Place", kernel: "OneOf", store: "Store", launches: list[dict[str, Any]]) -> None:
    """Have each launch of a kernel compared and told."""
    from kernelwright.backend.store.entry import Versions
    from kernelwright.frontend.swap.key import read
    from kernelwright.frontend.swap.running import holds, side_by_side

    text = read(place.source)
    entries = side_by_side(store.candidates(text.key, text.target, Versions.installed()))
    launch = kernel.run

    def run(*arguments: Any, **stream: Any) -> Any:
        sizes = {name: int(arguments[text.parameters.index(name)]) for name in text.unfixed}
        chosen, own = kernel.which(arguments), len(entries)
        fit = [number for number, entry in enumerate(entries) if holds(entry, sizes)]
        results = {number: _results(kernel.kernels[number], arguments, stream) for number in {*fit, chosen, own}}
        launches.append(
            {
                "kernel": f"{place.name} {_short(text.key)}",
                "ours": chosen < own,
                "fault": chosen != (fit[0] if fit else own),
                "apart": max(_apart(results[own], one) for one in results.values()),
            }
        )
        return launch(*arguments, **stream)

    kernel.run = run


def _results(kernel: Any, arguments: Sequence[Any], stream: Mapping[str, Any]) -> list["Tensor"]:
    """All buffers after a launch with copies of them. Memory is copied as a whole, since a buffer may be a part of it,
    and two of them the same one."""
    import torch

    copies: dict[int, Any] = {}

    def copied(one: "Tensor") -> "Tensor":
        memory = one.untyped_storage()
        copy = copies.setdefault(memory.data_ptr(), memory.clone())
        empty = torch.empty(0, dtype=one.dtype, device=one.device)
        return empty.set_(copy, one.storage_offset(), one.shape, one.stride())

    given = [copied(one) if isinstance(one, torch.Tensor) else one for one in arguments]
    kernel.run(*given, **stream)
    return [one for one in given if isinstance(one, torch.Tensor)]


def _apart(first: Sequence["Tensor"], second: Sequence["Tensor"]) -> float:
    """The largest difference, relative to the largest value; infinity where one is not finite and the other is."""
    worst = 0.0
    for one, other in zip(first, second, strict=True):
        known, found = one.double(), other.double()
        if bool((known.isfinite() != found.isfinite()).any()):
            return float("inf")
        known, found = known.nan_to_num(0.0, 0.0, 0.0), found.nan_to_num(0.0, 0.0, 0.0)
        if known.numel():
            worst = max(worst, float((known - found).abs().max() / known.abs().max().clamp_min(1e-6)))
    return worst


#: What is counted of the launches of a kernel at a size, at first.
_NONE = {"launches": 0, "ours": 0, "fault": 0, "apart": 0.0}


def _merged(launches: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for all launches of a kernel at a size."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for one in launches:
        row = found.setdefault((one["kernel"], one["size"]), {**one, **_NONE})
        row["launches"] += 1
        row["ours"] += one["ours"]
        row["fault"] += one["fault"]
        row["apart"] = max(row["apart"], one["apart"])
    return list(found.values())


def summary_of(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows say in all: admitted kernels that were launched at four other sizes, and where something is not
    right. Of kernels with one text so many count as were admitted: those that were launched at most sizes."""
    done = {name: row["launches"] for name, row in rows.items() if "launches" in row}
    some = [(name, one) for name, launches in done.items() for one in launches]
    kernels = list[tuple[int, bool]]()  # at how many sizes it was launched, and whether ours was at one of them
    for name, launches in done.items():
        at = Counter(one["kernel"] for one in launches)
        with_ours = {one["kernel"] for one in launches if one["ours"]}
        for text, admitted in rows[name]["admitted"].items():
            alike = [(count, kernel in with_ours) for kernel, count in at.items() if kernel.endswith(text)]
            kernels += sorted(alike, reverse=True)[:admitted]
    return {
        "open": {name: row["failure"] for name, row in rows.items() if "failure" in row},
        "kernels": len(kernels),
        "at_four_sizes": sum(count >= 4 for count, _ in kernels),
        "with_ours": sum(ours for _, ours in kernels),
        "launches": sum(one["launches"] for _, one in some),
        "ours": sum(one["ours"] for _, one in some),
        "ours_beyond": sum(one["ours"] for _, one in some if one["where"] == "beyond"),
        "not_right": [f"{name}: {one['kernel']} at {one['size']}" for name, one in some if one["apart"] > ROUNDING],
        "at_fault": [f"{name}: {one['kernel']} at {one['size']}" for name, one in some if one["fault"]],
        "models_with_ours": sorted({name.partition(" ")[0] for name, one in some if one["ours"]}),
    }


def row_of(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """A model in one type and mode, in a process of its own; a `failure` in words where it finds nothing."""
    import torch

    given = ["--child", "--only", name, "--budget", str(arguments.budget), *["--tiny"] * arguments.tiny]
    run = ["-m", "benchmarks.models.sizes"] if torch.cuda.is_available() else ["-c", ON_BED]
    with tempfile.TemporaryDirectory() as folder:
        found, said = apart(run, given, Path(folder), "sizes", arguments.limit)
    if arguments.verbose:
        print(f"---- {name}\n{said[-20000:]}", flush=True)
    return {"id": name, "sizes": "small" if arguments.tiny else "real", "budget_s": arguments.budget, **found}


def main(given: Sequence[str] | None = None) -> int:
    """Write OUT; 0 if all of it is right, of so many kernels and models."""
    parser = options(__doc__, "runs/models/sizes.json", 400.0)
    parser.add_argument("--budget", type=float, default=90.0, help="seconds for `optimize` of a model")
    parser.add_argument("--verbose", action="store_true", help="print what the processes print")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    if arguments.child:
        found = work(*arguments.only.split(), arguments.tiny, arguments.budget, arguments.out.parent)
        arguments.out.write_text(json.dumps(found), "utf-8")
        return 0
    from benchmarks.models.cases import CASES

    names = [f"{name} bf16 eval" for name in CASES if name != "llama-1b-decode"]  # each of its sizes is 1
    names += [f"{name} fp32 eval" for name in CASES if name in WIDE]
    names += [f"{name} bf16 train" for name in CASES if name in TRAINED]
    row: Callable[[str], dict[str, Any]] = partial(row_of, arguments=arguments)
    found = campaign(
        arguments,
        names,
        lambda name, _left, _before: row(name),
        lambda one: "failure" in one,  # one that failed is tried again
        summary_of,
        lambda one: one.get("failure") or f"{len(one['launches'])} kernels at a size",
        {"budget": arguments.budget},
    )
    wrong = found["open"] or found["not_right"] or found["at_fault"]
    enough = found["at_four_sizes"] >= KERNELS and len(found["models_with_ours"]) >= MODELS
    return 0 if enough and not wrong else 1


if __name__ == "__main__":
    sys.exit(status_of(main))
