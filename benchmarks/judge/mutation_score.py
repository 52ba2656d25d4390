"""Count how many faulty variants of right kernels the evaluator's default checks kill.

    python -m benchmarks.judge.mutation_score --out benchmarks/results/judge/mutation_score_cpu.json

Modules are the examples, two programs with loops, and generated programs, all lowered deterministically. Mutants are
sampled evenly over the kinds and lines of each module. The file gets every mutant's fate as it is found; the same
command goes on from there.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.row_lines import command_line, write_result
from kernelwright.agent.evaluator import Rung
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.mutation.mutants import mutants
from kernelwright.evaluation.mutation.score import Examiner, Fate, Finding, MutationReport
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_file, import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Rows too long for one block, so that kernels loop.
LONG_ROWS = """import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, x):
        return {result}


def get_inputs():
    return [torch.randn(3, 5000)]


def get_init_inputs():
    return [5000]
"""
LONG = {"long_layer_norm": "self.norm(x)", "long_softmax": "torch.softmax(x * self.norm.weight + self.norm.bias, 1)"}


def modules(programs: int) -> Iterator[KernelModule]:
    """Lowered examples, programs with loops, then so many generated ones; what cannot be lowered is left out."""
    imported = (import_file(path) for path in sorted(EXAMPLES.glob("*.py")))
    loops = (import_source(LONG_ROWS.format(result=result), name, shrink="never") for name, result in LONG.items())
    generated = (import_source(generate_program(seed), f"random_{seed}", shrink="never") for seed in range(programs))
    for source in (imported, loops, generated):
        for module in source:
            try:
                yield LowerInductor().run(module, Context())
            except KernelwrightError as error:
                print(f"@{module.name} is left out: {error}", file=sys.stderr)


class Results:
    """The file of results, written after each."""

    def __init__(self, out: Path, settings: dict[str, Any]) -> None:
        self.out, self.settings = out, settings
        self.caliber: dict[str, Any] = {}
        self.left_out: dict[str, str] = {}
        self.found: dict[str, dict[str, Any]] = {}
        if out.is_file():
            content = json.loads(out.read_text("utf-8"))
            if content["settings"] != settings:
                raise UserError(f"{out} was made with other settings: {content['settings']}; give another --out")
            self.caliber = content["caliber"]
            self.found = {one["mutant"]: one for one in content["mutants"]}

    @property
    def report(self) -> MutationReport:
        """All findings so far."""
        fields = ("kind", "kernel", "line", "description", "fate", "detail")
        rows = [{name: one[name] for name in fields} for one in self.found.values()]
        return MutationReport(tuple(Finding(**{**row, "fate": Fate(row["fate"])}) for row in rows))

    def add(self, module: str, name: str, finding: Finding) -> None:
        """One more."""
        self.found[name] = {"mutant": name, "module": module, **asdict(finding)}
        self.write()

    def summary(self) -> dict[str, Any]:
        """Counts and shares."""
        report = self.report
        return {
            "left_out": len(self.left_out),
            "modules": len({one["module"] for one in self.found.values()}),
            "mutants": len(report.findings),
            "not_equivalent": report.killed + len(report.survived),
            **{str(fate): len(report.of(fate)) for fate in Fate},
            "score": round(report.score, 4) if report.killed else None,
            "strict_score": round(report.strict_score, 4) if report.killed else None,
            "by_kind": report.by_kind(),
        }

    def write(self) -> None:
        """Replace the file."""
        content = {
            "command": command_line(),
            "settings": self.settings,
            "caliber": self.caliber,
            "summary": self.summary(),
            "left_out": self.left_out,
            "survivors": [one for one in self.found.values() if one["fate"] == Fate.SURVIVED],
            "mutants": list(self.found.values()),
        }
        self.out.parent.mkdir(parents=True, exist_ok=True)
        partial = self.out.with_suffix(".partial")
        write_result(partial, content)
        partial.replace(self.out)


def examine(module: KernelModule, evaluator: LocalEvaluator, rungs: tuple[Rung, ...] | None, results: Results) -> None:
    """Judge those of a module's mutants that have no result yet."""
    settings = results.settings
    sample = mutants(module, settings["each"], settings["seed"])
    due = {name: one for i, one in enumerate(sample) if (name := f"{module.name}#{i}") not in results.found}
    if not due:
        return
    try:
        examiner = Examiner(module, evaluator, rungs)
    except UserError as error:
        results.left_out[module.name] = str(error)
        return
    for name, mutant in due.items():
        finding = examiner.judge(mutant)
        results.add(module.name, name, finding)
        if finding.fate is Fate.SURVIVED:
            print(f"{name} {finding.kind} @{finding.kernel}:{finding.line} {finding.description}: {finding.detail}")


def main() -> int:
    """Run it; 0 if the score reaches the target on enough mutants, 1 if not, 2 for bad arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/mutation_score.json"))
    parser.add_argument("--each", type=int, default=16, help="mutants for each module")
    parser.add_argument("--programs", type=int, default=20, help="generated programs after the examples")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample and of the evaluator's draws")
    parser.add_argument("--rungs", default="", help="rungs, such as parse,interpret; by default the evaluator's own")
    parser.add_argument(
        "--least", type=int, default=200, help="the score must rest on so many mutants that are not equivalent"
    )
    parser.add_argument("--target", type=float, default=0.95, help="score to reach")
    arguments = parser.parse_args()
    settings = {name: getattr(arguments, name) for name in ("each", "programs", "seed", "rungs")}
    try:
        rungs = tuple(Rung(name) for name in arguments.rungs.split(",") if name) or None
        results = Results(arguments.out, settings)
    except (UserError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    with LocalEvaluator(seed=arguments.seed) as evaluator:
        climbed = [str(rung) for rung in rungs or evaluator.rungs()]
        results.caliber = machine() | {"rungs": climbed, "seeds": evaluator.seeds}
        for module in modules(arguments.programs):
            examine(module, evaluator, rungs, results)
    results.write()
    summary = results.summary()
    print(json.dumps(summary, indent=1))
    return 0 if summary["not_equivalent"] >= arguments.least and summary["score"] >= arguments.target else 1


if __name__ == "__main__":
    sys.exit(main())
