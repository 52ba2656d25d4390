"""`kernelwright data kernels`: every kernel that Inductor generates for a program, as a problem of its own."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import triton
from rich.console import Console

from kernelwright.driver.extraction.program_file import read_model
from kernelwright.driver.extraction.recording import record_model
from kernelwright.driver.run.activity import Activity
from kernelwright.driver.run.journal import Journal
from kernelwright.frontend.importers import read_source
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.problem import name_of, problem
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.rl.data.rows import Problem, write_rows

#: Under which key the journal has what is left out.
_LEFT_OUT = "left_out"


@dataclass(frozen=True)
class KernelsFile:
    """Writes the problems of a program's kernels to a file, mode by mode; goes on where it was stopped."""

    program: Path
    out: Path
    modes: Sequence[str]
    seed: int = 0

    def write(self, console: Console) -> dict[str, Any]:
        """Write the file; how many kernels there are, how many have a problem, and why others have none."""
        source = read_source(self.program)
        digest = hashlib.sha256(source.encode()).hexdigest()
        made_with = {"program": digest, "torch": torch.__version__, "triton": triton.__version__, "seed": self.seed}
        journal = Path(f"{self.out}.journal")
        with Journal(journal, made_with) as results, Activity(console, "recording", total=len(self.modes)) as activity:
            for mode in self.modes:
                activity.show(f"recording {mode}")
                if mode not in results.results:
                    results.add(mode, self._recorded(mode))
                activity.advance()
            found = [results.results[mode] for mode in self.modes]
        rows = {row["id"]: Problem(**row) for result in reversed(found) for row in reversed(result["rows"])}
        write_rows(self.out, list(rows.values())[::-1])
        journal.unlink()
        why = Counter(reason for result in found for reason in result[_LEFT_OUT])
        kernels = sum(result["kernels"] for result in found)
        return {"out": str(self.out), "kernels": kernels, "problems": len(rows), _LEFT_OUT: dict(why.most_common())}

    def _recorded(self, mode: str) -> dict[str, Any]:
        """One mode's rows, the number of its kernels, and a reason for each of those that have no row."""
        model, inputs = read_model(self.program, self.seed)
        try:
            graphs = record_model(model, inputs, mode)
        except Exception as error:
            told = str(error).splitlines()[0]
            raise UserError(f"{self.program.stem}: torch.compile fails in mode {mode}: {told}") from error
        rows, left_out, count = list[dict[str, Any]](), list[str](), 0
        together = {key for graph in graphs for kernel in graph.kernels for key in kernel.parts}
        for graph, kernel in _kernels(graphs):
            count += not kernel.parts
            try:
                module = problem(kernel, graph.spreads)
            except KernelwrightError:
                left_out += [] if kernel.key in together else [kernel.why_not or "its values have no literal form"]
                continue
            rows.append({"id": name_of(kernel), "source": module.reference.source, **self._told(kernel, graph, mode)})
        return {"rows": rows, _LEFT_OUT: left_out, "kernels": count}

    def _told(self, kernel: Recorded, graph: RecordedGraph, mode: str) -> dict[str, Any]:
        told = {"model": self.program.name, "kernel": kernel.name, "key": kernel.key, "mode": mode}
        return {"provenance": {**told, "backward": graph.backward, "together": len(kernel.parts) or 1}}


def _kernels(graphs: Sequence[RecordedGraph]) -> Iterator[tuple[RecordedGraph, Recorded]]:
    """Every kernel once, with its graph."""
    seen = set[str]()
    for graph in graphs:
        for kernel in graph.kernels:
            if not kernel.key or kernel.key not in seen:
                seen.add(kernel.key)
                yield graph, kernel
