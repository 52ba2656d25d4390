"""Judge thousands of candidates, one in four of them hostile, and look for anything that is left behind or grows.

    python -m benchmarks.judge.soak --count 2000 --out benchmarks/results/judge/soak_cpu.json

Every verdict must be right and in order; afterwards no process, scratch folder or shared-memory file may be left, and
the memory of judge and workers must be flat: at most 5% above what it was after the first tenth.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.progress import track

from benchmarks.row_lines import command_line, write_result
from kernelwright.agent.evaluator import Rung, Status
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item, LocalOptions
from kernelwright.ir.values import Reference, TensorSpec

SOURCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


def get_inputs():
    return [torch.randn(8, 33)]


def get_init_inputs():
    return []
"""
X = TensorSpec.contiguous("x", "f32", (8, 33))
REFERENCE = Reference(SOURCE, "Model", (X,), (), (X,))

CANDIDATE = """import ctypes, os, signal, sys, threading, time
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + i, mask=i < N, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0)){wrong}
    tl.store(out_ptr + row * N + i, e / tl.sum(e, 0), mask=i < N)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        {harm}
        out = torch.empty_like(x)
        softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
        return out
"""
_FLOOD = "[os.write(fd, b'x' * 65536) for fd in (1, 2) for _ in range(64)]; print('{\"status\": \"ok\"}')"
#: What a hostile candidate does, and the verdicts that are right for it.
HARM: dict[str, tuple[str, frozenset[Status]]] = {
    "crashes": ("ctypes.string_at(1)", frozenset({Status.RUNTIME_ERROR})),
    "hangs": ("time.sleep(1000)", frozenset({Status.TIMEOUT})),
    "spins": ("while True: pass", frozenset({Status.TIMEOUT})),
    "floods": (_FLOOD, frozenset({Status.OK, Status.RUNTIME_ERROR})),
    "exhausts memory": ("x.kept = bytearray(1 << 40)", frozenset({Status.RUNTIME_ERROR})),
    "fills memory": ("x.kept = [bytearray(1 << 24) for _ in range(4096)]", frozenset({Status.RUNTIME_ERROR})),
    "forks": ("[os.fork() for _ in range(8)]", frozenset({Status.RUNTIME_ERROR})),
    "exits": ("os._exit(0)", frozenset({Status.RUNTIME_ERROR})),
    "raises": ("sys.exit(0)", frozenset({Status.RUNTIME_ERROR})),
    "kills": ("os.kill(os.getppid(), 9); os.kill(-1, 9)", frozenset({Status.RUNTIME_ERROR})),
    "threads": (
        "globals().setdefault('begun', []) or begun.extend("
        "threading.Thread(target=time.sleep, args=(100,), daemon=True).start() for _ in range(8))",
        frozenset({Status.OK}),
    ),
}


def candidates(count: int) -> Iterator[tuple[str, str, frozenset[Status]]]:
    """Name, text and right verdicts; every fourth is hostile, every seventh of the others is wrong."""
    kinds = list(HARM)
    for number in range(count):
        if number % 4 == 3:
            kind = kinds[(number // 4) % len(kinds)]
            harm, right = HARM[kind]
            yield kind, CANDIDATE.format(harm=harm, wrong=f"  # {number}"), right
        elif number % 7 == 0:
            yield "wrong", CANDIDATE.format(harm="pass", wrong=f" + 0.01  # {number}"), frozenset({Status.MISMATCH})
        else:
            yield "right", CANDIDATE.format(harm="pass", wrong=f"  # {number}"), frozenset({Status.OK})


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    found = [pid]
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += family(int(child))
    return found


def resident_mb() -> float:
    """Megabytes that this process and its descendants hold."""
    pages = 0
    for pid in family(os.getpid()):
        try:
            fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
            pages += int(fields.get("VmRSS", "0 kB").split()[0])
        except (OSError, ValueError):
            continue
    return pages / 1024


def left_behind() -> set[str]:
    """What is in scratch folders, and shared-memory files, on this machine."""
    folders = {str(path) for path in Path(tempfile.gettempdir()).glob("kernelwright-*/*")}
    return folders | {str(path) for path in Path("/dev/shm").glob("*")}


def main() -> int:
    """Run the soak; 0 where everything is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds for one candidate")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/soak_cpu.json"))
    arguments = parser.parse_args()
    options = LocalOptions(
        seeds=1, timeout_s=arguments.timeout, memory_gb=2.0, use_gpu=False, dialect=False, vocabulary=False
    )
    wrong: list[str] = []
    memory: list[float] = []
    done: dict[str, int] = {}
    items = (Item(text, REFERENCE, (Rung.INTERPRET,)) for _, text, _ in candidates(arguments.count))
    with EvaluatorPool(options, workers=1) as pool:  # what workers are forked from stays until this process ends
        list(pool.evaluate_many([Item(CANDIDATE.format(harm="pass", wrong=""), REFERENCE, (Rung.INTERPRET,))]))
    before, there, began = left_behind(), set(family(os.getpid())), time.perf_counter()
    with EvaluatorPool(options, workers=arguments.workers) as pool:
        verdicts = track(pool.evaluate_many(items), total=arguments.count, description="soak")
        for number, (verdict, (kind, _, right)) in enumerate(zip(verdicts, candidates(arguments.count), strict=True)):
            done[kind] = done.get(kind, 0) + 1
            if verdict.status not in right:
                wrong.append(f"{number} {kind}: {verdict}")
            if (number + 1) % max(arguments.count // 20, 1) == 0:
                memory.append(round(resident_mb(), 1))
    time.sleep(1.0)
    left = left_behind() - before
    if left:  # another program's may come and go
        time.sleep(10.0)
        left &= left_behind()
    settled = memory[1] if len(memory) > 1 else memory[0]
    result = {
        "command": command_line(),
        "caliber": machine(),
        "candidates": done,
        "seconds": round(time.perf_counter() - began, 1),
        "wrong": wrong,
        "resident_mb": memory,
        "growth": round(max(memory[2:] or memory) / settled - 1, 4),
        "left_processes": len(set(family(os.getpid())) - there),
        "left_files": sorted(left),
    }
    write_result(arguments.out, result)
    print(json.dumps({key: value for key, value in result.items() if key != "resident_mb"}, indent=1))
    clean = not wrong and not result["left_files"] and not result["left_processes"] and result["growth"] <= 0.05
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
