"""What the agents learned."""

from benchmarks.pages.figures.formats import interval, read, table, wrapped

AGENTS = (
    ("supervised", "agents_forms_h200", "sft"),
    ("first run of reinforcement", "agents_forms_h200", "rl"),
    ("second run, started from a blend, three quarters from supervised to first run", "agents_forms2_h200", "rl"),
    ("blend, halfway between the two runs", "agents_forms3_h200", "start"),
    ("third run, started from that blend", "agents_forms3_h200", "rl"),
    ("shipped: blend, three quarters from supervised to third run", "agents_forms3_h200", "blended"),
)


def agents() -> str:
    """The frontend's agent: from supervised training to what ships, on held-out programs and on KernelBench."""
    rows = []
    for name, file, key in AGENTS:
        rates = read(file)["rates"]
        own, bench = rates[f"generated/sampled/{key}"], rates[f"kernelbench-1/sampled/{key}"]
        rows.append([name, interval(own["single"]), interval(own["pass@8"]), interval(bench["single"]), f"`{file}`"])
    problems = read("agents_forms3_h200")["rates"]["generated/sampled/sft"]["problems"]
    heading = ["adapter", f"right at one attempt ({problems} programs)", "within eight", "KernelBench level 1", "file"]
    return table(heading, rows)


def midend_agents() -> str:
    """The mid-end's agent beside search and random choices."""
    content = read("midend_agents_h200")
    names = {"shipped": "agent with the shipped adapter", "random": "random choices", "search": "search"}
    rows = [
        [names[key], interval(found["single"], 2) if "single" in found else "", interval(found["best"], 2)]
        for key, found in content["speedups"].items()
    ]
    heading = ["chooser", f"one choice ({content['speedups']['shipped']['modules']} modules)", "best of four"]
    caliber = content["caliber"]
    told = f"On one {caliber['device']} with torch {caliber['versions']['torch'].partition('+')[0]}"
    return table(heading, rows) + f"\n\n{told}, caches cold (`midend_agents_h200`)."


def learner() -> str:
    """Speed of the learner and what it spends its time on."""
    speed, third = read("learner_speed_cpu"), read("rl_forms3_h200")
    fastest, median, idle = speed["ratio"][speed["fastest_of_trl"]], third["median"], third["idle_of_time"][0]
    shares = {party: f"{idle[f'idle/{party}']:.0%}" for party in ("policy", "learner", "evaluator")}
    return wrapped(
        f"On a CPU in float32 the learner processes {interval(fastest, 2)} times as many tokens per second as TRL's "
        f"SFTTrainer in its fastest setting (`learner_speed_cpu`). A step of the third run on one H200 took "
        f"{median['step_seconds']:.1f} s in the median (`rl_forms3_h200`). The policy was idle for {shares['policy']} "
        f"of the time, the learner for {shares['learner']}, and the evaluators for {shares['evaluator']}."
    )
