"""What whole models gain."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.models.reasons import not_admitted
from benchmarks.models.sizes import ROUNDING
from benchmarks.pages.figures.formats import read, table, wrapped
from kernelwright.driver.optimize.certifying import NOT_VERIFIED, RIGHT, SLOWER

#: What a comparison was made with, as a heading, by stage.
_BESIDE = {"graphs": "Under CUDA graphs", "tuned": "Beside max-autotune"}


def optimized() -> str:
    """How much faster models run with the kernels that `optimize` admitted, a line a row."""
    content = read("optimize_h200")
    done = [row for row in content["rows"].values() if "failure" not in row["compare"]]
    stages = [stage for stage in _BESIDE if any(stage in row for row in done)]
    heading = ["Model", "Kernels", "Admitted", "Best kernel in the model", "Model on the device"]
    heading += ["Inductor beside itself", *(_BESIDE[stage] for stage in stages)]
    heading += ["Not admitted (what they could save at most)"]
    caliber, lines = content["caliber"], [table(heading, [_optimized(row, stages) for row in done]), ""]
    told = content["summary"]
    means = [
        f"{_with(name)} {_means(mean)}"
        for name, mean in told["geometric_mean"].items()
        if len(told["tables"][name]["compare"]) > 1
    ]
    lines.append(
        wrapped(
            f"On one {caliber['device']} with torch {caliber['torch'].partition('+')[0]}. In geometric mean: "
            f"{'; '.join(means)}. Intervals are those of 95%, of medians of at most {caliber['pairs']} pairs of calls "
            "(`optimize_h200`)."
        )
    )
    return "\n".join(lines)


def other_sizes() -> str:
    """What models with admitted kernels do at other sizes, in a paragraph."""
    content = read("sizes_h200")
    told, caliber, rows = content["summary"], content["caliber"], content["rows"].values()
    launches = [one for row in rows for one in row["launches"]]
    faults = sum(one["fault"] for one in launches)
    apart = sum(one["launches"] for one in launches if one["apart"] > ROUNDING)
    tried = [became for row in rows for found in row["tried"].values() for became in found]
    allowed, alike = (f"all but {some}" if some else "all" for some in (faults, apart))
    kept, slower, wrong = (sum(one.startswith(word) for one in tried) for word in (RIGHT, SLOWER, NOT_VERIFIED))
    budget, commit = (content["conditions"][name] for name in ("budget", "commit"))
    return wrapped(
        f"{told['at_four_sizes']} kernels with an admitted one for their place were launched at four other sizes each, "
        "with batches around the first one and larger ones. Ours took "
        f"{told['ours']} of {told['launches']} launches, in {told['with_ours']} of these kernels and "
        f"{len(told['models_with_ours'])} models, and Inductor's kernel the others: what the certificates allow in "
        f"{allowed}. What ours gave was what Inductor's kernel gave, but for rounding, in {alike}. Of "
        f"{len(tried)} sizes that `optimize` tried for certificates, ours was verified and no slower by itself at "
        f"{kept}, slower at {slower}, and not verified at {wrong}. {budget:.0f} s of `optimize` for each model, on one "
        f"{caliber['device']} with torch {caliber['torch'].partition('+')[0]} (commit {commit}, `sizes_h200`)."
    )


def gain() -> str:
    """What `optimize` gains in all, in a sentence: the models in bf16 without gradients."""
    content, name = read("optimize_h200"), "bf16 eval 90s"
    ratios = [ratio for ratio, _low, _high in content["summary"]["tables"][name]["compare"].values()]
    mean, caliber = content["summary"]["geometric_mean"][name]["all"], content["caliber"]
    return wrapped(
        f"{len(ratios)} whole models in bf16 run **{mean:.2f}x as fast as with Inductor's default** by device time "
        f"(geometric mean, {min(ratios):.2f}x to {max(ratios):.2f}x) after 90 s of `kernelwright optimize` each, on "
        f"one {caliber['device']} with torch {caliber['torch'].partition('+')[0]} ([details](docs/optimize.md))."
    )


def _optimized(row: Mapping[str, Any], stages: Sequence[str]) -> list[str]:
    """A line of the table."""
    kernels, made = row["optimize"]["kernels"], row["compare"]
    best = max((one["graph"]["ratio"] for one in kernels if one["became"] == "admitted"), default=1.0)
    name = f"{row['model']}, {row['dtype']}, {row['mode']}, {row['budget']:.0f} s"
    counts = [str(made[key]) for key in ("kernels", "replaced")]
    times = [_interval(made["device_ours"]), f"{made['device_same']['ratio']:.3f}x"]
    beside = [_beside(row.get(stage)) for stage in stages]
    return [name, *counts, f"{best:.2f}x", *times, *beside, not_admitted(kernels, row["optimize"]["model_us"])]


def _beside(found: Mapping[str, Any] | None) -> str:
    """A comparison in a cell, or how it failed; a dash where it was not asked for."""
    if found is None:
        return "–"
    return f"failed: {found['failure'].partition(':')[0]}" if "failure" in found else _interval(found["device_ours"])


def _interval(one: Mapping[str, float]) -> str:
    return f"{one['ratio']:.3f}x [{one['low']:.3f}, {one['high']:.3f}]"


def _with(name: str) -> str:
    """The conditions of a table in words: `bf16 eval 90s`."""
    dtype, mode, budget = name.split()
    return f"{dtype}, {'without' if mode == 'eval' else 'with'} gradients, {budget.removesuffix('s')} s of `optimize`:"


def _means(mean: Mapping[str, float]) -> str:
    rest = f" ({mean['without_best']:.3f}x without the best model)" if "without_best" in mean else ""
    return f"{mean['all']:.3f}x{rest}"


def models() -> str:
    """What became of the kernels of whole models, a line a model."""
    content = read("models_cpu")
    found: dict[str, list[dict[str, Any]]] = {}
    for name, row in content["rows"].items():
        if "error" not in row:
            found.setdefault(name.partition(" ")[0], []).append(row)
    heading = ["Model", "Modes", "Kernels", "With a reference", "Replaced", "Apart: Inductor"]
    heading += ["Apart: with replacements"]
    cells = []
    for model, rows in found.items():
        kernels, alone, joint, swapped = (
            sum(row[key] for row in rows) for key in ("kernels", "with_reference", "in_joint_problems", "swapped")
        )
        furthest = [f"{max(row[key] for row in rows):.1e}" for key in ("inductor", "ours")]
        share = f"{(alone + joint) / kernels:.0%}"
        cells.append([model, str(len(rows)), str(kernels), share, str(swapped), *furthest])
    told, caliber, most = content["summary"], content["caliber"], content["caliber"]["most"]
    beside = max(row["from_inductor"] for row in content["rows"].values())
    apart = f"at most {beside:.0e} of the largest value from Inductor's own" if beside else "Inductor's to the bit"
    limit = "every kernel" if most is None else f"at most {most} new kernels of each row"
    lines = [
        table(heading, cells),
        "",
        wrapped(
            f"{told['share_with_reference']:.0%} of {told['kernels']} kernels have a reference. Answers were looked "
            f"for to {limit}. In {told['right']} of {told['rows']} rows at least one kernel was replaced, and "
            f"results were {apart}. In {told['hit_in_a_second_process']} rows a second process found "
            f"every graph in Inductor's caches, with the replacements in force. Measured on {caliber['commit']} with "
            f"torch {caliber['torch'].partition('+')[0]}{_measured_later(content['rows'])} (`models_cpu`)."
        ),
    ]
    return "\n".join(lines)


def _measured_later(rows: Mapping[str, Any]) -> str:
    """Which rows were measured on other code or with another torch, with a comma before it; "" for none."""
    later = {name: row["measured"] for name, row in rows.items() if "measured" in row}
    names: dict[str, list[str]] = {}
    for name, made in later.items():
        names.setdefault(f"on {made['commit']} with torch {made['torch'].partition('+')[0]}", []).append(name)
    return "".join(f", and {', '.join(those)} {how}" for how, those in names.items())


def real_models() -> str:
    """What replaced kernels cost models at real sizes, a line a model."""
    content = read("models_h200")
    heading = ["Model", "Kernels", "Replaced", "Error: Inductor", "Error: with replacements", "A launch: Inductor"]
    heading += ["A launch: ours, added at most", "Second process, longer by"]
    rows = []
    for name, row in content["rows"].items():
        ours = row["ours"]
        errors, launch = ours["errors"]["output"], ours["launch_us"]
        kernels = [str(ours["kernels"][key]) for key in ("loaded", "replaced")]
        exact = [f"{errors[side]:.2%}" for side in ("inductor", "ours")]
        took = [f"{launch['inductor']:.1f} us", f"{launch['added_at_most']:+.2f} us"]
        rows.append([name, *kernels, *exact, *took, f"{row['second_process_s']:+.1f} s"])
    told, caliber = content["summary"], content["caliber"]
    right = f"{told['models'] - len(told['open'])} of {told['models']}"
    lines = [
        table(heading, rows),
        "",
        wrapped(
            f"On one {caliber['device']} with torch {caliber['torch'].partition('+')[0]}, in bf16. Errors are those of "
            "the output against the model in fp32, root mean squares relative to it. Outputs are right in "
            f"{right} models, also under CUDA graphs, and so are the gradients of those that are trained. "
            f"A replaced kernel adds at most {told['added_us_a_launch_at_most']:.2f} us to the host's work for a "
            f"launch, and a second process takes at most {told['second_process_s_at_most']:.1f} s longer than "
            "Inductor's until its first result (`models_h200`)."
        ),
    ]
    return "\n".join(lines)


def ceilings() -> str:
    """What faster kernels could bring to whole models at most, a line a model."""
    content = read("ceiling_h200")
    kinds = ("generated", "products", "convolutions", "all")
    heading = ["Model", "Work in a call", "In generated kernels", "Kernels at their floors"]
    heading += ["and part of products", "and of convolutions", "and libraries at theirs"]
    rows = []
    for name, row in content["rows"].items():
        bounds = [f"{row['ceilings'][kind]:.2f}x" for kind in kinds]
        ms, share = row["device_us"] / 1e3, row["shares"]["generated"]
        rows.append([f"{name}: {row['sizes']}", f"{ms:.2f} ms", f"{share:.0%}", *bounds])
    told, caliber = content["summary"], content["caliber"]
    means, limit = told["ceilings_geometric_mean"], told["kernels_alone_below"]
    below = ", ".join(limit["models"]) or "none"
    return "\n".join(
        [
            table(heading, rows),
            "",
            wrapped(
                f"Geometric means: {', '.join(f'{means[kind]:.2f}x' for kind in kinds)}. Below {limit['limit']}x by "
                f"kernels alone: {below}. At least {told['accounted_at_least']:.1%} of the device's time is accounted "
                f"for in every model. Inference in bf16 on one {caliber['device']} with torch "
                f"{caliber['torch'].partition('+')[0]}, median of {caliber['calls']} calls (`ceiling_h200`)."
            ),
        ]
    )
