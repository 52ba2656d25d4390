"""Read every kernel into the kernel IR, print it back, and compare both by Triton's own IR at several block sizes.

    python -m benchmarks.rewrites.kernel_ir --problems problems.jsonl \\
        --out benchmarks/results/rewrites/kernel_ir_cpu.json

Kernels are those that Inductor gives for the problems (each line is {"level", "problem_id", "name", "code"}, as in the
data set ScalingIntelligence/KernelBench), for the examples and for generated programs, and those of the evaluator's
honest candidates. The results count kernels, launches and operations that are not understood, by kind; they hold no
code.
"""

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.row_lines import write_result
from kernelwright.backend.compile.same_kernel import compare_kernels
from kernelwright.backend.targets import Target, get_target
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.kernel.text.parsing import helper_of, kernel_functions, parse_function
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

ROOT = Path(__file__).parents[2]


@dataclass
class Tally:
    """What was found in one corpus."""

    modules: int = 0
    kernels: int = 0
    operations: int = 0
    #: Operations that are not understood, by kind and the first word of their text.
    opaque: Counter[str] = field(default_factory=Counter)
    #: Kernels that hold an opaque statement.
    opaque_statements: int = 0
    not_reproduced: list[str] = field(default_factory=list)
    launches_equal: int = 0
    launches_unequal: list[str] = field(default_factory=list)
    launches_rejected: int = 0
    left_out: list[str] = field(default_factory=list)

    def add(self, module: KernelModule, target: Target) -> None:
        """Count a module's kernels."""
        functions = kernel_functions(module)
        self.modules += bool(functions)
        for symbol, function in functions.items():
            self._count(function)
            helpers = {name: helper_of(other) for name, other in functions.items() if name != symbol}
            printed = with_functions(module, {symbol: function}).kernel(symbol).source
            if parse_function(printed, helpers, entry=function.entry) != function:
                self.not_reproduced.append(f"{module.name}@{symbol}")
        found = compare_kernels(module, with_functions(module, functions), target)
        self.launches_equal += len(found.equal)
        self.launches_unequal += [f"{module.name}{launch}" for launch in found.unequal]
        self.launches_rejected += len(found.rejected)

    def _count(self, function: Function) -> None:
        self.kernels += 1
        opaque = [operation for operation in function.walk() if operation.kind.startswith("opaque")]
        self.operations += sum(1 for _ in function.walk())
        self.opaque.update(f"{one.kind}: {one.text.split()[0]}" for one in opaque)
        self.opaque_statements += any(one.kind == "opaque_statement" for one in opaque)

    def summary(self) -> dict[str, Any]:
        """The counts as JSON has them."""
        share = sum(self.opaque.values()) / max(self.operations, 1)
        return {**vars(self), "opaque": dict(self.opaque.most_common()), "opaque_share": round(share, 5)}


def lowered(sources: Iterator[tuple[str, str, str]], tally: Tally) -> Iterator[KernelModule]:
    """Programs (name, source, how to shrink) as Inductor lowers them; what it cannot lower is noted and left out."""
    for name, source, shrink in sources:
        try:
            yield LowerInductor().run(import_source(source, name, shrink=shrink), Context())
        except KernelwrightError as error:
            tally.left_out.append(f"{name}: {str(error).splitlines()[0][:100]}")


def problems(path: Path, limit: int | None) -> Iterator[tuple[str, str, str]]:
    """The problems of a file, by level and number."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    for row in rows[:limit]:
        yield f"level{row['level']}_{row['problem_id']}", row["code"], "auto"


def honest() -> Iterator[KernelModule]:
    """The honest candidates that the dialect accepts."""
    sys.path.insert(0, str(ROOT / "tests" / "suite"))
    from cases import load_cases

    for case in load_cases("honest"):
        if not case.refused:
            reference = import_source(case.reference_text, case.reference_path.stem, shrink="never").reference
            yield parse_module(case.text, reference=reference, name=case.name)


def corpora(arguments: argparse.Namespace) -> Iterator[tuple[str, Tally, Iterator[KernelModule]]]:
    """Each corpus by name, with the tally that it goes into."""
    if arguments.problems is not None:
        tally = Tally()
        yield "problems", tally, lowered(problems(arguments.problems, arguments.limit), tally)
    yield "honest candidates", Tally(), honest()
    tally = Tally()
    examples = ((path.stem, path.read_text("utf-8"), "auto") for path in sorted((ROOT / "examples").glob("*.py")))
    yield "examples", tally, lowered(examples, tally)
    tally = Tally()
    generated = ((f"random_{seed}", generate_program(seed), "never") for seed in range(arguments.programs))
    yield "generated programs", tally, lowered(generated, tally)


def main() -> int:
    """Count and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, help="a JSON Lines file of problems; without it they are left out")
    parser.add_argument("--limit", type=int, help="so many problems at most")
    parser.add_argument("--programs", type=int, default=1000, help="generated programs")
    parser.add_argument("--target", default="h100")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if arguments.problems is not None and not arguments.problems.is_file():
        raise UserError(f"--problems {arguments.problems}: no such file")
    warnings.filterwarnings("ignore", message=".*make_block_ptr is deprecated")
    settings = {"problems": arguments.problems.name if arguments.problems else None, "programs": arguments.programs}
    report: dict[str, Any] = {"settings": settings, "machine": machine(), "target": arguments.target}
    for name, tally, modules in corpora(arguments):
        for module in modules:
            tally.add(module, get_target(arguments.target))
        report[name] = tally.summary()
        if arguments.out is not None:
            write_result(arguments.out, report)
        print(f"{name}: {json.dumps(report[name])[:400]}", flush=True)
    wrong = [one for tally in report.values() if "kernels" in tally for one in tally["launches_unequal"]]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
