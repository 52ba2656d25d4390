"""Time ten kernels of 5 us to 5 ms against themselves: how often does the 95% interval hold 1.0?

    python -m benchmarks.judge.timing_aa --out results_folder
    python -m benchmarks.judge.timing_aa --out rehearsal --device cpu
    python -m benchmarks.judge.timing_aa --out rehearsal --device interpreter --processes 6 --blocks 3 --samples 5

A trial does the work of the rung `time`: A B A B A B, six processes or more as the rung decides, about 30 samples
each, and the interval of the ratio. To spend minutes instead of an hour, each of 30 processes times all ten kernels
by the rung's own job (host process, trace, replay, sampling), and takes seven blocks of samples of each kernel. For
every block the processes are dealt at random into groups, which are A, B, A, B and so on in the order of their
starts. That gives 14 trials or more for a kernel, of which 20 count at most. No sample belongs to two trials of a
kernel. A process takes part in seven of them, in a new group each time, so trials of one kernel are not quite
independent. Each process writes its file when it ends; the same command keeps files that exist and goes on from
there. Two devices are rehearsals: `cpu` times torch operators by the wall clock, which shows that the statistics
work, and `interpreter` goes the whole way with small kernels.
"""

import argparse
import json
import multiprocessing
import os
import random
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.row_lines import command_line, write_result

_VISIBLE = os.environ.get("CUDA_VISIBLE_DEVICES")
os.environ |= {"CUDA_VISIBLE_DEVICES": "", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}  # CUDA does not survive a fork

import numpy as np  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402

from kernelwright.backend.measure.clock import HostClock  # noqa: E402
from kernelwright.backend.measure.turns import DeviceLock  # noqa: E402
from kernelwright.evaluation.checks import timing  # noqa: E402
from kernelwright.evaluation.device.interpret import InterpreterExecutor  # noqa: E402
from kernelwright.evaluation.device.jit import CudaExecutor  # noqa: E402
from kernelwright.evaluation.device.replay import Replay, Rotation, slot  # noqa: E402
from kernelwright.evaluation.device.time_job import measure, time_candidate  # noqa: E402
from kernelwright.evaluation.host import program as host  # noqa: E402
from kernelwright.evaluation.inputs.draws import Draw  # noqa: E402
from kernelwright.evaluation.judge.comparison import Timing, repeated_job  # noqa: E402
from kernelwright.evaluation.judge.program import Program  # noqa: E402
from kernelwright.evaluation.judge.truth import ReferenceRun, Truth  # noqa: E402
from kernelwright.evaluation.protocol.jobs import Sampling, TimeCandidate  # noqa: E402
from kernelwright.evaluation.protocol.link import Link  # noqa: E402
from kernelwright.evaluation.protocol.sketch import snapshot  # noqa: E402
from kernelwright.evaluation.protocol.tensors import to_raw  # noqa: E402
from kernelwright.ir.parser import parse_module  # noqa: E402
from kernelwright.ir.values import Reference, TensorSpec  # noqa: E402

DRAWS, TRIALS = 3, 20
_MEMORY_BYTES = 4 << 30


@dataclass(frozen=True)
class Kernel:
    """One kernel: a `chain` of multiply-adds on each element, or the `sums` of rows; `repeats` make it longer."""

    kind: str
    rows: int
    columns: int
    repeats: int = 1

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.kind} {self.rows}x{self.columns} x{self.repeats}"

    @property
    def text(self) -> str:
        """The program, in the dialect."""
        return (_CHAIN if self.kind == "chain" else _SUMS).format(**vars(self))

    @property
    def program(self) -> Program:
        """The program with what it takes and gives."""
        given = TensorSpec.contiguous("x", "f32", (self.rows, self.columns))
        shape = (self.rows, self.columns) if self.kind == "chain" else (self.rows,)
        reference = Reference("", "Model", (given,), (), (TensorSpec.contiguous("out", "f32", shape),))
        return Program.of_module(parse_module(self.text, reference=reference, name=self.kind))


_HEAD = """import torch
import triton
import triton.language as tl


@triton.jit
"""
_CHAIN = (
    _HEAD
    + """def chain(x_ptr, out_ptr, n, repeats, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    for _ in range(repeats):
        x = x * 0.999 + 0.001
    tl.store(out_ptr + i, x, mask=i < n)


def forward(x: "f32[{rows}, {columns}]"):
    out = torch.empty(({rows}, {columns}), device=x.device, dtype=torch.float32)
    chain[(triton.cdiv({rows} * {columns}, 1024),)](x, out, {rows} * {columns}, {repeats}, BLOCK=1024)
    return out
"""
)
_SUMS = (
    _HEAD
    + """def sums(x_ptr, out_ptr, repeats, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS))
    total = 0.0
    for _ in range(repeats):
        x = x * 0.999 + 0.001
        total += tl.sum(x, 0)
    tl.store(out_ptr + row, total)


def forward(x: "f32[{rows}, {columns}]"):
    out = torch.empty(({rows},), device=x.device, dtype=torch.float32)
    sums[({rows},)](x, out, {repeats}, COLUMNS={columns})
    return out
"""
)
#: By their expected times on an H100 or H200, of which the short ones move data and the long ones compute.
KERNELS = (
    Kernel("chain", 256, 1024),
    Kernel("sums", 1024, 512),
    Kernel("chain", 2048, 1024),
    Kernel("sums", 4096, 2048),
    Kernel("chain", 8192, 1024),
    Kernel("sums", 4096, 2048, 40),
    Kernel("chain", 4096, 1024, 1000),
    Kernel("sums", 4096, 2048, 400),
    Kernel("chain", 4096, 1024, 10000),
    Kernel("chain", 4096, 1024, 25000),
)


@dataclass(frozen=True)
class Session:
    """What one process does: `number` seeds its content."""

    number: int
    device: str
    kernels: tuple[int, ...]
    samples: int
    warm_up_s: float

    def run(self, path: Path) -> None:
        """Time every kernel, in random order, and write the samples to a file."""
        links = {index: _host() for index in self.kernels} if self.device != "cpu" else {}
        if self.device == "cuda":
            _show_devices()
        torch.set_num_threads(1)
        began, found = time.perf_counter(), {}
        for index in random.Random(self.number).sample(self.kernels, len(self.kernels)):
            plan = Sampling(
                (self.samples, self.samples),
                60.0,
                self.warm_up_s,
                verify=0,
                seed=1000 * self.number + index,
                facts=index == 0,
            )
            timed = self._replayed(index, links[index], plan) if links else _on_cpu(index, plan)
            found[str(index)] = {k: [round(t, 6) for t in timed[k]] for k in ("events", "direct", "wall", "graph")} | {
                "notes": timed["notes"],
                "device": timed.get("device"),
            }
        name = torch.cuda.get_device_name() if self.device == "cuda" else self.device
        content = {"number": self.number, "seconds": time.perf_counter() - began, "device": name, "kernels": found}
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps(content), "utf-8")
        partial.rename(path)

    def _replayed(self, index: int, link: Link, plan: Sampling) -> dict[str, Any]:
        """As the rung does it: a host in a process of its own, its call taken down and replayed."""
        kernel, gpu = KERNELS[index], self.device == "cuda"
        if not gpu:
            kernel = replace(kernel, rows=4, repeats=2)
        torch.manual_seed(plan.seed)
        draws = [to_raw(torch.rand(kernel.rows, kernel.columns)) for _ in range(DRAWS)]
        truth = Truth(tuple(ReferenceRun(Draw(0), (draw,), {}, (), frozenset()) for draw in draws), init="[]")
        device = "cuda" if gpu else "cpu"
        made, tensors = repeated_job(kernel.program, truth, 0, device, _MEMORY_BYTES)
        job = TimeCandidate(**vars(made) | {"timing": plan})
        turns = DeviceLock(torch.device(job.device))
        executor = CudaExecutor(turns) if gpu else InterpreterExecutor()
        answer, _ = time_candidate(job, tensors, link, executor, turns, link.close)
        if gpu:
            torch.cuda.empty_cache()
        return vars(answer)


def _host() -> Link:
    """A process for host code, forked before this one touches the GPU; these programs are our own, no walls."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        try:
            ours.close()
            host.serve(theirs, ())
        finally:
            os._exit(0)
    theirs.close()
    return Link(ours, _MEMORY_BYTES)


def _show_devices() -> None:
    for name in ("CUDA_VISIBLE_DEVICES", "PYTORCH_NVML_BASED_CUDA_CHECK"):
        del os.environ[name]
    if _VISIBLE is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = _VISIBLE


def _on_cpu(index: int, plan: Sampling) -> dict[str, Any]:
    """A torch operator by the wall clock, larger for later kernels; the sampling is the same."""
    size = 2 ** (10 + index)
    torch.manual_seed(plan.seed)
    draws = [torch.rand(size) for _ in range(DRAWS)]
    x, out = torch.empty(size), torch.empty(size)
    operator: Callable[[], object] = lambda: torch.exp(x, out=out)  # noqa: E731
    rotation = Rotation([slot(x, draws)], [Replay((operator,), ())], [], random.Random(plan.seed))
    return measure(rotation, lambda _draw: [snapshot(out, None)], plan, HostClock(), random.Random(plan.seed)).answer()


def trials(processes: Sequence[Sequence[float]], blocks: int, seed: int) -> list[tuple[int, timing.Interval]]:
    """Trials formed from processes' samples, in the order of their starts, without using any twice: each with the
    number of processes of a side that it took. One that runs out of processes ends as it is."""
    generator, found = random.Random(seed), list[tuple[int, timing.Interval]]()
    (fewest, most), rung = Timing.processes, Timing()
    for block in range(blocks):
        left = generator.sample(range(len(processes)), len(processes))
        while len(left) >= 2 * fewest:
            for count in range(fewest, most + 1):
                group = sorted(left[: 2 * count])
                parts = [np.array_split(np.asarray(processes[number]), blocks)[block].tolist() for number in group]
                interval = timing.speedup(parts[0::2], parts[1::2], seed=generator.getrandbits(32))
                if interval.precise(timing.spread(parts).median, rung.half_width) or 2 * count + 2 > len(left):
                    break
            del left[: 2 * count]
            found.append((count, interval))
    return generator.sample(found, min(TRIALS, len(found)))


def kernel_summary(index: int, sessions: Sequence[dict[str, Any]], blocks: int) -> dict[str, Any]:
    """One kernel's trials, in the mode that the rung would choose."""
    content = [session["kernels"][str(index)] for session in sessions]
    timed = [timing.Timed(**{k: tuple(c[k]) for k in ("events", "direct", "wall", "graph")}) for c in content]
    mode = timing.common_mode({"candidate": timed})
    side = timing.series(timed, mode)
    found = trials(side, blocks, seed=index)
    widths = [one.half_width for _, one in found]
    medians = [float(np.median(samples)) for samples in side]
    return {
        "mode": mode,
        "median_ms": timing.spread(side).median,
        "median_ms_events": timing.spread(timing.series(timed, "events")).median,
        "between_processes": float(np.std(np.log(medians), ddof=1)),
        "trials": len(found),
        "processes": [sum(count == taken for count, _ in found) for taken in range(Timing.processes[1] + 1)],
        "held": sum(one.holds(1.0) for _, one in found),
        "half_width_median": float(np.median(widths)) if widths else None,
        "half_width_max": max(widths, default=None),
        "half_width_at_most_1_percent": sum(width <= 0.01 for width in widths),
        "doubts": sorted({text.split(" shows")[0] for t in timed for text in timing.doubts(t, 0.0)}),
    }


def summary(sessions: Sequence[dict[str, Any]], arguments: argparse.Namespace) -> dict[str, Any]:
    """All kernels' trials together."""
    kernels = []
    for index in range(arguments.kernels):
        name = KERNELS[index].name if arguments.device != "cpu" else f"exp of 2**{10 + index}"
        kernels.append({"name": name, **kernel_summary(index, sessions, arguments.blocks)})
    count = sum(kernel["trials"] for kernel in kernels)
    long = [kernel for kernel in kernels if kernel["median_ms"] > timing.SHORT_MS]
    above = sum(kernel["trials"] for kernel in long)
    facts = [session["kernels"]["0"]["device"] for session in sessions]
    return {
        "trials": count,
        "holds_1": sum(kernel["held"] for kernel in kernels) / count if count else None,
        "above_50_us": {
            "trials": above,
            "half_width_at_most_1_percent": sum(k["half_width_at_most_1_percent"] for k in long) / above
            if above
            else None,
            "half_width_median": [kernel["half_width_median"] for kernel in long],
            "half_width_max": max((kernel["half_width_max"] for kernel in long if kernel["trials"]), default=None),
        },
        "kernels": kernels,
        "caliber": {
            "device": sessions[0]["device"],
            "torch": torch.__version__,
            "triton": triton.__version__,
            "processes": len(sessions),
            "blocks": arguments.blocks,
            "samples": arguments.samples,
            "seconds": sum(session["seconds"] for session in sessions),
            "clocks": [facts[0], facts[-1]],
            "command": command_line(),
        },
    }


def main() -> int:
    """Run the processes that are missing, as far as the budget goes; 0 where both goals are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for process_*.json and summary.json")
    parser.add_argument("--device", choices=["cuda", "cpu", "interpreter"], default="cuda")
    parser.add_argument("--processes", type=int, default=30)
    parser.add_argument("--blocks", type=int, default=7)
    parser.add_argument("--samples", type=int, default=30, help="samples in one process for a trial")
    parser.add_argument("--kernels", type=int, default=len(KERNELS))
    parser.add_argument("--warm-up", type=float, default=0.05, help="seconds for each kernel")
    parser.add_argument("--budget", type=float, default=115.0, help="seconds after which no process is started")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    began, context = time.monotonic(), multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache  # the first process compiles, the others load
        for number in range(arguments.processes):
            path = arguments.out / f"process_{number:02d}.json"
            if path.exists() or time.monotonic() - began > arguments.budget:
                continue
            kernels, count = tuple(range(arguments.kernels)), arguments.samples * arguments.blocks
            session = Session(number, arguments.device, kernels, count, arguments.warm_up)
            process = context.Process(target=session.run, args=(path,))
            process.start()
            process.join(120)
            if process.exitcode is None:
                process.kill()
                process.join()
            print(f"process {number}: exit {process.exitcode}, {time.monotonic() - began:.1f} s", file=sys.stderr)
    sessions = [json.loads(path.read_text("utf-8")) for path in sorted(arguments.out.glob("process_*.json"))]
    if len(sessions) < 2 * Timing.processes[0]:
        print(f"{len(sessions)} processes are too few for a trial of {2 * Timing.processes[0]}", file=sys.stderr)
        return 1
    result = summary(sessions, arguments)
    write_result(arguments.out / "summary.json", result)
    print(json.dumps({key: result[key] for key in ("trials", "holds_1", "above_50_us")}, indent=1))
    narrow = result["above_50_us"]["half_width_at_most_1_percent"]
    return 0 if result["holds_1"] and result["holds_1"] >= 0.93 and narrow == 1.0 else 1


if __name__ == "__main__":
    sys.exit(main())
