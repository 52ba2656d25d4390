"""Draw the results of `kernelbench.py`: speedups problem by problem, and a roofline where floors are given."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.kernelbench.kernelbench_summary import DEFAULT, HANDED_BACK, Floor, Outcome, Row, floor_of, outcome
from kernelwright.driver.training.plot import FORMATS
from kernelwright.ir.errors import UserError
from kernelwright.serve.optional import require_installed

_COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red")
_GREY = "lightgrey"
_NO_MARKS: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
_FILLED = MappingProxyType({"marker": "o", "markersize": 4, "color": "black", "linestyle": "none"})
_TICKS = (0.1, 0.2, 0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100)
#: What KernelBench's file names have besides a title.
_TITLE = re.compile(r"^\d+_|_?\.py$")


def draw(rows: Sequence[Row], out: Path, floors: Mapping[str, Any] | None) -> list[Path]:
    """Write OUT-speedup and, with floors, OUT-roofline as SVG and PNG. UserError without matplotlib, or times."""
    require_installed("matplotlib", "train")
    timed = [(row, found) for row in rows if (found := outcome(row)).ratio]
    if not timed:
        raise UserError(f"{out}: no row has times, so there is nothing to draw")
    written = _save(_speedups(timed, out.stem), out, "speedup")
    if floors is None:
        return written
    bounded = [(row, found, floor) for row, found in timed if (floor := floor_of(row, floors)) is not None]
    return written + (_save(_roofline(bounded, floors["ceilings"], out.stem), out, "roofline") if bounded else [])


def _figure(width: float, height: float) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Any, out: Path, name: str) -> list[Path]:
    from matplotlib import rc_context

    paths = [out.with_name(f"{out.stem}-{name}.{form}") for form in FORMATS]
    with rc_context({"svg.fonttype": "none"}):  # text stays text, to be searched and copied
        for path in paths:
            figure.savefig(path)
    return paths


def _how(rows: Sequence[Row]) -> str:
    return "; ".join(sorted({f"{row['how']}, {row['caliber'].get('device', '')}".rstrip(", ") for row in rows}))


def _colour(row: Row) -> str:
    level = row.get("level")
    return _COLOURS[level % len(_COLOURS)] if isinstance(level, int) else _COLOURS[0]


def _levels(rows: Sequence[Row]) -> dict[str, str]:
    """Colours by what they stand for, for a legend; nothing where problems have no level."""
    levels = sorted({row["level"] for row in rows if isinstance(row.get("level"), int)})
    return {f"level {level}": _colour({"level": level}) for level in levels}


def _legend(
    axis: Any, colours: Mapping[str, str], marks: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> None:
    """Squares for colours, and marks by their looks."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [Patch(color=colour, label=name) for name, colour in colours.items()]
    handles += [Line2D([], [], label=name, **looks) for name, looks in marks.items()]
    axis.legend(handles=handles, loc="best", fontsize="x-small")


def _speedups(timed: Sequence[tuple[Row, Outcome]], name: str) -> Any:
    """A bar a problem, the greatest first: the candidate against the faster of eager and Inductor default, in grey
    where the faster of these is the result."""
    ranked = sorted(timed, key=lambda pair: pair[1].candidate_over(HANDED_BACK) or 1.0)
    figure = _figure(8, 1.2 + 0.16 * len(ranked))
    axis = figure.subplots()
    names = [f"{row['id']} {_TITLE.sub('', row.get('problem', ''))}"[:48] for row, _ in ranked]
    own = [found.candidate_over(HANDED_BACK) or 1.0 for _, found in ranked]
    colours = [_GREY if found.handed_back else _colour(row) for row, found in ranked]
    axis.barh(range(len(own)), [value - 1.0 for value in own], left=1.0, color=colours)
    axis.set_yticks(range(len(own)), names, fontsize=5)
    axis.set_ylim(-0.6, len(own) - 0.4)
    axis.axvline(1.0, color="black", linewidth=0.8)
    axis.set_xscale("log")
    axis.set_xticks([tick for tick in _TICKS if 0.8 * min(own) <= tick <= 1.25 * max(own)])
    axis.minorticks_off()
    axis.xaxis.set_major_formatter(lambda value, _place: f"{value:g}x")
    axis.grid(axis="x", alpha=0.3)
    against = " and ".join(name for name in HANDED_BACK if any(name in found.own for _, found in ranked))
    axis.set_xlabel(
        f"speedup of the candidate, times the fastest of {against} ({_how([row for row, _ in ranked])})", fontsize=7
    )
    axis.set_ylabel("problem", fontsize=7)
    axis.set_title(f"{name}: speedup by problem", fontsize=9)
    taken = [row for row, found in ranked if not found.handed_back]
    replaced = {"the baseline is handed out instead": _GREY} if len(taken) < len(ranked) else {}
    _legend(axis, (_levels(taken) or {"candidate": _COLOURS[0]}) | replaced)
    return figure


def _roofline(bounded: Sequence[tuple[Row, Outcome, Floor]], ceilings: Mapping[str, Any], name: str) -> Any:
    """On the left what has FLOPs under the roofs of memory, fp32 and TF32; on the right each problem's share of its
    floor, before (Inductor, hollow) and after."""
    figure = _figure(11, 5)
    left, right = figure.subplots(1, 2)
    _draw_roofs(left, [each for each in bounded if each[2].flops and each[1].time_ms], ceilings)
    ranked = sorted(bounded, key=lambda each: each[2].ms / (each[1].time_ms or each[2].ms))
    for place, (row, found, floor) in enumerate(ranked):
        right.plot(place, floor.ms / (found.time_ms or floor.ms), ".", color=_colour(row))
        if DEFAULT in row["times_ms"]:
            share = floor.ms / row["times_ms"][DEFAULT]
            right.plot(place, share, "o", markersize=4, markerfacecolor="none", color=_GREY, zorder=1)
    right.set_yscale("log")
    right.axhline(1.0, color="black", linewidth=0.8)
    right.set_xlabel("problems, the furthest from their floor first")
    right.set_ylabel("floor / time, share")
    right.grid(alpha=0.3)
    levels = _levels([row for row, _, _ in bounded])
    hollow = {"marker": "o", "markersize": 4, "markerfacecolor": "none", "linestyle": "none"}
    _legend(right, levels, {"result": _FILLED, "Inductor": hollow | {"color": _GREY}})
    _legend(left, levels, {"convolution": _FILLED, "no convolution": hollow | {"color": "black"}})
    figure.suptitle(f"{name}: roofline ({_how([row for row, _, _ in bounded])})", fontsize=9)
    return figure


def _draw_roofs(axis: Any, bounded: Sequence[tuple[Row, Outcome, Floor]], ceilings: Mapping[str, Any]) -> None:
    """FLOP/s over FLOPs a byte; filled: a convolution, which may use TF32."""
    for row, found, floor in bounded:
        rate = floor.flops / (1e9 * (found.time_ms or floor.ms))
        face = _colour(row) if row["convolution"] else "none"
        axis.plot(floor.flops / floor.bytes, rate, "o", markersize=4, markerfacecolor=face, color=_colour(row))
    intensities = [0.25, *(floor.flops / floor.bytes for _, _, floor in bounded), 4096.0]
    ends = min(intensities), max(intensities)
    for key, name in (("fp32_TFLOP_s", "fp32"), ("tf32_TFLOP_s", "TF32")):
        ridge = 1e3 * ceilings[key] / ceilings["copy_GB_s"]
        slope = ends[0] * ceilings["copy_GB_s"] / 1e3
        axis.plot([ends[0], ridge, ends[1]], [slope, ceilings[key], ceilings[key]], color="black", linewidth=0.8)
        axis.annotate(f"{name} {ceilings[key]:g}", (ends[1], ceilings[key]), ha="right", va="bottom", fontsize=7)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel(f"FLOPs a byte that must move ({ceilings['copy_GB_s']} GB/s)")
    axis.set_ylabel("TFLOP/s")
    axis.grid(alpha=0.3)
