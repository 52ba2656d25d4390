"""Modules as an agent is given them: read from pairs, and judged as they are for rewards that compare with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kernelwright.agent.evaluating import Evaluate, Rungs, judge_all
from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.rewards import Reward
from kernelwright.driver.train_settings import ProblemSettings
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data import Pair, read_lines, read_rows


def paired_modules(problems: ProblemSettings, stage: str) -> list[KernelModule] | None:
    """What the pairs of a file are given, each module once; None where the place holds no pairs.

    Raises UserError where none is of the stage and the split.
    """
    path = Path(problems.place or "")
    if path.suffix != ".jsonl" or not path.is_file():
        return None
    if "before" not in next((content for _, content in read_lines(path)), {}):
        return None
    found: dict[str, KernelModule] = {}
    for pair in read_rows(path, Pair):
        if pair.stage == stage and problems.split in (None, pair.split):
            name = "".join(letter if letter.isalnum() else "_" for letter in pair.id)
            module = replace(parse_module(pair.before), name=name)
            found.setdefault(module.digest, module)
    if not found:
        split = "" if problems.split is None else f" and the split {problems.split}"
        raise UserError(f"{path} holds no pairs of the stage {stage}{split}")
    return list(found.values())


def compares_with_given(reward: Reward) -> bool:
    """Whether a reward needs the time of the module that the agent was given."""
    return getattr(reward, "baseline", "") == "before"


@dataclass
class Given:
    """Judges modules as they are, each once; `say` is told of those that cannot be compared with."""

    evaluate: Evaluate
    rungs: Rungs
    say: Callable[[str], None]
    _known: dict[str, Verdict] = field(default_factory=dict)

    def timed(self, modules: Sequence[KernelModule]) -> tuple[list[KernelModule], list[Verdict]]:
        """The modules that are right and have a time, and their verdicts. Raises UserError where none has one."""
        fresh = [module for module in modules if module.digest not in self._known]
        for module, verdict in zip(fresh, judge_all(fresh, self.evaluate, self.rungs), strict=True):
            if module.digest not in self._known and not _has_time(verdict):
                self.say(f"@{module.name} is left out, there is nothing to compare with: {verdict}")
            self._known[module.digest] = verdict
        found = [module for module in modules if _has_time(self._known[module.digest])]
        if not found:
            raise UserError(
                "none of a step's modules has a time to compare with; evaluate with the rung time, or with run and "
                "evaluator.samples=30, on a GPU"
            )
        return found, [self._known[module.digest] for module in found]


def _has_time(verdict: Verdict) -> bool:
    return verdict.ok and "candidate" in verdict.times_ms
