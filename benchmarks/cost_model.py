"""How good the cost model is on this machine's GPU: predicted against measured, over launch options good and bad.

    python benchmarks/cost_model.py --options 24 --output benchmarks/results/cost_model_h200.json

For each program the kernels come from `lower-inductor`; per program one kernel's options vary. Prints the mean error
(of the logarithm), the rank correlation, and how much longer than the best the model's favourite takes.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from kernelwright.backend.compiler import CompileFailureError
from kernelwright.backend.cost import estimate
from kernelwright.backend.execute import trace_launches
from kernelwright.backend.targets import Target, detect_target
from kernelwright.backend.tune import measured, with_meta
from kernelwright.backend.tuning_space import Meta, Space, space_of
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

_PROGRAM = """
import torch
import torch.nn.functional as F

class Model(torch.nn.Module):
    def forward(self, x):
        return {body}

def get_inputs():
    return [torch.randn({shape})]
"""
PROGRAMS = {
    "gelu, 134 MB": ("F.gelu(x) * 2 + 1", (8192, 4096)),
    "relu, 4 MB": ("torch.relu(x)", (1024, 1024)),
    "transpose and add": ("(x + x.transpose(0, 1)).contiguous()", (4096, 4096)),
    "sum of columns": ("x.sum(0)", (4096, 4096)),
    "mean of the middle axis": ("x.mean(1)", (16, 1024, 512)),
    "row softmax, 1024": ("torch.softmax(x, -1)", (4096, 1024)),
    "row softmax, 128": ("torch.softmax(x, -1)", (65536, 128)),
    "layer norm, 8192": ("F.layer_norm(x, (8192,))", (1024, 8192)),
    "max pool": ("F.max_pool2d(x, 3, 2, 1)", (16, 64, 112, 112)),
}


@dataclass(frozen=True)
class Row:
    """One choice of options: microseconds measured and predicted."""

    options: dict[str, object]
    measured_us: float
    predicted_us: float


def lowered(name: str) -> KernelModule:
    """The program's module, at full size."""
    body, shape = PROGRAMS[name]
    module = import_source(_PROGRAM.format(body=body, shape=", ".join(map(str, shape))), "program", shrink="never")
    return LowerInductor().run(module, Context(target=detect_target().name))


def sample(space: Space, target: Target, count: int) -> list[Meta]:
    """The given options, half of the rest from what is usually good and half from everywhere."""
    ranked = sorted(space.all(), key=lambda meta: (space.distance(meta, target), str(meta)))
    near, far = ranked[: count // 2], ranked[count // 2 :]
    return [space.start, *near, *far[:: max(len(far) // max(count // 2, 1), 1)]][:count]


def measure(module: KernelModule, target: Target, count: int) -> list[Row]:
    """Predict and measure options of the module's most expensive kernel."""
    times = estimate(module, target).kernels_us
    symbol = max(times, key=lambda name: times[name])
    programs = max(math.prod(launch.grid) for launch in trace_launches(module) if launch.symbol == symbol)
    score, rows = measured(module, 0), []
    for meta in sample(space_of(module, symbol, programs, frozenset()), target, count):
        trial = with_meta(module, symbol, meta)
        try:
            row = Row(dict(meta), score(trial, symbol), estimate(trial, target).us)
        except CompileFailureError:
            continue
        if math.isfinite(row.measured_us + row.predicted_us):
            rows.append(row)
    return rows


def ranks(values: Sequence[float]) -> list[int]:
    """The place of each value when sorted."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    places = [0] * len(values)
    for place, index in enumerate(order):
        places[index] = place
    return places


def summary(rows: Sequence[Row]) -> dict[str, float]:
    """Figures that say how good the predictions are."""
    real, predicted = [row.measured_us for row in rows], [row.predicted_us for row in rows]
    apart = sum((a - b) ** 2 for a, b in zip(ranks(real), ranks(predicted), strict=True))
    count = len(rows)
    return {
        "options": count,
        "mean_log_error": sum(abs(math.log(p / r)) for p, r in zip(predicted, real, strict=True)) / count,
        "rank_correlation": 1 - 6 * apart / max(count * (count**2 - 1), 1),
        "favourite_over_best": real[predicted.index(min(predicted))] / min(real),
        "given_over_best": real[0] / min(real),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--options", type=int, default=24, help="choices of launch options per program")
    parser.add_argument("--output", type=Path, help="write figures and rows here as JSON")
    arguments = parser.parse_args()
    target, results = detect_target(), {}
    for name in PROGRAMS:
        rows = measure(lowered(name), target, arguments.options)
        results[name] = {**summary(rows), "rows": [asdict(row) for row in rows]}
        print(name, {key: round(value, 2) for key, value in summary(rows).items()}, flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps({"target": target.name, "programs": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
