"""Fill in the figures that README and the documentation quote, from benchmarks/results, and the code of the example.

usage: python -m benchmarks.pages.quote [--check]

A text has `<!-- figures: NAME -->` and `<!-- end of figures -->` on lines of their own; the figures of that name
replace the lines between them. --check writes nothing, and exits with status 1 where a text differs from the results.
"""

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.models.reasons import not_admitted

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks/results"
REGION = re.compile(r"(<!-- figures: ([\w-]+) -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)
BEST, BEST_OF_ALL = "best of eager, inductor", "best of eager, inductor, inductor-max-autotune"
LEVELS = ("level 1", "level 2")


def main() -> int:
    """Write every text that quotes figures, or tell which ones differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check, stale = parser.parse_args().check, []
    for path in texts():
        before = path.read_text("utf-8")
        after = filled(before)
        if after != before:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(after, encoding="utf-8")
    if stale:
        print(f"{'other figures than the results' if check else 'filled in'}: {', '.join(stale)}")
    return 1 if stale and check else 0


def texts() -> list[Path]:
    """README and every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def filled(text: str) -> str:
    """The text with the figures of each region; KeyError for a name that no figures have."""
    return REGION.sub(lambda found: f"{found[1]}{FIGURES[found[2]]()}\n{found[4]}", text)


def gain() -> str:
    """The first screen's sentence: what one gains, and its caliber."""
    content = _read("kernelbench_h200")
    every, caliber = content["summary"]["all"], content["caliber"]
    seconds = re.search(r"seconds=(\d+)", content["made_with"]["pipeline"])
    assert seconds is not None
    sure = round(every["surely_faster"] * every["problems"])
    torch_version, over = caliber["torch"].partition("+")[0], every["over"]
    return _wrapped(
        f"On {every['problems']} KernelBench problems of levels 1 and 2, Kernelwright's programs run "
        f"**{_ratio(over['inductor'])} as fast as Inductor's** and {_ratio(over['eager'])} as fast as eager PyTorch: "
        f"geometric means with 95% intervals, on one {caliber['device']} with torch {torch_version}, fp32 with "
        f"PyTorch's default numerics, {seconds[1]} s of search per problem. For {sure} programs the 95% intervals of "
        "both speedups lie above 1. The results come from several versions of the code ([details](docs/results.md))."
    )


def kernelbench() -> str:
    """Geometric means by level against each baseline."""
    summary = _read("kernelbench_h200")["summary"]
    names = (
        ("eager PyTorch", "eager"),
        ("Inductor", "inductor"),
        ("Inductor with max-autotune", "inductor-max-autotune"),
        ("the faster of eager and Inductor", BEST),
        ("the fastest of all three", BEST_OF_ALL),
    )
    heading = ["speedup over", *(f"{level} ({summary[level]['problems']} problems)" for level in LEVELS)]
    rows = [[name, *(_ratio(summary[level]["over"][key]) for level in LEVELS)] for name, key in names]
    return _table(heading, rows)


def kernelbench_more() -> str:
    """What a table of means hides: what was handed back, what is surely faster, and distances to the floor."""
    content = _read("kernelbench_h200")
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


def agents() -> str:
    """The frontend's agent: from supervised training to what ships, on held-out programs and on KernelBench."""
    rows = []
    for name, file, key in AGENTS:
        rates = _read(file)["rates"]
        own, bench = rates[f"generated/sampled/{key}"], rates[f"kernelbench-1/sampled/{key}"]
        rows.append([name, _interval(own["single"]), _interval(own["pass@8"]), _interval(bench["single"]), f"`{file}`"])
    problems = _read("agents_forms3_h200")["rates"]["generated/sampled/sft"]["problems"]
    heading = ["adapter", f"right at one attempt ({problems} programs)", "within eight", "KernelBench level 1", "file"]
    return _table(heading, rows)


AGENTS = (
    ("supervised", "agents_forms_h200", "sft"),
    ("first run of reinforcement", "agents_forms_h200", "rl"),
    ("second run, started from a blend, three quarters from supervised to first run", "agents_forms2_h200", "rl"),
    ("blend, halfway between the two runs", "agents_forms3_h200", "start"),
    ("third run, started from that blend", "agents_forms3_h200", "rl"),
    ("shipped: blend, three quarters from supervised to third run", "agents_forms3_h200", "blended"),
)


def midend_agents() -> str:
    """The mid-end's agent beside search and random choices."""
    content = _read("midend_agents_h200")
    names = {"shipped": "agent with the shipped adapter", "random": "random choices", "search": "search"}
    rows = [
        [names[key], _interval(found["single"], 2) if "single" in found else "", _interval(found["best"], 2)]
        for key, found in content["speedups"].items()
    ]
    heading = ["chooser", f"one choice ({content['speedups']['shipped']['modules']} modules)", "best of four"]
    caliber = content["caliber"]
    told = f"On one {caliber['device']} with torch {caliber['versions']['torch'].partition('+')[0]}"
    return _table(heading, rows) + f"\n\n{told}, caches cold (`midend_agents_h200`)."


def evaluator() -> str:
    """How strong and how fast the judge is."""
    mutation, soak = _read("mutation_score_cpu")["summary"], _read("soak_cpu")
    aa, cpu, gpu = _read("timing_aa_h200"), _read("throughput_cpu"), _read("throughput_h200")
    judged = sum(soak["candidates"].values())
    wrong = f"{len(soak['wrong'])} verdicts were wrong" if soak["wrong"] else "no verdict was wrong"
    fast = gpu["rates"]["parse, compile, run, estimate, dialect"]
    slow = cpu["rates"]["parse, compile, interpret, dialect"]
    rows = [
        [
            "wrong mutants of kernels that the checks reject",
            f"{mutation['killed']} of {mutation['not_equivalent']} non-equivalent mutants ({mutation['score']:.1%})",
            "`mutation_score_cpu`",
        ],
        [
            "soak: right, wrong and hostile candidates",
            f"{judged} judged, {wrong}, {soak['left_processes']} processes left",
            "`soak_cpu`",
        ],
        [
            "a kernel timed against itself: the 95% interval contains 1",
            f"{aa['holds_1']:.1%} of {aa['trials']} trials",
            "`timing_aa_h200`",
        ],
        *_fresh(),
        *_judging(),
        [f"candidates a second, {gpu['workers']} workers, one H200", f"{fast['per_second']:.1f}", "`throughput_h200`"],
        [f"candidates a second, {cpu['workers']} cores, no GPU", f"{slow['per_second']:.1f}", "`throughput_cpu`"],
    ]
    return _table(["measured", "result", "file"], rows)


def _fresh() -> list[list[str]]:
    """What the judge said at first of programs whose writers knew neither its tests nor its mends."""
    folder, rows = ROOT / "tests" / "fresh", []
    said = {
        "attacks": "fresh attacks that were `ok`, which is wrong",
        "honest": "fresh right programs that were `ok`",
    }
    for name, commit in json.loads((folder / "commits.json").read_text("utf-8")).items():
        verdicts = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        told = []
        for dialect in ("on", "off"):
            given = [one["status"] == "ok" for one in verdicts if one["dialect"] == dialect]
            told.append(f"{sum(given)} of {len(given)} with `dialect={dialect}`")
        kind = Path(name).name.partition("_")[0]
        rows.append([f"{said[kind]}, at {commit}", ", ".join(told), f"`tests/fresh/{name}`"])
    return rows


def _judging() -> list[list[str]]:
    """What judging costs beside an older commit, and the price of each kind of inputs that was added since."""
    found = _read("judge_cost_cpu")
    old, rates, file = found["commits"]["old"], found["rate_of_old"], "`judge_cost_cpu`"
    prices = ", ".join(f"{kind} {price:.1f}" for kind, price in found["price_ms"].items())
    return [
        [f"rate of judging, beside commit {old}", f"{rates['default']:.2f}; {rates['reward']:.2f} for rewards", file],
        [f"price of a kind of inputs, of {found['milliseconds']['default']:.0f} ms a candidate", f"{prices} ms", file],
    ]


def cost_model() -> str:
    """How far the cost model can be trusted."""
    kernels, eager = _read("cost_model_h200")["summary"]["held_out"], _read("eager_cost_h200")["summary"]
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
            f"{kernels['favourite_over_best_at_most_1.2']:.0%}",
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
    return _table(["estimate", "accuracy", "file"], rows)


def coverage() -> str:
    """Which programs compile at all."""
    rows = []
    for file in ("compile_kernelbench_cpu", "compile_kernelbench_h200", "random_programs_cpu"):
        found = _read(file)["summary"]
        sizes = "made small" if found["shrunken"] else "full sizes"
        verified = f"{found['verified']} of {found['programs']} verified"
        rows.append([f"`{file}`", verified, sizes, f"{found['median_seconds']:.1f} s a program"])
    return _table(["file", "result", "sizes", "median time"], rows)


def handwritten() -> str:
    """What rewrites find in programs that people wrote."""
    found = _read("handwritten_cpu")["summary"]
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
    return _table(["known way to be faster", "found, and verified"], rows)


def handwritten_speed() -> str:
    """What `search` makes of programs that people wrote."""
    found = _read("handwritten_h200")["summary"]["all"]
    return _wrapped(
        f"On an H200 `search` kept {found['kept_as_written']} of {found['programs']} programs as they are, made "
        f"{found['faster_by_a_tenth']} faster by a tenth or more, and made {len(found['slower'])} slower. In the "
        f"geometric mean over all, the result is {found['over_as_written']:.2f} times as fast as the program as it is "
        f"written, and {found['over_inductor']:.2f} times as fast as Inductor's code (`handwritten_h200`)."
    )


def remade() -> str:
    """Whether the winners of the campaign are as fast if they are made again."""
    content = _read("remade_h200")
    found, commit = content["summary"], content["caliber"]["commit"]
    (worst, ratio), *_ = found["worst"].items()
    return _wrapped(
        f"The {found['winners']} winners of this campaign were made again with the rewrites of commit {commit}. For "
        f"{found['equal']} of them Triton's IR is equal. The other {found['timed']} are "
        f"{found['over_before_timed']:.3f} times as fast as they were, in the geometric mean. The slowest of them, "
        f"{worst}, is {ratio:.3f} times as fast (`remade_h200`)."
    )


def spelling() -> str:
    """How often rewrites make the same of a program that is spelt otherwise."""
    content = _read("spelling_cpu")
    found, commit = content["summary"], content["caliber"]["commit"]
    programs = sum(one["programs"] for one in found.values())
    return _wrapped(
        f"Over {programs} programs, of which {found['generated programs']['programs']} are generated and "
        f"{found['problems']['programs']} are KernelBench problems, {content['same']} of {content['fired']} rewrites "
        f"({content['share']:.1%}) make the same of both spellings (commit {commit}). `spelling_cpu` names the others, "
        "with the reasons."
    )


def learner() -> str:
    """Speed of the learner and what it spends its time on."""
    speed, third = _read("learner_speed_cpu"), _read("rl_forms3_h200")
    fastest, median, idle = speed["ratio"][speed["fastest_of_trl"]], third["median"], third["idle_of_time"][0]
    shares = {party: f"{idle[f'idle/{party}']:.0%}" for party in ("policy", "learner", "evaluator")}
    return _wrapped(
        f"On a CPU in float32 the learner processes {_interval(fastest, 2)} times as many tokens per second as TRL's "
        f"SFTTrainer in its fastest setting (`learner_speed_cpu`). A step of the third run on one H200 took "
        f"{median['step_seconds']:.1f} s in the median (`rl_forms3_h200`). The policy was idle for {shares['policy']} "
        f"of the time, the learner for {shares['learner']}, and the evaluators for {shares['evaluator']}."
    )


def optimized() -> str:
    """How much faster models run with the kernels that `optimize` admitted, a line a model."""
    content = _read("optimize_h100")
    heading = ["Model", "Kernels", "Admitted", "Best kernel in the model", "Model on the device"]
    heading += ["Inductor beside itself", "Not admitted (what they could save at most)"]
    rows = []
    for name, row in content["rows"].items():
        if row["status"] == "ok":
            kernels, made = row["optimize"]["kernels"], row["compare"]
            best = max((one["graph"]["ratio"] for one in kernels if one["became"] == "admitted"), default=1.0)
            ours, same = (
                [made[side][key] for key in ("ratio", "low", "high")] for side in ("device_ours", "device_same")
            )
            counts = [str(made[key]) for key in ("kernels", "replaced")]
            beside = [f"{ours[0]:.3f}x [{ours[1]:.3f}, {ours[2]:.3f}]", f"{same[0]:.3f}x"]
            whys = not_admitted(kernels, row["optimize"]["model_us"])
            rows.append([name, *counts, f"{best:.2f}x", *beside, whys])
    caliber, mean = content["caliber"], content["summary"]["geometric_mean"]
    budgets = {row["budget_s"] for row in content["rows"].values()}
    lines = [
        _table(heading, rows),
        "",
        _wrapped(
            f"On one {caliber['device']} with torch {caliber['torch'].partition('+')[0]}, in bf16, without gradients, "
            f"with {max(budgets):.0f} s of `optimize` a model: {mean['all']:.3f}x in geometric mean, "
            f"{mean['without_best']:.3f}x without the best model. Intervals are those of 95%, of medians of "
            f"{caliber['pairs']} pairs of calls (`optimize_h100`)."
        ),
    ]
    return "\n".join(lines)


def models() -> str:
    """What became of the kernels of whole models, a line a model."""
    content = _read("models_cpu")
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
        _table(heading, cells),
        "",
        _wrapped(
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
    content = _read("models_h200")
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
        _table(heading, rows),
        "",
        _wrapped(
            f"On one {caliber['device']} with torch {caliber['torch'].partition('+')[0]}, in bf16. Errors are those of "
            "the output against the model in fp32, root mean squares relative to it. Outputs are right in "
            f"{right} models, also under CUDA graphs, and so are the gradients of those that are trained. "
            f"A replaced kernel adds at most {told['added_us_a_launch_at_most']:.2f} us to the host's work for a "
            f"launch, and a second process takes at most {told['second_process_s_at_most']:.1f} s longer than "
            "Inductor's until its first result (`models_h200`)."
        ),
    ]
    return "\n".join(lines)


def search() -> str:
    """What short searches keep of what long ones find."""
    content = _read("time_to_quality_h200")
    told, caliber = content["summary"], content["caliber"]
    first, share = told["first_measured_s"], {mode: told[f"{mode}_keeps_of_60"]["share"] for mode in ("15", "5", "5m")}
    return _wrapped(
        f"A search of 15 s keeps {share['15']:.1%} of the logarithm of the speedup that one of 60 s finds, one of 5 s "
        f"keeps {share['5']:.1%}, and one of 5 s with the memory of other problems {share['5m']:.1%}: over "
        f"{told['15_keeps_of_60']['problems']} of a sample of {told['problems_of_the_sample']} problems drawn by seed. "
        f"Searches of 60 s had {told['reached_within_60']['5']:.1%} of their own result 5 s after they first measured, "
        f"and {told['reached_within_60']['15']:.1%} after 15 s. The first candidate was measured after "
        f"{first['median']:.1f} s in the median, and after {first['max']:.0f} s where the search's processes had to "
        f"start on a fresh machine; such searches count as well ({caliber['device']}, commit {caliber['commit']}, "
        "`time_to_quality_h200`)."
    )


def ceilings() -> str:
    """What faster kernels could bring to whole models at most, a line a model."""
    content = _read("ceiling_h200")
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
            _table(heading, rows),
            "",
            _wrapped(
                f"Geometric means: {', '.join(f'{means[kind]:.2f}x' for kind in kinds)}. Below {limit['limit']}x by "
                f"kernels alone: {below}. At least {told['accounted_at_least']:.1%} of the device's time is accounted "
                f"for in every model. Inference in bf16 on one {caliber['device']} with torch "
                f"{caliber['torch'].partition('+')[0]}, median of {caliber['calls']} calls (`ceiling_h200`)."
            ),
        ]
    )


def _quoted(name: str) -> Callable[[], str]:
    """A file of the example package, whose own tests run it."""
    language = {".py": "py", ".yaml": "yaml", ".toml": "toml"}[Path(name).suffix]
    return lambda: f"```{language}\n{(ROOT / 'examples/plugin' / name).read_text('utf-8').rstrip()}\n```"


FIGURES: dict[str, Callable[[], str]] = {
    "code-pass": _quoted("kernelwright_example/passes.py"),
    "code-reward": _quoted("kernelwright_example/rewards.py"),
    "code-algorithm": _quoted("kernelwright_example/algorithms.py"),
    "code-problems": _quoted("kernelwright_example/problems.py"),
    "code-recipe": _quoted("kernelwright_example/conf/recipe/example.yaml"),
    "code-entry-points": _quoted("pyproject.toml"),
    "gain": gain,
    "kernelbench": kernelbench,
    "kernelbench-more": kernelbench_more,
    "agents": agents,
    "midend-agents": midend_agents,
    "evaluator": evaluator,
    "cost-model": cost_model,
    "coverage": coverage,
    "handwritten": handwritten,
    "handwritten-speed": handwritten_speed,
    "search": search,
    "remade": remade,
    "learner": learner,
    "spelling": spelling,
    "models": models,
    "real-models": real_models,
    "optimized": optimized,
    "ceilings": ceilings,
}


def _read(name: str) -> dict[str, Any]:
    (path,) = RESULTS.glob(f"*/{name}.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def _ratio(found: dict[str, Any]) -> str:
    low, high = found["ci"]
    return f"{found['geomean']:.2f}x [{low:.2f}, {high:.2f}]"


def _interval(found: Sequence[float], digits: int = 3) -> str:
    value, low, high = (f"{each:.{digits}f}" for each in found)
    return f"{value} [{low}, {high}]"


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _wrapped(text: str, width: int = 118) -> str:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
