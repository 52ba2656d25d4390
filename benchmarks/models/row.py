"""One model in one mode: recorded and answered in one process, then compiled and compared in two others on the bed."""

import importlib.util
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a process on the bed imports Triton only once it is set up
    from kernelwright.frontend.swap.graphs import RecordedGraph

ROOT = Path(__file__).parent.parent.parent
#: What `record_model` calls it.
RECORDED = {"eval": "eval", "train": "train", "autocast": "autocast", "batches": "eval", "decode": "eval"}
MODES = tuple(RECORDED)
#: The most by which a result may differ from eager's, if Inductor's own does not, relative to the largest value.
ROUNDING = 2e-6


def bed() -> ModuleType:
    """The test bed, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("bed", ROOT / "tests/swap/bed.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def row(name: str, mode: str, folder: Path, most: int | None) -> dict[str, Any]:
    """Everything about it. `most`: how many kernels are answered; the store in the folder has those of earlier rows."""
    found, start = bed(), time.perf_counter()
    answered = _apart_from_bed(name, mode, folder / "store", most)
    caches = folder / "caches" / f"{name}_{mode}"
    made = found.run(_work("compared"), caches, name, mode, str(folder / "store"))
    again = found.run(_work("again"), caches, name, mode, str(folder / "store"))
    right = made["ours"] <= max(2 * made["inductor"], ROUNDING) and made["from_inductor"] <= max(
        2 * made["inductor"], ROUNDING
    )
    told = {"right": right and made["swapped"] > 0, **answered, **made}
    told |= {"again_hits": again["hits"], "again_misses": again["misses"], "again_swapped": again["swapped"]}
    return told | {"seconds": round(time.perf_counter() - start)}


def _apart_from_bed(name: str, mode: str, store: Path, most: int | None) -> dict[str, Any]:
    """What `answered` gives, made in a process that runs no kernel."""
    asked = [name, mode, str(store), json.dumps(most)]
    command = [sys.executable, "-m", "benchmarks.models.row", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _work(function: str) -> str:
    return f"from benchmarks.models.row import {function} as work\n"


def answered(name: str, mode: str, store: str, most: int | None) -> dict[str, Any]:
    """Record the kernels, and put verified answers into the store: how many there are, and what became of them."""
    from benchmarks.models.zoo import built
    from kernelwright.backend.store.store import Store
    from kernelwright.driver.config.discovery import discover
    from kernelwright.driver.extraction.filling import ANSWER, Filling
    from kernelwright.driver.extraction.recording import record_model
    from kernelwright.evaluation.judge.local import LocalEvaluator
    from kernelwright.ir.passes import Context
    from kernelwright.ir.pipeline import parse_pipeline

    discover()
    model, inputs = built(name, mode)
    graphs = record_model(model, inputs[0], RECORDED[mode])
    with LocalEvaluator("interpreter", seeds=2, timeout_s=300) as evaluator:
        filling = Filling(Store.open(Path(store)), parse_pipeline(ANSWER), Context("interpreter", evaluator), most=most)
        outcomes = list(filling.fill(graphs))
    became = Counter(one.became for one in outcomes)
    return {
        "graphs": len(graphs),
        **counted(graphs),
        "stored": became["stored"] + became["known"],
        "wrong": [one.why for one in outcomes if one.became == "wrong"],
        "refused": [f"{one.name}: {one.why}" for one in outcomes if one.became == "refused"],
    }


def counted(graphs: Sequence["RecordedGraph"]) -> dict[str, Any]:
    """How many kernels there are, how many have a reference of their own or with others, and why others have none."""
    kernels = [kernel for graph in graphs for kernel in graph.kernels]
    together = {key for kernel in kernels for key in kernel.parts}
    alone = [kernel for kernel in kernels if not kernel.parts]
    none = [kernel for kernel in alone if kernel.graph is None]
    return {
        "kernels": len(alone),
        "with_reference": len(alone) - len(none),
        "in_joint_problems": sum(kernel.key in together for kernel in none),
        "left_out": dict(Counter(kernel.why_not for kernel in none if kernel.key not in together)),
    }


def compared(name: str, mode: str, store: str) -> dict[str, Any]:
    """Eager, Inductor and ours: how far results and gradients are apart, relative to the largest value of each."""
    eager, inductor = (results(name, mode, backend, {}) for backend in ("eager", "inductor"))
    ours = results(name, mode, "kernelwright", {"store": store})
    figures = {"inductor": (inductor, eager), "ours": (ours, eager), "from_inductor": (ours, inductor)}
    return {**{key: _apart(*pair) for key, pair in figures.items()}, "swapped": _swapped(), "results": len(eager)}


def again(name: str, mode: str, store: str) -> dict[str, Any]:
    """A second process: what comes from Inductor's caches, and how much is replaced all the same."""
    from kernelwright.frontend.swap.graphs import cache_hits

    results(name, mode, "kernelwright", {"store": store})
    hits, misses = cache_hits()
    return {"hits": hits, "misses": misses, "swapped": _swapped()}


def results(name: str, mode: str, backend: str, options: dict[str, Any]) -> list[Any]:
    """What all calls of a model in a mode give, in a backend of `torch.compile`, or as it is by `eager`."""
    import torch

    from benchmarks.models.zoo import built
    from kernelwright.driver.extraction.recording import run_once

    torch.compiler.reset()
    model, inputs = built(name, mode)
    model.train(RECORDED[mode] != "eval")
    call: Any = model
    if backend != "eager":
        call = torch.compile(model, backend=backend, **({"options": options} if options else {}))
    return [one.clone() for given in inputs for one in run_once(call, model, given, RECORDED[mode])]


def _apart(some: list[Any], others: list[Any]) -> float:
    pairs = zip(some, others, strict=True)
    return max(
        (((a.double() - b.double()).abs().max() / b.double().abs().max().clamp_min(1e-30)).item() for a, b in pairs),
        default=0.0,
    )


def _swapped() -> int:
    from kernelwright.driver.torch_compile import regions

    return sum(region.replaced for region in regions())


if __name__ == "__main__":
    print(json.dumps(answered(*sys.argv[1:4], json.loads(sys.argv[4]))))
