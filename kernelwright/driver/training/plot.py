"""A picture of a run: what `metrics.jsonl` holds, drawn over steps."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright.ir.errors import UserError
from kernelwright.rl.trainer.phases import PARTIES
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.serve.optional import require_installed

FORMATS = ("svg", "png")
_SECONDS = "seconds/"
_MOST_BARS = 100


@dataclass(frozen=True)
class Panel:
    """Metrics that are drawn together, by the name that the legend gives them; `bounds` are of the vertical axis."""

    title: str
    metrics: Mapping[str, str]
    bounds: tuple[float, float] | None = None


PANELS = (
    Panel("reward", {"reward": "mean of turns"}),
    Panel("loss", {"loss": "training", "held_out_loss": "held out"}),
    Panel(
        "pass rate, share",
        {
            "correct": "turns verified",
            "solved": "trajectories with one",
            "new/correct": "turns on new problems",
            "held_out/correct": "held-out problems",
        },
        (-0.02, 1.02),
    ),
    Panel("divergence, nats a token", {"mismatch": "|trainer - policy|", "mismatch_kl": "KL to policy"}),
    Panel("KL to base, nats a token", {"kl": "of trained tokens"}),
    Panel("idle, share of the step", {f"idle/{name}": name for name in PARTIES}, (-0.02, 1.02)),
)


@contextlib.contextmanager
def plotted(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Draw the run in the folder when the block ends, however it ends; what stands in the way is said, and no error."""
    try:
        yield
    finally:
        try:
            plot_run(folder)
        except (UserError, OSError) as error:
            say(f"no plot of the run: {error}")


def plot_run(folder: Path) -> list[Path]:
    """Write `plot.svg` and `plot.png`: reward, loss, pass rate, divergence, seconds by phase; what a run has of these.

    Nothing is written of a run without a step. Raises UserError without matplotlib.
    """
    rows = read_metrics(folder)
    panels = [panel for panel in PANELS if any(name in row for row in rows for name in panel.metrics)]
    phases = phase_seconds(rows)
    if not panels:
        return []
    require_installed("matplotlib", "train")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = len(panels) + bool(phases)
    figure = Figure(figsize=(8, 2.2 * count), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, panels, strict=False):
        _draw(axis, panel, rows)
    if phases:
        _draw_phases(axes[-1], [row["step"] for row in rows], phases)
    figure.suptitle(name_of(folder))
    axes[-1].set_xlabel("step")
    with rc_context({"svg.fonttype": "none"}):  # text stays text, to be searched and copied
        return [_written(figure, folder / f"plot.{form}") for form in FORMATS]


def name_of(folder: Path) -> str:
    """A run's name: its folder with the two above, such as runs/train/frontend."""
    return "/".join(folder.resolve().parts[-3:]).lstrip("/")


def phase_seconds(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Seconds of every step by phase, phases in the order in which they first appear."""
    names = dict.fromkeys(name for row in rows for name in row if name.startswith(_SECONDS))
    return {name.removeprefix(_SECONDS): [float(row.get(name, 0.0)) for row in rows] for name in names}


def _draw(axis: Any, panel: Panel, rows: Sequence[Mapping[str, Any]]) -> None:
    """One panel; steps without a metric are left out of its line."""
    for name, label in panel.metrics.items():
        points = [(row["step"], row[name]) for row in rows if name in row]
        if points:
            axis.plot(*zip(*points, strict=True), label=label, marker="." if len(points) < 50 else None)
    axis.set_ylabel(panel.title)
    axis.legend(loc="best", fontsize="x-small")
    axis.grid(alpha=0.3)
    if panel.bounds is not None:
        axis.set_ylim(*panel.bounds)


def _draw_phases(axis: Any, steps: Sequence[int], phases: Mapping[str, Sequence[float]]) -> None:
    """Phases on top of one another: a bar for each step where these are few, else an area."""
    if len(steps) > _MOST_BARS:
        axis.stackplot(steps, list(phases.values()), labels=list(phases))
    else:
        below = [0.0] * len(steps)
        for name, seconds in phases.items():
            axis.bar(steps, seconds, bottom=below, width=0.8, label=name)
            below = [low + high for low, high in zip(below, seconds, strict=True)]
    axis.set_ylabel("seconds by phase")
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=min(len(phases), 6), fontsize="x-small")


def _written(figure: Any, path: Path) -> Path:
    """The figure in a file, which is whole or as it was."""
    partial = path.with_name(f".{path.name}.partial")
    figure.savefig(partial, format=path.suffix[1:])
    return partial.replace(path)
