"""What judging costs: an older commit and this one in turn, on the same candidates; and the price of kinds of inputs.

    python -m benchmarks.judge.judge_cost --old ca7353b --out benchmarks/results/judge/judge_cost_cpu.json

Candidates are row softmax, layer norm and matrix product in the dialect, a new text each time. A round judges so many
of each with the older commit, with this one, and with this one's `checks=reward`, each in a process of its own that has
judged some before. Rates are of medians over rounds. The price of a kind is what judging takes less without it; those
that are not drawn for these programs cost nothing and are not tried.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
_REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, {names}):
        return {result}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""
_ROWS = """def k_{number}(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + i, mask=i < N, other={other})
    {body}
    tl.store(y_ptr + row * N + i, y, mask=i < N)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        k_{number}[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y
"""
_PRODUCT = """def k_{number}(a_ptr, b_ptr, c_ptr, K: tl.constexpr):
    i, k = tl.arange(0, 32), tl.arange(0, K)
    row, column = tl.program_id(0) * 32 + i, tl.program_id(1) * 32 + i
    a = tl.load(a_ptr + row[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * 64 + column[None, :])
    tl.store(c_ptr + row[:, None] * 64 + column[None, :], tl.dot(a, b, input_precision="ieee"))


class ModelNew(nn.Module):
    def forward(self, a, b):
        c = torch.empty((64, 64), device=a.device)
        k_{number}[(2, 2)](a, b, c, K=64)
        return c
"""
_SOFTMAX = "e = tl.exp(x - tl.max(x, axis=0))\n    y = e / tl.sum(e, axis=0)"
_NORM = (
    "m = tl.sum(x, axis=0) / N\n    d = tl.where(i < N, x - m, 0.0)\n"
    "    y = d * tl.rsqrt(tl.sum(d * d, axis=0) / N + 1e-5)"
)
#: Names, references and candidates.
PROGRAMS = {
    "softmax": (
        ("x", "torch.softmax(x, -1)", "torch.randn(64, 300)"),
        _ROWS,
        {"other": "-float('inf')", "body": _SOFTMAX},
    ),
    "layer norm": (
        ("x", "torch.nn.functional.layer_norm(x, (300,))", "torch.randn(64, 300)"),
        _ROWS,
        {"other": "0.0", "body": _NORM},
    ),
    "product": (("a, b", "a @ b", "torch.randn(64, 64), torch.randn(64, 64)"), _PRODUCT, {}),
}


def judge(count: int, strength: str, without: str) -> None:
    """In a process of its own: a line of seconds for each line read; `without`: kinds that are not drawn."""
    try:
        from kernelwright.evaluation.judge import local
    except ImportError:  # where the older commit has it
        from kernelwright.evaluate import local  # type: ignore[import-not-found,no-redef]
    strengths: Any = local
    with contextlib.suppress(ImportError):  # where the older commit has none
        from kernelwright.evaluation.judge import strengths
    from kernelwright.agent.evaluator import Rung
    from kernelwright.frontend.importers import import_source

    options: dict[str, Any] = {"seeds": 3, "memory_gb": 4.0, "use_gpu": False}
    if strength:
        options["strength"] = strength
    if without:
        kinds = strengths.STRENGTHS["default"]
        strengths.STRENGTHS = {"default": tuple(kind for kind in kinds if kind not in without.split(","))}
    number = 0
    with local.LocalEvaluator(**options) as evaluator:
        references = {}
        for name, ((names, result, inputs), _, _) in PROGRAMS.items():
            text = _REFERENCE.format(names=names, result=result, inputs=inputs)
            references[name] = import_source(text, "reference", shrink="never").reference
        for _ in sys.stdin:
            start, judged = time.perf_counter(), 0
            for name, (_, text, values) in PROGRAMS.items():
                for _ in range(count):
                    number += 1
                    candidate = _HEAD + text.format(number=number, **values)
                    verdict = evaluator.evaluate_text(candidate, references[name], (Rung.PARSE, Rung.INTERPRET))
                    if not verdict.ok:
                        raise SystemExit(f"{name}: {verdict}")
                    judged += 1
            print(1e3 * (time.perf_counter() - start) / judged, flush=True)


class Side:
    """A process that judges with one code and one setting."""

    def __init__(self, root: Path, count: int, strength: str = "", without: str = "") -> None:
        command = [sys.executable, str(Path(__file__)), "--judge", str(count), "--strength", strength]
        paths = (str(root), str(ROOT), os.environ.get("PYTHONPATH", ""))  # the code of then; this benchmark
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self._process = subprocess.Popen(
            [*command, "--without", without],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=root,
        )
        self.milliseconds: list[float] = []
        self.round()
        self.milliseconds.clear()  # references were run in it

    def round(self) -> None:
        """Judge once more."""
        assert self._process.stdin and self._process.stdout
        print(file=self._process.stdin, flush=True)
        self.milliseconds.append(float(self._process.stdout.readline()))

    @property
    def median(self) -> float:
        """Milliseconds a candidate."""
        return statistics.median(self.milliseconds)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


#: Kinds that were added since, and that these programs take.
PRICED = (
    *("rows", "literals", "orders", "offset", "columns", "zero", "one", "alone", "another alone", "lowest", "impulses"),
    *("same", "minute", "vast"),
)


def measure(
    old: Path, count: int, rounds: int, seconds: float, keep: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Interleaved rounds of the old code, the new, and the new with fewer checks; then of the new without each kind.

    `keep` gets what is found each time there is more. After so many seconds no other kind is tried.
    """
    until = time.monotonic() + seconds
    sides = {"old": Side(old, count), "default": Side(ROOT, count, "default"), "reward": Side(ROOT, count, "reward")}
    for _ in range(rounds):
        for side in sides.values():
            side.round()
    for side in sides.values():
        side.close()
    prices: dict[str, float] = {}
    found = {
        "milliseconds": {name: round(side.median, 2) for name, side in sides.items()},
        "rate_of_old": {name: round(sides["old"].median / side.median, 3) for name, side in sides.items()},
        "price_ms": prices,
        "rounds": {name: [round(one, 2) for one in side.milliseconds] for name, side in sides.items()},
    }
    keep(found)
    for kind in PRICED:
        if time.monotonic() > until:
            break
        prices[kind] = round(_price(kind, max(1, count // 4), 2 * rounds), 2)
        keep(found)
    return found


def _price(kind: str, count: int, rounds: int) -> float:
    """Milliseconds that judging takes less without a kind."""
    pair = Side(ROOT, count, "default"), Side(ROOT, count, "default", kind)
    for _ in range(rounds):
        for side in pair:
            side.round()
    for side in pair:
        side.close()
    return pair[0].median - pair[1].median


def main() -> int:
    """Run it; 0 if this commit keeps 0.7 of the older one's rate, and 0.9 with `checks=reward`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/judge_cost.json"))
    parser.add_argument("--old", default="HEAD~1", help="the older commit")
    parser.add_argument("--tree", type=Path, help="the older commit's files, if they are there already")
    parser.add_argument("--commit", default="", help="the code's commit, where git does not know it")
    parser.add_argument("--count", type=int, default=8, help="candidates of each program in a round")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1e6, help="after which no other kind's price is measured")
    parser.add_argument("--judge", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--strength", default="", help=argparse.SUPPRESS)
    parser.add_argument("--without", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.judge:
        judge(arguments.judge, arguments.strength, arguments.without)
        return 0
    from benchmarks.caliber import head
    from benchmarks.row_lines import command_line
    from kernelwright.driver.campaigns.campaign import machine

    with tempfile.TemporaryDirectory() as folder:
        old = arguments.tree or Path(folder) / "old"
        if arguments.tree is None:
            archive = Path(folder) / "old.tar"
            subprocess.run(["git", "archive", "-o", str(archive), arguments.old], check=True, cwd=ROOT)
            with tarfile.open(archive) as content:
                content.extractall(old, filter="tar")
        commits = {"old": arguments.old, "new": arguments.commit or head()}
        told = {"command": command_line(), "caliber": machine(), "commits": commits}
        keep = partial(_write, arguments.out, told)
        found = measure(old.absolute(), arguments.count, arguments.rounds, arguments.seconds, keep)
    print(json.dumps({name: found[name] for name in ("milliseconds", "rate_of_old", "price_ms")}, indent=1))
    rates = found["rate_of_old"]
    return 0 if rates["default"] >= 0.7 and rates["reward"] >= 0.9 else 1


def _write(out: Path, head: dict[str, Any], found: dict[str, Any]) -> None:
    from benchmarks.row_lines import write_result

    write_result(out, head | found)


if __name__ == "__main__":
    sys.exit(main())
