"""How many candidates are judged in a second: row softmax of 64x512, every text another, all cores.

    python benchmarks/throughput.py --count 200 --out benchmarks/results/throughput_cpu.json

Figures are for parse and interpret, and for parse, compile (offline, nothing cached) and interpret, with the dialect
and without. Starting workers is not counted.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from kernelwright.agent.evaluator import Rung
from kernelwright.driver.campaign import machine
from kernelwright.evaluate.pool import EvaluatorPool, Item, LocalOptions, usable_cores
from kernelwright.ir.values import Reference, TensorSpec

SOURCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


def get_inputs():
    return [torch.randn(64, 512)]


def get_init_inputs():
    return []
"""
X = TensorSpec.contiguous("x", "f32", (64, 512))
REFERENCE = Reference(SOURCE, "Model", (X,), (), (X,))

CANDIDATE = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_{number}(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + i, mask=i < N, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + row * N + i, e / tl.sum(e, 0), mask=i < N)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = torch.empty_like(x)
        softmax_{number}[(x.shape[0],)](x, out, x.shape[1], BLOCK=512)
        return out
"""
LADDERS = {
    "parse, interpret": (Rung.PARSE, Rung.INTERPRET),
    "parse, compile, interpret": (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET),
}


def rate(count: int, rungs: tuple[Rung, ...], *, dialect: bool, offset: int) -> dict[str, float]:
    """Candidates a second, after a few that start the workers and find the reference's outputs."""
    options = LocalOptions(use_gpu=False, memory_gb=4.0, dialect=dialect)
    items = [Item(CANDIDATE.format(number=offset + i), REFERENCE, rungs) for i in range(count + 8)]
    with EvaluatorPool(options) as pool:
        for verdict in pool.evaluate_many(items[:8]):
            assert verdict.ok, verdict
        began = time.perf_counter()
        passes = [verdict.caliber["passes"] for verdict in pool.evaluate_many(items[8:]) if verdict.ok]
        seconds = time.perf_counter() - began
    return {"candidates": count, "ok": len(passes), "calls_each": passes[0], "per_second": round(count / seconds, 2)}


def main() -> int:
    """Measure every ladder; 0 where all candidates were accepted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/throughput_cpu.json"))
    arguments = parser.parse_args()
    found, offset = {}, time.time_ns() % 10**12
    for dialect in (True, False):
        for name, rungs in LADDERS.items():
            offset += arguments.count + 8
            key = f"{name}, {'dialect' if dialect else 'any Python'}"
            found[key] = rate(arguments.count, rungs, dialect=dialect, offset=offset)
            print(key, found[key])
    result = {
        "command": " ".join(["python", *sys.argv]),
        "caliber": machine(),
        "workers": usable_cores(),
        "rates": found,
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["ok"] == row["candidates"] for row in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
