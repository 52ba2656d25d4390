"""Held-out problems of a training run: which they are, and what became of the answers to them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kernelwright.agent.trajectory import Trajectory
from kernelwright.driver.config.train_settings import ProblemSettings, TrainSettings
from kernelwright.driver.training.given import read_modules
from kernelwright.frontend.difficulties import HELD_OUT
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data.normal_form import normal_digest
from kernelwright.rl.data.rows import TEST
from kernelwright.rl.trainer.outcomes import rollout_metrics

#: The adapter that answers them: the policy may be drawing the next batch with an older one meanwhile.
ADAPTER = "held-out"
_KEPT = ("reward", "cut_off", "speedup/25", "speedup/50", "speedup/75")


def held_out_modules(
    settings: TrainSettings, target: str, learnt: Sequence[KernelModule], aside: Callable[[str, str], None]
) -> list[KernelModule]:
    """The modules to measure with; none where that is not asked for.

    Raises UserError where the run learns from one of them, or where nobody has said which they are.
    """
    plain = settings.plain
    if not plain.held_out.every:
        return []
    found = read_modules(_problems(settings), plain.stage.name, target, settings, aside)[: plain.held_out.count]
    forms = {normal_digest(module.reference.source) for module in learnt}
    for module in found:
        if normal_digest(module.reference.source) in forms:
            raise UserError(
                f"the run learns from {module.name}, or a copy of it, and held_out measures with it; give another "
                "held_out.place, or problems.split=train"
            )
    return found


def _problems(settings: TrainSettings) -> ProblemSettings:
    given, held_out = settings.plain.problems, settings.plain.held_out
    if held_out.place is None and given.plugin:
        raise UserError("held_out.every needs held_out.place=FILE where problems come from a package of your own")
    if held_out.place is None and given.place is None:
        return replace(given, first=HELD_OUT, count=held_out.count)
    split = TEST if held_out.place is None else None
    return replace(given, place=held_out.place or given.place, split=split, plugin={})


def held_out_figures(modules: Sequence[KernelModule], n: int, made: Sequence[Trajectory]) -> dict[str, Any]:
    """What became of `n` trajectories for each module: means, and the names of modules with a verified answer.

    `correct` is the share of trajectories that have one; a module whose prompt is too long counts as one without.
    """
    solved = [modules[one.problem].name for one in made if one.best is not None]
    metrics = rollout_metrics(made)
    figures: dict[str, Any] = {"correct": len(solved) / (n * len(modules))}
    figures |= {name: metrics[name] for name in _KEPT if name in metrics}
    return figures | {"problems": len(modules), "solved": sorted(set(solved))}
