"""What searches found for KernelBench, and which of its programs compile."""

import re

from benchmarks.pages.figures.formats import ratio, read, table, wrapped

BEST, BEST_OF_ALL = "best of eager, inductor", "best of eager, inductor, inductor-max-autotune"
LEVELS = ("level 1", "level 2")


def gain() -> str:
    """The first screen's sentence: what one gains, and its caliber."""
    content = read("kernelbench_h200")
    every, caliber = content["summary"]["all"], content["caliber"]
    seconds = re.search(r"seconds=(\d+)", content["made_with"]["pipeline"])
    assert seconds is not None
    sure = round(every["surely_faster"] * every["problems"])
    torch_version, over = caliber["torch"].partition("+")[0], every["over"]
    return wrapped(
        f"On {every['problems']} KernelBench problems of levels 1 and 2, Kernelwright's programs run "
        f"**{ratio(over['inductor'])} as fast as Inductor's** and {ratio(over['eager'])} as fast as eager PyTorch: "
        f"geometric means with 95% intervals, on one {caliber['device']} with torch {torch_version}, fp32 with "
        f"PyTorch's default numerics, {seconds[1]} s of search per problem. For {sure} programs the 95% intervals of "
        "both speedups lie above 1. The results come from several versions of the code ([details](docs/results.md))."
    )


def kernelbench() -> str:
    """Geometric means by level against each baseline."""
    summary = read("kernelbench_h200")["summary"]
    names = (
        ("eager PyTorch", "eager"),
        ("Inductor", "inductor"),
        ("Inductor with max-autotune", "inductor-max-autotune"),
        ("the faster of eager and Inductor", BEST),
        ("the fastest of all three", BEST_OF_ALL),
    )
    heading = ["speedup over", *(f"{level} ({summary[level]['problems']} problems)" for level in LEVELS)]
    rows = [[name, *(ratio(summary[level]["over"][key]) for level in LEVELS)] for name, key in names]
    return table(heading, rows)


def kernelbench_more() -> str:
    """What a table of means hides: what was handed back, what is surely faster, and distances to the floor."""
    content = read("kernelbench_h200")
    every, one, two = (content["summary"][name] for name in ("all", *LEVELS))
    handed, refused = every["results"], every["by_status"].get("mismatch", 0)
    near, far = one["floor"]["memory_bound"], two["floor"]["memory_bound"]
    lines = [
        f"- For {handed['candidate']} of {every['problems']} problems the result is a program that the search found. "
        f"For {handed['eager']} the result is eager PyTorch, and for {handed['inductor']} it is Inductor, because no "
        f"verified program was faster. Refused winners of the search: {refused}.",
        f"- For {every['surely_faster']:.0%} of the problems the 95% intervals of the speedups over eager PyTorch and "
        "over Inductor lie above 1.",
        f"- The slowest winner has {every['worst_candidate']:.2f} times the speed of the faster baseline, so that "
        "baseline is the result of the problem.",
        f"- Memory-bound programs of level 1 take {near['median']:.2f} times the minimum time for moving their bytes "
        f"(median of {near['problems']}). Memory-bound programs of level 2 take {far['median']:.2f} times the minimum "
        f"(median of {far['problems']}).",
        *(f"- {note}" for note in content["notes"]),
    ]
    return "\n".join(lines)


def remade() -> str:
    """Whether the winners of the campaign are as fast if they are made again."""
    content = read("remade_h200")
    found, commit = content["summary"], content["caliber"]["commit"]
    (worst, ratio), *_ = found["worst"].items()
    return wrapped(
        f"The {found['winners']} winners of this campaign were made again with the rewrites of commit {commit}. For "
        f"{found['equal']} of them Triton's IR is equal. The other {found['timed']} are "
        f"{found['over_before_timed']:.3f} times as fast as they were, in the geometric mean. The slowest of them, "
        f"{worst}, is {ratio:.3f} times as fast (`remade_h200`)."
    )


def coverage() -> str:
    """Which programs compile at all."""
    rows = []
    for file in ("compile_kernelbench_cpu", "compile_kernelbench_h200", "random_programs_cpu"):
        found = read(file)["summary"]
        sizes = "made small" if found["shrunken"] else "full sizes"
        verified = f"{found['verified']} of {found['programs']} verified"
        rows.append([f"`{file}`", verified, sizes, f"{found['median_seconds']:.1f} s a program"])
    return table(["file", "result", "sizes", "median time"], rows)
