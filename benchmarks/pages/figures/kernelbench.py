"""What searches found for KernelBench, and which of its programs compile."""

from collections.abc import Mapping, Sequence
from statistics import geometric_mean, median
from typing import Any

from benchmarks.pages.figures.formats import ratio, read, table, wrapped
from benchmarks.search.beside_baselines import FAILED, FASTER, SLOWER
from benchmarks.search.time_to_quality import Mode

#: The mode of the campaign, and how many problems it has.
MODE, PROBLEMS = "15t", 100
LEVELS = ("level 1", "level 2")
BASELINES = {"eager PyTorch": "eager", "Inductor": "inductor", "the faster of both": FASTER}
#: What a winner's pipeline has where the lowering sums in another order.
REASSOCIATED = "reassociate=true"
#: How many winners are faster than so many times the faster baseline is told.
FAST = (1.2, 1.5, 2.0)


def gain() -> str:
    """The first screen's sentence: what one gains, and its caliber."""
    content, found = _campaign()
    caliber, shipped, own = content["caliber"], found["shipped"]["all"], found["own"]["all"]
    over, torch_version = shipped["over"], caliber["torch"].partition("+")[0]
    good = round(own[f"at_least_{SLOWER}"] * own["problems"])
    return wrapped(
        f"On {_problems(shipped)}, Kernelwright's programs run **{ratio(over['inductor'])} as fast as Inductor's** and "
        f"{ratio(over['eager'])} as fast as eager PyTorch: geometric means with 95% intervals, on one "
        f"{caliber['device']} with torch {torch_version}, fp32 with PyTorch's default numerics, "
        f"{Mode.read(MODE).seconds:g} s of search per problem, each once, with one version of the code. {good} of the "
        f"{own['problems']} winners are at least {SLOWER} times as fast as the faster of both "
        "([details](docs/results.md))."
    )


def kernelbench() -> str:
    """Geometric means by level against each baseline, of what is handed out."""
    shipped = _campaign()[1]["shipped"]
    counts = {level: shipped[level]["problems"] - shipped[level]["results"]["candidate"] for level in LEVELS}
    return _table(shipped, [["problems whose result is a baseline", *(str(counts[level]) for level in LEVELS)]])


def kernelbench_winners() -> str:
    """The same of what the searches found, and the caliber of both."""
    content, found = _campaign()
    own, caliber = found["own"], content["caliber"]
    rows = [
        [f"at least {SLOWER} of the faster of both", *(f"{own[level][f'at_least_{SLOWER}']:.0%}" for level in LEVELS)],
        [f"below {FAILED:.2f} of it", *(str(len(own[level][f"below_{FAILED}"])) for level in LEVELS)],
        ["nothing verified in time", *(str(len(own[level]["nothing_timed"])) for level in LEVELS)],
    ]
    told = wrapped(
        f"Both tables are of {_problems(own['all'])}, each searched for {Mode.read(MODE).seconds:g} s and timed once, "
        f"on one {caliber['device']} with torch {caliber['torch']}, triton {caliber['triton']} and driver "
        f"{caliber['facts']['driver']} (commit {caliber['commit']}, `kernelbench_h200`)."
    )
    return f"{_table(own, rows)}\n\n{told}"


def kernelbench_more() -> str:
    """What a table of means hides."""
    rows = [row for row in _campaign()[0]["results"] if row["mode"] == MODE and row.get("speedups")]
    over = {row["problem"]: min(row["speedups"].values()) for row in rows}
    ranked = sorted(over, key=lambda problem: -over[problem])
    early = {row["problem"] for row in rows if REASSOCIATED in row["best"]}
    others = geometric_mean(ratio for problem, ratio in over.items() if problem not in early)
    plain = sum(row["us"] == row["plain_us"] for row in rows)
    first = [row["curve"][0][0] for row in rows]
    beyond = ", ".join(
        f"{sum(ratio > bound for ratio in over.values())} are more than {bound:g} times" for bound in FAST
    )
    named = ", ".join(f"{problem} ({over[problem]:.1f}x)" for problem in ranked if problem in early)
    lines = [
        f"- Of {len(over)} winners, {beyond} as fast as the faster baseline. {plain} are the plain lowering, with "
        "Inductor's own kernels.",
        f"- Winners that sum in another order, such as an average before the product that it is taken of: {named}. "
        f"Without these the geometric mean over the faster baseline is {others:.2f}.",
        f"- The slowest winner is that of {ranked[-1]}: {over[ranked[-1]]:.3f} times as fast as the faster baseline.",
        f"- A first candidate was measured after {median(first):.1f} s in the median, and after {max(first):.1f} s at "
        "most.",
    ]
    return "\n".join(lines)


def _campaign() -> tuple[dict[str, Any], dict[str, Any]]:
    """The results of the campaign, and both its tables."""
    content = read("kernelbench_h200")
    return content, content["summary"][f"{MODE}_beside_baselines"]


def _table(of: Mapping[str, Any], more: Sequence[Sequence[str]]) -> str:
    """Geometric means against each baseline, a column a level, and `more` rows."""
    heading = ["speedup over", *(f"{level} ({of[level]['problems']} problems)" for level in LEVELS)]
    over = [[name, *(ratio(of[level]["over"][key]) for level in LEVELS)] for name, key in BASELINES.items()]
    return table(heading, [*over, *more])


def _problems(told: dict[str, Any]) -> str:
    """How many problems these figures are of."""
    all_of_them = f"{PROBLEMS} KernelBench problems of levels 1 and 2"
    return all_of_them if told["problems"] == PROBLEMS else f"{told['problems']} so far of {all_of_them}"


def coverage() -> str:
    """Which programs compile at all."""
    rows = []
    for file in ("compile_kernelbench_cpu", "compile_kernelbench_h200", "random_programs_cpu"):
        found = read(file)["summary"]
        sizes = "made small" if found["shrunken"] else "full sizes"
        verified = f"{found['verified']} of {found['programs']} verified"
        rows.append([f"`{file}`", verified, sizes, f"{found['median_seconds']:.1f} s a program"])
    return table(["file", "result", "sizes", "median time"], rows)
