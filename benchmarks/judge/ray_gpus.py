"""A Ray pool over several GPUs beside a local pool on one: the same verdicts, also after a worker is killed.

    python -m benchmarks.judge.ray_gpus --gpus 2 --out benchmarks/results/judge/ray_gpus.json

Candidates are right, wrong and hostile softmax kernels, judged at full size on the GPUs. Half way through, a worker of
the Ray pool is killed. Fails unless every verdict comes, in order, with the status of the local pool's, and right and
wrong ones are told apart. `--gpus 0` tries it on the CPU.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.judge.soak import CANDIDATE, HARM, REFERENCE
from benchmarks.row_lines import command_line, write_result
from kernelwright.agent.evaluator import Rung, Status
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item, LocalOptions
from kernelwright.evaluation.pools.ray_pool import RayPool, load_ray

#: What some of the hostile candidates do; the others would take long, or end a worker of the local pool as well.
_KINDS = ("crashes", "exits", "raises", "threads")


def items(count: int, rung: Rung) -> Iterator[Item]:
    """Every fourth is hostile, every seventh of the others is wrong."""
    for number in range(count):
        hostile = number % 4 == 3
        harm = HARM[_KINDS[number // 4 % len(_KINDS)]][0] if hostile else "pass"
        wrong = " + 0.01" if not hostile and number % 7 == 0 else ""
        yield Item(CANDIDATE.format(harm=harm, wrong=f"{wrong}  # {number}"), REFERENCE, (rung,))


def main() -> int:
    """Run it; 0 where the verdicts are the same, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/ray_gpus.json"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--gpus", type=int, default=2)
    given = parser.parse_args()
    rung = Rung.RUN if given.gpus else Rung.INTERPRET
    options = LocalOptions(
        seeds=1, timeout_s=60, memory_gb=8, use_gpu=bool(given.gpus), dialect=False, vocabulary=False, seed=7
    )
    workers = given.gpus or 2
    seconds, start = {}, time.monotonic()
    with EvaluatorPool(options, 1) as local:
        wanted = [str(one.status) for one in local.evaluate_many(items(given.count, rung))]
    seconds["local"], start = round(time.monotonic() - start, 1), time.monotonic()
    ray = load_ray()
    ray.init(num_cpus=2 * workers, num_gpus=given.gpus, include_dashboard=False, log_to_driver=False)
    with RayPool(options, workers) as pool:
        pids = [ray.get(worker.actor.pid.remote()) for worker in pool.idle]  # type: ignore[attr-defined]

        def feed() -> Iterator[Item]:
            for number, item in enumerate(items(given.count, rung)):
                if number == given.count // 2:
                    os.kill(pids[0], signal.SIGKILL)
                yield item

        verdicts = list(pool.evaluate_many(feed()))
        left = [ray.get(worker.actor.pid.remote()) for worker in pool.idle]  # type: ignore[attr-defined]
    resources = ray.cluster_resources()
    ray.shutdown()
    seconds["ray"] = round(time.monotonic() - start, 1)
    found = [str(one.status) for one in verdicts]
    pairs = enumerate(zip(wanted, found, strict=True))
    differing = [f"{place}: {one} and {other}" for place, (one, other) in pairs if one != other]
    content = {
        "command": command_line(),
        "caliber": machine() | {"gpus": resources.get("GPU", 0), "workers": workers, "devices": sorted(
            {str(one.caliber.get("device")) for one in verdicts})},
        "statuses": dict(Counter(found)),
        "candidates": given.count,
        "verdicts": len(found),
        "differing": differing,
        "killed_worker_replaced": pids[0] not in left,
        "seconds": seconds,
    }  # fmt: skip
    write_result(given.out, content)
    print(json.dumps(content, indent=1))
    same = not differing and len(found) == given.count and content["killed_worker_replaced"]
    return 0 if same and {Status.OK, Status.MISMATCH} <= set(found) else 1


if __name__ == "__main__":
    sys.exit(main())
