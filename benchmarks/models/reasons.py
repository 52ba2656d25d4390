"""Why kernels of a model were not admitted, in words that are short enough for a table, and what they could save."""

from collections.abc import Iterable, Mapping
from typing import Any

Kernel = Mapping[str, Any]
#: Words for what a refusal or an omission says, by a part of it; the first that is found counts.
TOLD = {
    "could save": "too little to gain",
    "reference failed": "no reference",
    "outputs change": "wrong in the model",
    "not one launch": "several launches",
    "mismatch": "wrong result",
    "timeout": "no time",
    "out of time": "no time",
}
#: Words for all else that became of a kernel.
BECAME = {
    "admitted": "admitted",
    "dropped": "not seen in the model's time",
    "unimproved": "nothing faster",
    "wrong": "Inductor's is wrong",
    "left out": "no problem",
    "not reached": "no time",
    "refused": "refused",
}


def reason(kernel: Kernel) -> str:
    """What became of one kernel of a row: `slower` where the interval of 99% is below 1, `even` where it holds 1."""
    if kernel["became"] == "slower":
        high = kernel["graph"]["high"]
        return "slower" if high is not None and high < 1 else "even"
    if kernel["became"] in ("refused", "left out"):
        return next((word for part, word in TOLD.items() if part in kernel["why"]), BECAME[kernel["became"]])
    return BECAME[kernel["became"]]


def reasons(kernels: Iterable[Kernel], model_us: float) -> dict[str, list[float]]:
    """By reason: how many kernels, and the percentage of the model's time between them and their floors, with what
    admitted ones saved already taken off; the largest percentage first."""
    found: dict[str, list[float]] = {}
    for kernel in kernels:
        graph = kernel["graph"] if kernel["became"] == "admitted" else None
        saved = kernel["us"] * (1 - 1 / graph["ratio"]) if graph else 0.0
        known = found.setdefault(reason(kernel), [0, 0.0])
        known[0] += 1
        known[1] += 100 * max(0.0, kernel["gain_us"] - saved) / model_us
    return {
        word: [count, round(share, 1)] for word, (count, share) in sorted(found.items(), key=lambda one: -one[1][1])
    }


def not_admitted(kernels: Iterable[Kernel], model_us: float) -> str:
    """All but admitted kernels, for a cell of a table: numbers of kernels, with what they could save."""
    found = {word: one for word, one in reasons(kernels, model_us).items() if word != "admitted"}
    return ", ".join(f"{count:.0f} {word} ({share:.1f}%)" for word, (count, share) in found.items())
