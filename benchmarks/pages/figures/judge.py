"""What the judge finds, and what it costs."""

import json
from pathlib import Path

from benchmarks.pages.figures.formats import ROOT, read, table


def evaluator() -> str:
    """How strong and how fast the judge is."""
    mutation, soak = read("mutation_score_cpu")["summary"], read("soak_cpu")
    aa, cpu, gpu = read("timing_aa_h200"), read("throughput_cpu"), read("throughput_h200")
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
        [f"candidates a second, {cpu['workers']} cores, no GPU", f"{slow['per_second']:.1f}", "`throughput_cpu`"],
    ]
    return table(["measured", "result", "file"], rows)


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
