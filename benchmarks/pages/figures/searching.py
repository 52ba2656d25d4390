"""How good the cost model, the rewrites and short searches are."""

from statistics import median

from benchmarks.pages.figures.formats import read, table, wrapped
from benchmarks.search import time_to_quality


def cost_model() -> str:
    """How far the cost model can be trusted."""
    kernels, eager = read("cost_model_h200")["summary"]["held_out"], read("eager_cost_h200")["summary"]
    dense = eager["without convolutions"]
    rows = [
        [
            f"kernels of {kernels['problems']} problems, not used to fit the model's constants",
            f"rank correlation {kernels['rank_correlation']:.2f}, within a problem "
            f"{kernels['rank_correlation_within_a_problem_median']:.2f} (median)",
            "`cost_model_h200`",
        ],
        [
            f"options that differ by more than 5%, in the {kernels['problems_with_different_options']} of these "
            "problems that have at least 8 of them",
            f"rank correlation {kernels['rank_correlation_of_different_options_median']:.2f} (median); the first three "
            f"hold the best in {kernels['first_three_of_different_options_hold_the_best']:.0%}",
            "`cost_model_h200`",
        ],
        [
            f"all options of these {kernels['problems']} problems: the first three hold one within 5% of the best",
            f"{kernels['first_three_hold_the_best']:.0%}",
            "`cost_model_h200`",
        ],
        [
            "time with the model's favourite launch options, over time with the best ones",
            f"{kernels['favourite_over_best_median']:.2f} in the median, at most 1.2 in "
            f"{kernels['favourite_over_best_at_most_1.2']:.0%}, never above {kernels['favourite_over_best_max']:.2f}",
            "`cost_model_h200`",
        ],
        [
            f"eager PyTorch, estimate over measured time, {dense['problems']} problems without convolutions",
            f"{dense['median_ratio']:.2f} in the median, {dense['within_1.5']:.0%} within a factor of 1.5",
            "`eager_cost_h200`",
        ],
        [
            f"the same for all {eager['all']['problems']} problems",
            f"{eager['all']['median_ratio']:.2f} in the median, never above {eager['all']['greatest_ratio']:.2f}",
            "`eager_cost_h200`",
        ],
    ]
    return table(["estimate", "accuracy", "file"], rows)


def handwritten() -> str:
    """What rewrites find in programs that people wrote."""
    found = read("handwritten_cpu")["summary"]
    meaning = {
        "extra-pass": "loops read a row again",
        "chain": "elementwise work is spread over several launches",
        "epilogue": "elementwise work follows a product, a norm or a convolution in its own kernel",
        "index-math": "each element takes its index apart by divisions",
        "width": "loads are strided, or rows start unaligned",
    }
    ways = [[meaning[kind], f"{one['found']} of {one['known']}"] for kind, one in found["ways"].items()]
    rows = [
        *ways,
        ["any of these", f"{found['ways_found']} of {found['ways_known']}"],
    ]
    corpora = {"honest": "honest candidates", "answers": "right answers of the shipped adapter"}
    for corpus, programs in corpora.items():
        for key, which in (("any_fired", "a rewrite"), ("fired_beside_specialize", "one beside `specialize`")):
            rows.append([f"{programs} that {which} changes", f"{found[f'{corpus}_{key}']} of {found[corpus]}"])
    return table(["known way to be faster", "found, and verified"], rows)


def handwritten_speed() -> str:
    """What `search` makes of programs that people wrote."""
    found = read("handwritten_h200")["summary"]["all"]
    return wrapped(
        f"On an H200 `search` kept {found['kept_as_written']} of {found['programs']} programs as they are, made "
        f"{found['faster_by_a_tenth']} faster by a tenth or more, and made {len(found['slower'])} slower. In the "
        f"geometric mean over all, the result is {found['over_as_written']:.2f} times as fast as the program as it is "
        f"written, and {found['over_inductor']:.2f} times as fast as Inductor's code (`handwritten_h200`)."
    )


def spelling() -> str:
    """How often rewrites make the same of a program that is spelt otherwise."""
    content = read("spelling_cpu")
    found, commit = content["summary"], content["caliber"]["commit"]
    programs = sum(one["programs"] for one in found.values())
    return wrapped(
        f"Over {programs} programs, of which {found['generated programs']['programs']} are generated and "
        f"{found['problems']['programs']} are KernelBench problems, {content['same']} of {content['fired']} rewrites "
        f"({content['share']:.1%}) make the same of both spellings (commit {commit}). `spelling_cpu` names the others, "
        "with the reasons."
    )


def search() -> str:
    """What short searches keep of what long ones find."""
    content = read("time_to_quality_h100")
    told, caliber = content["summary"], content["caliber"]
    short, memory = told["15t_keeps_of_60"], told["5m_keeps_of_60"]
    return wrapped(
        f"A search of 15 s keeps {short['share']:.1%} of the logarithm of the speedup that one of 60 s finds, over "
        f"{short['problems']} problems drawn by seed, with one time of the plain lowering for both; a search that "
        "finds nothing keeps nothing. One of 5 s with the "
        f"memory of other problems keeps {memory['share']:.1%}, over the same {memory['problems']}: its time was often "
        "over before the fastest was verified. Searches of "
        f"60 s had {told['reached_within_60']['5']:.1%} of their own result 5 s after they first measured, and "
        f"{told['reached_within_60']['15']:.1%} after 15 s ({caliber['device']}, commit {caliber['commit']}, "
        "`time_to_quality_h100`)."
    )


def search_with_memory() -> str:
    """What very short searches keep that begin with memory."""
    content = read("memory_h200")
    told, caliber = content["summary"], content["caliber"]
    kept = told["5m_keeps_of_60"]
    short, long = (
        {row["problem"]: row for row in content["results"] if row["mode"] == mode and row["status"] == "ok"}
        for mode in ("5m", "60")
    )
    convolutions = {
        name for name in long if any("conv" in one for one in long[name]["found"]["likeness"]["operations"])
    }
    plain = [name for name in short if short[name]["us"] == short[name]["plain_us"]]
    missed = [name for name in plain if long[name]["best"] != short[name]["best"]]
    walls = [row["wall_s"] for row in short.values()]

    def share(problems: set[str]) -> float:
        rows = {row["id"]: row for row in content["results"] if row["problem"] in problems}
        found = time_to_quality.kept(rows, "5m", "60")
        assert found is not None, "no problem has both searches"
        return float(found["share"])

    lost = (
        f"In {' and '.join(missed)} it kept the plain lowering, where the longer one found a faster program: nothing "
        "faster was found, or nothing verified, in its time. "
        if missed
        else ""
    )
    return wrapped(
        "Since then such searches verify sooner, and memory gives them launch options, too. On an H200, with memory "
        f"of other problems, from the results above, one of 5 s keeps {kept['share']:.1%} of the logarithm of the "
        f"speedup that one of 60 s finds after it, over the same {kept['problems']} problems: "
        f"{share(convolutions):.1%} over the {len(convolutions)} with a convolution, and "
        f"{share(set(long) - convolutions):.1%} over the others. {lost}"
        f"With the wait for verdicts it took {median(walls):.1f} s in the median. It took more than 15 s "
        f"for {sum(wall > 15 for wall in walls)} problems, and {max(walls):.1f} s at most: a first verdict is waited "
        f"for however long it takes, and those after it for as long again ({caliber['device']}, commit "
        f"{caliber['commit']}, `memory_h200`)."
    )


def first_candidates() -> str:
    """How soon a search measures something."""
    content, cold = read("first_measured_h200"), read("cold_start_h200")
    told, caliber = content["summary"], content["caliber"]
    first, own = told["first_measured_s"], cold["caliber"]
    (mode,) = told["by_mode"]
    assert (caliber["device"], caliber["commit"]) == (own["device"], own["commit"])
    return wrapped(
        f"In searches of {time_to_quality.Mode.read(mode).seconds:g} s, one for each of these "
        f"{told['searches']} problems, the first candidate was measured "
        f"after {first['median']:.2f} s in the median, and after {first['max']:.2f} s at most, with processes that "
        "were there before. In the first command on a machine that was just started it was measured "
        f"{cold['first_measured_s']:.2f} s after the search began, for which imports had taken {cold['import_s']:.1f} "
        f"s ({caliber['device']}, commit {caliber['commit']}, `first_measured_h200`, `cold_start_h200`)."
    )


def search_on_cpu() -> str:
    """How long a campaign takes without a GPU."""
    content = read("dev_campaign_cpu")
    told, caliber = content["summary"], content["caliber"]
    minutes, refused = told["wall_s"] / 60, told["by_status"].get("mismatch", 0)
    return wrapped(
        f"Without a GPU, searches of 15 s for {told['problems']} problems of levels 1 and 2 at small sizes, ranked by "
        f"the cost model, took {minutes:.0f} minutes on {caliber['cpus']} cores that other work shared. The judge "
        f"accepted {told['by_status']['ok']} winners and refused {refused} in a check afterwards "
        f"(commit {content['commit']}, `dev_campaign_cpu`)."
    )
