"""Measure how many candidates are judged in a second: row softmax of 64x512, a new text each time, on all cores.

    python -m benchmarks.judge.throughput --count 200 --out benchmarks/results/judge/throughput_cpu.json
    python -m benchmarks.judge.throughput --device cuda --workers 14 --count 300 \\
        --out benchmarks/results/judge/throughput_h200.json

Without a GPU, figures are for parse and interpret, and for parse, compile (offline, nothing cached) and interpret. On
a GPU, candidates are compiled, called with every kind of inputs, and timed roughly by 100 runs. Both are measured
with the dialect and without it. Starting workers is not counted. `milliseconds_one_by_one` splits the time of a
candidate by phase, with a single worker.
"""

import argparse
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.row_lines import command_line, write_result
from kernelwright.agent.evaluator import Rung
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item, LocalOptions, default_workers
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
#: By device: what is measured, and the rungs of it.
LADDERS = {
    "cpu": {
        "parse, interpret": (Rung.PARSE, Rung.INTERPRET),
        "parse, compile, interpret": (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET),
    },
    "cuda": {"parse, compile, run, estimate": (Rung.PARSE, Rung.COMPILE, Rung.RUN)},
}
SAMPLES = 100


def rate(
    options: LocalOptions, workers: int | None, count: int, rungs: tuple[Rung, ...], offset: int
) -> dict[str, Any]:
    """Candidates a second, after a few for each worker, which start it and find the reference's outputs."""
    with EvaluatorPool(options, workers) as pool:
        first = 4 * pool.workers
        items = [Item(CANDIDATE.format(number=offset + i), REFERENCE, rungs) for i in range(count + first)]
        for verdict in pool.evaluate_many(items[:first]):
            assert verdict.ok, verdict
        began = time.perf_counter()
        verdicts = [verdict for verdict in pool.evaluate_many(items[first:]) if verdict.ok]
        seconds = time.perf_counter() - began
    times = [verdict.times_ms["candidate"] for verdict in verdicts if verdict.times_ms]
    return {
        "candidates": count,
        "ok": len(verdicts),
        "calls_each": verdicts[0].caliber["passes"],
        "timed_runs_each": options.samples,
        "per_second": round(count / seconds, 2),
        "estimates_us": [round(1e3 * quantile, 2) for quantile in statistics.quantiles(times, n=4)] if times else None,
    }


def shares(options: LocalOptions, offset: int, count: int = 8) -> dict[str, float]:
    """Milliseconds of one candidate after another, by one worker: those of fewer rungs first."""
    ladders = {"parse": (Rung.PARSE,), "compile": (Rung.PARSE, Rung.COMPILE)}
    ladders |= {"interpret": (Rung.PARSE, Rung.INTERPRET)}
    if options.use_gpu:
        ladders |= {"compile and run": (Rung.PARSE, Rung.COMPILE, Rung.RUN)}
    found = {}
    with options.build() as evaluator, replace(options, samples=0).build() as without:
        for place, (name, rungs) in enumerate(ladders.items()):
            found[name] = _milliseconds(without, rungs, offset + place * (count + 3), count)
        if options.samples:
            found["compile, run, estimate"] = _milliseconds(evaluator, rungs, offset + 9 * (count + 3), count)
    return found


def _milliseconds(evaluator: LocalEvaluator, rungs: tuple[Rung, ...], offset: int, count: int) -> float:
    for number in range(count + 3):
        if number == 3:
            began = time.perf_counter()
        verdict = evaluator.evaluate_text(CANDIDATE.format(number=offset + number), REFERENCE, rungs)
        assert verdict.ok, verdict
    return round(1e3 * (time.perf_counter() - began) / count, 2)


def main() -> int:
    """Measure every ladder; 0 where all candidates were accepted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--device", choices=list(LADDERS), default="cpu")
    parser.add_argument(
        "--workers", type=int, help="evaluators at a time; by default one for each core, or one on a GPU"
    )
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/throughput_cpu.json"))
    arguments = parser.parse_args()
    gpu = arguments.device == "cuda"
    options = LocalOptions(use_gpu=gpu, memory_gb=4.0, samples=SAMPLES if gpu else 0)
    found, offset, one_by_one = {}, time.time_ns() % 10**12, {}
    for dialect in (True, False):
        kind = "dialect" if dialect else "any Python"
        for name, rungs in LADDERS[arguments.device].items():
            offset += 10**6
            key = f"{name}, {kind}"
            found[key] = rate(replace(options, dialect=dialect), arguments.workers, arguments.count, rungs, offset)
            print(key, found[key], flush=True)
        one_by_one[kind] = shares(replace(options, dialect=dialect), offset + 10**5)
        print("ms", one_by_one[kind], flush=True)
    result = {
        "command": command_line(),
        "caliber": machine(),
        "workers": arguments.workers or default_workers(options),
        "rates": found,
        "milliseconds_one_by_one": one_by_one,
    }
    write_result(arguments.out, result)
    return 0 if all(row["ok"] == row["candidates"] for row in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
