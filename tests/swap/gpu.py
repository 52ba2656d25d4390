"""On a GPU: replacements in force under CUDA graphs, what they cost the host, and a second process's first call.

Each kernel's replacement is Inductor's own text under another name, in the form in which the store keeps it: what is
measured is the exchange itself, and results are Inductor's to the bit.

    python tests/swap/gpu.py       # a line of JSON for each part
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from operator import sub
from pathlib import Path
from typing import Any

import bed

#: Layers of the model, each of which launches one generated kernel: its norm with what follows.
LAYERS = 8
#: How many times a call is timed; the median counts.
ROUNDS = 200


def program() -> tuple[Any, Any]:
    """A model whose kernels are small, so that the host's work shows, and a batch for it."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    layers = [layer for _ in range(LAYERS) for layer in (nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU())]
    return nn.Sequential(*layers).cuda().bfloat16(), torch.randn(64, 256, device="cuda", dtype=torch.bfloat16)


def step(call: Callable[..., Any], model: Any, x: Any) -> list[Any]:
    """The output of inference, and the gradients of a training step."""
    import torch

    with torch.no_grad():
        out = call(x).clone()
    model.zero_grad()
    call(x).float().square().sum().backward()
    return [out, *(parameter.grad.clone() for parameter in model.parameters())]


def fill() -> dict[str, Any]:
    """Put a replacement for each kernel of both passes into the user's store."""
    import entries
    import torch

    from kernelwright.frontend.inductor.plain import Inductor
    from kernelwright.frontend.swap import hooks

    found: list[Any] = []
    note = found.append

    def inner(compile_graph: Callable[..., Any]) -> Callable[..., Any]:
        def compiled(*arguments: Any, **options: Any) -> Any:
            with hooks.observing(note):  # autograd's thread compiles the graph for gradients
                return compile_graph(*arguments, **options)

        return compiled

    def recording(graph: Any, inputs: Any) -> Callable[..., Any]:
        return Inductor(None, {}, ())(graph, inputs, lambda: hooks.observing(note), inner)

    model, x = program()
    with entries.without_caches():
        step(torch.compile(model, backend=recording), model, x)
    return {"kept": len(entries.keep(found))}


def in_force(mode: str) -> dict[str, Any]:
    """Whether results are Inductor's, and what runs; in microseconds, what a call of each takes the host."""
    import torch

    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.driver.torch_compile import regions

    model, x = program()
    calls = {
        "inductor": torch.compile(model, mode=mode),
        "kernelwright": torch.compile(model, backend=kernelwright, mode=mode),
    }
    results = {}
    for name, call in calls.items():
        for _ in range(3):  # CUDA graphs warm up, then record, then replay
            results[name] = step(call, model, x)
    found = regions()
    spent: dict[str, list[float]] = {name: [] for name in calls}
    chance = random.Random()
    with torch.no_grad():
        for _ in range(ROUNDS):
            for name, call in chance.sample(list(calls.items()), len(calls)):
                torch.cuda.synchronize()
                begun = time.perf_counter()
                call(x)
                spent[name].append(1e6 * (time.perf_counter() - begun))
    host_us = {name: statistics.median(times) for name, times in spent.items()}
    return {
        "mode": mode,
        "same": all(map(torch.equal, results["inductor"], results["kernelwright"])),
        "regions": [str(region) for region in found],
        "replaced": [region.replaced for region in found],
        "kernels": [len(region.swaps) for region in found],
        "host_us": host_us,
        "added_us_a_launch": statistics.median(map(sub, spent["kernelwright"], spent["inductor"])) / LAYERS,
        "device": torch.cuda.get_device_name(),
        "versions": [torch.__version__, __import__("triton").__version__],
    }


def first_call(backend: str) -> dict[str, Any]:
    """How long a process takes to its first results, from when CUDA is up, in seconds."""
    import torch

    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.driver.torch_compile import regions

    model, x = program()
    torch.cuda.synchronize()
    begun = time.perf_counter()
    call = torch.compile(model, backend=kernelwright if backend == "kernelwright" else "inductor")
    step(call, model, x)
    torch.cuda.synchronize()
    return {"backend": backend, "first_s": time.perf_counter() - begun, "regions": [str(one) for one in regions()]}


def part(folder: Path, name: str, *arguments: str) -> dict[str, Any]:
    """What a part finds, in a process of its own."""
    words = [sys.executable, __file__, name, *arguments]
    done = subprocess.run(words, capture_output=True, text=True, env=bed.variables(folder))
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    sys.stdout.write(json.dumps({name: found}) + "\n")
    sys.stdout.flush()
    return found


def measure(folder: Path) -> dict[str, dict[str, Any]]:
    """All parts; each backend's first call once its caches are filled."""
    found = {"fill": part(folder, "fill")}
    for mode in ("default", "reduce-overhead"):
        found[mode] = part(folder, "in_force", mode)
    for backend in ("inductor", "kernelwright", "inductor", "kernelwright"):
        found[backend] = part(folder, "first_call", backend)
    return found


if __name__ == "__main__":
    if sys.argv[1:]:
        parts: dict[str, Callable[..., dict[str, Any]]] = {"fill": fill, "in_force": in_force, "first_call": first_call}
        sys.stdout.write(json.dumps(parts[sys.argv[1]](*sys.argv[2:])) + "\n")
    else:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder))
