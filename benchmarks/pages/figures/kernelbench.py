"""What searches found for KernelBench, and which of its programs compile."""

from collections.abc import Mapping, Sequence
from statistics import geometric_mean, median
from typing import Any

from benchmarks.pages.figures.formats import ratio, read, table, wrapped
from benchmarks.search.beside_baselines import FAILED, FASTER, SLOWER
from benchmarks.search.time_to_quality import Mode

#: The campaign: its results, the mode of its searches, and how many problems it has.
CAMPAIGN, MODE, PROBLEMS = "kernelbench_15s_h200", "15t", 100
LEVELS = ("level 1", "level 2")
BASELINES = {"eager PyTorch": "eager", "Inductor": "inductor", "the faster of both": FASTER}
#: What a winner's pipeline has where its lowering takes averages before products and convolutions.
REASSOCIATED = "reassociate=true"
#: How many winners are faster than so many times the faster baseline is told.
FAST = (1.2, 1.5, 2.0)


def gain() -> str:
    """The first screen's sentence: what one gains, and its caliber."""
    content, tables, rows = _campaign()
    caliber, own = content["caliber"], tables["own"]["all"]
    over, torch_version = own["over"], caliber["torch"].partition("+")[0]
    early, others = _reassociated(rows)
    return wrapped(
        f"On {_problems(own)}, the winners of `search` run **{ratio(over['inductor'])} as fast as Inductor's code** "
        f"({others['inductor']:.2f}x without the {len(early)} that take averages before products) and "
        f"{ratio(over['eager'])} as fast as eager PyTorch: geometric means with 95% intervals, on one "
        f"{caliber['device']} with torch {torch_version}, fp32 with PyTorch's default numerics, a budget of "
        f"{Mode.read(MODE).seconds:g} s per problem, each once, with one version of the code. {_good(own)} of "
        f"{own['problems']} are at least {SLOWER} times as fast as the faster of both ([details](docs/results.md))."
    )


def kernelbench() -> str:
    """Geometric means by level against each baseline, of the winners."""
    own = _campaign()[1]["own"]
    told = [f"{_good(own[level])}, and {len(own[level][f'below_{FAILED}'])} below {FAILED:.2f}" for level in LEVELS]
    return _table(own, [[f"problems with at least {SLOWER} of the faster of both", *told]])


def kernelbench_fastest() -> str:
    """The same where baselines count that are faster, and the caliber of both tables."""
    content, tables, done = _campaign()
    fastest, caliber = tables["fastest"], content["caliber"]
    rows = [
        [f"problems in which {name} is the fastest", *(str(fastest[level]["results"].get(key, 0)) for level in LEVELS)]
        for name, key in (("the winner", "candidate"), ("eager PyTorch", "eager"), ("Inductor", "inductor"))
    ]
    told = wrapped(
        f"Both tables are of {_problems(fastest['all'])}, each searched with a budget of {Mode.read(MODE).seconds:g} s "
        f"and timed once, on one {caliber['device']} with torch {caliber['torch']}, triton {caliber['triton']} and "
        f"driver {caliber['facts']['driver']} (commit {caliber['commit']}, `{CAMPAIGN}`)."
        + "".join(_otherwise(row, caliber) for row in done)
    )
    return f"{_table(fastest, rows)}\n\n{told}"


def _otherwise(row: Mapping[str, Any], caliber: Mapping[str, Any]) -> str:
    """What a row's caliber has that is not that of the campaign, in a sentence."""
    told = [f"{name} {one}, others with {caliber.get(name)}" for name, one in row.get("caliber", {}).items()]
    return f" {row['problem']} was measured with {'; '.join(told)}." if told else ""


def kernelbench_more() -> str:
    """What a table of means hides."""
    content, tables, rows = _campaign()
    without = tables["own"]["all"]["without"]
    over = {row["problem"]: min(row["speedups"].values()) for row in rows}
    slowest = min(over, key=lambda problem: over[problem])
    plain = sum(row["us"] == row["plain_us"] for row in rows)
    beyond = [f"{sum(ratio > bound for ratio in over.values())} are more than {bound:g} times" for bound in FAST]
    early, others = _reassociated(rows)
    named = ", ".join(f"{problem} ({over[problem]:.1f}x)" for problem in early)
    walls = {row["problem"]: row["wall_s"] - row["spent_s"]["timing"] for row in rows}
    longest = max(walls, key=lambda problem: walls[problem])
    first, cold = [row["curve"][0][0] for row in rows], content["summary"]["first_measured_cold_s"]
    lines = [
        f"- Of {len(over)} winners, {', '.join(beyond[:-1])} and {beyond[-1]} as fast as the faster baseline. "
        f"{plain} are the plain lowering, with Inductor's own kernels.",
        f"- Problems without a winner: {', '.join(f'{name} ({why})' for name, why in without.items()) or 'none'}.",
        f"- Winners that take averages before products and convolutions (`reassociate`): {named}. Without these the "
        f"geometric mean over the faster baseline is {others[FASTER]:.2f}.",
        f"- The slowest winner is that of {slowest}: {over[slowest]:.3f} times as fast as the faster baseline.",
        f"- With the wait for verdicts a search took {median(walls.values()):.1f} s in the median, and "
        f"{walls[longest]:.1f} s at most ({longest}): a first verdict is waited for however long it takes.",
        f"- A first candidate was measured after {median(first):.1f} s in the median, and after {max(first):.1f} s at "
        f"most, with processes that were there before. The first search of a process took up to {max(cold):.1f} s.",
    ]
    return "\n".join(lines)


def _campaign() -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """The results of the campaign, both its tables, and the rows with a winner. All rows are of the commit it tells."""
    content = read(CAMPAIGN)
    rows = [row for row in content["results"] if row["mode"] == MODE]
    assert {row["commit"] for row in rows} == {content["caliber"]["commit"]}, "one campaign is of one commit"
    return content, content["summary"][f"{MODE}_beside_baselines"], [row for row in rows if row.get("speedups")]


def _reassociated(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], dict[str, float]]:
    """Problems whose winners take averages before products, and geometric means by baseline without them."""
    early = [row["problem"] for row in rows if REASSOCIATED in row["best"]]
    others = [row["speedups"] for row in rows if row["problem"] not in early]
    found = {"inductor": [one["inductor"] for one in others], FASTER: [min(one.values()) for one in others]}
    return early, {name: geometric_mean(ratios) for name, ratios in found.items()}


def _good(own: Mapping[str, Any]) -> int:
    return int(own[f"at_least_{SLOWER}"])


def _table(of: Mapping[str, Any], more: Sequence[Sequence[str]]) -> str:
    """Geometric means against each baseline, a column a level, and `more` rows."""
    heading = ["speedup over", *(f"{level} ({of[level]['problems']} problems)" for level in LEVELS)]
    over = [[name, *(ratio(of[level]["over"][key]) for level in LEVELS)] for name, key in BASELINES.items()]
    return table(heading, [*over, *more])


def _problems(told: Mapping[str, Any]) -> str:
    """How many problems these figures are of."""
    all_of_them = f"{PROBLEMS} KernelBench problems of levels 1 and 2"
    return all_of_them if told["problems"] == PROBLEMS else f"{told['problems']} of {all_of_them} so far"


def coverage() -> str:
    """Which programs compile at all."""
    rows = []
    for file in ("compile_kernelbench_cpu", "compile_kernelbench_h200", "random_programs_cpu"):
        found = read(file)["summary"]
        sizes = "made small" if found["shrunken"] else "full sizes"
        verified = f"{found['verified']} of {found['programs']} verified"
        rows.append([f"`{file}`", verified, sizes, f"{found['median_seconds']:.1f} s a program"])
    return table(["file", "result", "sizes", "median time"], rows)
