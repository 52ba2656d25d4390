"""The data card of a file of rollouts: what is in it, who answered, how answers were judged, and what to mind."""

from collections.abc import Mapping
from typing import Any

from kernelwright.driver.benchmarking.settings import RolloutsSchema


def rollouts_card(summary: Mapping[str, Any], plain: RolloutsSchema) -> str:
    """The card as Markdown; every figure is of the summary."""
    asks = plain.rollout
    rungs = ", ".join(map(str, asks.ladder() or ())) or "all that the machine supports"
    failures = [f"| {count} | {name.replace('|', '/')} |" for name, count in summary["failures"].items()]
    lines = [
        f"# Rollouts of {plain.policy.model}, {plain.stage.name}",
        "",
        f"{summary['rows']} rows: {summary['answer_rows']} right answers at the first turn, {summary['repair_rows']} "
        "repairs (wrong answers, what each was told, and a right answer).",
        "",
        "| | |",
        "|---|---|",
        f"| problems | {summary['problems']} of {plain.suite}, split {plain.split or 'all'} |",
        f"| policy | {plain.policy.model} ({plain.policy.kind.value}), temperature {asks.temperature}, at most "
        f"{asks.max_tokens} tokens |",
        f"| trajectories | {summary['trajectories']}, {asks.n} to each problem, up to {asks.turns} turns |",
        f"| answers | {summary['answers']}, of which {summary['right']} are right |",
        f"| form | {asks.form} |",
        f"| judged by | {rungs}, {plain.evaluator.seeds} seeds |",
        f"| kept away from | {', '.join(plain.against) or 'nothing: give against= before measuring'} |",
        f"| digest | {summary['digest']} |",
        "",
        "A row has the module (`before`), the wrong answers with their feedback (`turns`), the right answer in the",
        "policy's form (`answer`) and the program that it stands for (`after`). `provenance.right_from` says whose the",
        "right answer is: `own`, the trajectory's; `other`, another one's; `pair`, the file of pairs'. Rows of the",
        "last two kinds are composed: the policy did not answer so itself. Feedback has no hidden inputs and no paths.",
        "",
        "Licence: that of the problems, and of the model that answered.",
        "",
    ]
    if failures:
        lines += ["| wrong answers | failed for |", "|---|---|", *failures, ""]
    return "\n".join(lines)
