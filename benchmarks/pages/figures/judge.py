"""What the judge finds, and what it costs."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.pages.figures.formats import ROOT, read, table


def evaluator() -> str:
    """How strong and how fast the judge is."""
    mutation, soak = read("mutation_score_cpu")["summary"], read("soak_cpu")
    aa, cpu, gpu = read("timing_aa_h200"), read("throughput_cpu"), read("throughput_h200")
    ray = read("ray_gpus_h200")
    judged = sum(soak["candidates"].values())
    wrong = f"{len(soak['wrong'])} verdicts were wrong" if soak["wrong"] else "no verdict was wrong"
    fast = gpu["rates"]["parse, compile, run, estimate, dialect"]
    slow = cpu["rates"]["parse, compile, interpret, dialect"]
    rows = [
        [
            "wrong mutants of kernels that the checks reject",
            f"{mutation['killed']} of {mutation['not_equivalent']} non-equivalent mutants ({mutation['score']:.1%})",
            "`mutation_score_cpu`",
        ],
        *_strict(),
        *_architectures(),
        [
            "soak: right, wrong and hostile candidates",
            f"{judged} judged, {wrong}, {soak['left_processes']} processes left",
            "`soak_cpu`",
        ],
        [
            "a kernel timed against itself: the 95% interval contains 1",
            f"{aa['holds_1']:.1%} of {aa['trials']} trials",
            "`timing_aa_h200`",
        ],
        *_fresh(),
        *_judging(),
        [f"candidates a second, {gpu['workers']} workers, one H200", f"{fast['per_second']:.1f}", "`throughput_h200`"],
        [
            f"programs judged by workers of Ray on {ray['caliber']['gpus']:.0f} H200, one of them killed",
            f"{ray['verdicts']} of {ray['candidates']} verdicts, {len(ray['differing'])} unlike the local pool's",
            "`ray_gpus_h200`",
        ],
        [f"candidates a second, {cpu['workers']} cores, no GPU", f"{slow['per_second']:.1f}", "`throughput_cpu`"],
    ]
    return table(["measured", "result", "file"], rows)


def _strict() -> list[list[str]]:
    """How many of the mutants that were drawn by a seed are rejected; all that is not known to be equivalent counts."""
    content = read("strict_mutants_h200")
    found = content["summary"]
    wrong = found["killed"] + len(content["survivors"])
    told = (
        f"mutants drawn by seed {content['caliber']['seed']}, at {content['caliber']['commit']}, that the checks reject"
    )
    return [[told, f"{found['killed']} of {wrong} ({found['score']:.1%})", "`strict_mutants_h200`"]]


def _architectures() -> list[list[str]]:
    """How many of the architectures are verified, small and at real sizes, and how many planted faults are refused."""
    small, real = read("half_precision_cpu"), read("real_sizes_h200")
    counts = Counter(name.rpartition(" in ")[2] for name in real["rows"])
    sizes = ", ".join(f"{count} in {precision}" for precision, count in counts.items())
    kind = f"{small['summary']['models']} small architectures in fp32, bf16, fp16 and with autocast"
    rows = [[f"{kind}, at {small['caliber']['commit']}", _verified(small["summary"]), "`half_precision_cpu`"]]
    if later := small.get("later"):
        again = f"the same in bf16 and with autocast, at {later['caliber']['commit']}"
        rows.append([again, _verified(later["summary"]), "`half_precision_cpu`"])
    told = f"{real['summary']['verified']} of {real['summary']['programs']} verified"
    return [*rows, [f"architectures at real sizes on one H200: {sizes}", told, "`real_sizes_h200`"]]


def _verified(summary: dict[str, Any]) -> str:
    planted = f"{summary['refused']} of {summary['planted']} planted faults refused"
    return f"{summary['verified']} of {summary['programs']} verified, {planted}"


def _fresh() -> list[list[str]]:
    """What the judge said at first of programs whose writers knew neither its tests nor its mends."""
    folder, rows = ROOT / "tests" / "fresh", []
    said = {
        "attacks": "fresh attacks that were `ok`, which is wrong",
        "honest": "fresh right programs that were `ok`",
    }
    for name, commit in json.loads((folder / "commits.json").read_text("utf-8")).items():
        verdicts = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        told = []
        for dialect in ("on", "off"):
            given = [one["status"] == "ok" for one in verdicts if one["dialect"] == dialect]
            told.append(f"{sum(given)} of {len(given)} with `dialect={dialect}`")
        kind = Path(name).name.partition("_")[0]
        rows.append([f"{said[kind]}, at {commit}", ", ".join(told), f"`tests/fresh/{name}`"])
    return rows


def _judging() -> list[list[str]]:
    """What judging costs beside an older commit, and the price of each kind of inputs that was added since."""
    found = read("judge_cost_cpu")
    old, rates, file = found["commits"]["old"], found["rate_of_old"], "`judge_cost_cpu`"
    prices = ", ".join(f"{kind} {price:.1f}" for kind, price in found["price_ms"].items())
    return [
        [f"rate of judging, beside commit {old}", f"{rates['default']:.2f}; {rates['reward']:.2f} for rewards", file],
        [f"price of a kind of inputs, of {found['milliseconds']['default']:.0f} ms a candidate", f"{prices} ms", file],
    ]
