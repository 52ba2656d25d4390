"""What a run that made pairs reports."""

import importlib
import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelwright.driver.campaign import machine
from kernelwright.driver.pairs import PairSet
from kernelwright.ir.errors import UserError
from kernelwright.rl.data import Pair

Length = Callable[[str], int]


def summarize_pairs(found: PairSet, size: int, pipeline: str, count_tokens: Length | None) -> dict[str, Any]:
    """Counts, lengths and seconds as JSON values; `size` is the number of problems that there are."""
    outcomes = found.outcomes.values()
    seconds = [outcome["seconds"] for outcome in outcomes if "seconds" in outcome]
    levels = [pair.provenance["difficulty"] for pair in found.pairs if "difficulty" in pair.provenance]
    lengths = {"characters": _lengths(found.pairs, len)}
    if count_tokens is not None:
        lengths["tokens"] = _lengths(found.pairs, count_tokens)
    return {
        "command": shlex.join(["kernelwright", *sys.argv[1:]]),
        "pipeline": pipeline,
        "finished": len(found.outcomes) == size,
        "problems": size,
        "pairs": len(found.pairs),
        "by_status": dict(Counter(outcome["status"] for outcome in outcomes)),
        "pairs_by_split": dict(Counter(pair.split for pair in found.pairs)),
        "pairs_by_difficulty": {str(level): count for level, count in sorted(Counter(levels).items())},
        "copies": {name: outcome["copy_of"] for name, outcome in found.outcomes.items() if "copy_of" in outcome},
        "copied_from": dict(Counter(outcome["copied_from"] for outcome in outcomes if "copied_from" in outcome)),
        "lengths": lengths,
        "seconds": {"median": round(statistics.median(seconds), 3), "sum": round(sum(seconds), 1)} if seconds else {},
        "caliber": machine(),
    }


def _lengths(pairs: Sequence[Pair], length: Length) -> Mapping[str, Mapping[str, int]]:
    """Median, ninetieth percentile and maximum of both texts."""
    found = {}
    for name in ("before", "after"):
        values = sorted(length(getattr(pair, name)) for pair in pairs)
        if values:
            tenth = values[min(9 * len(values) // 10, len(values) - 1)]
            found[name] = {"median": values[len(values) // 2], "p90": tenth, "max": values[-1]}
    return found


def token_counter(name: str) -> Length:
    """Counts tokens with a tokenizer of Hugging Face: a name, a folder, or a `*.gguf` file; UserError for none."""
    try:
        transformers = importlib.import_module("transformers")
    except ImportError as error:
        raise UserError(
            f"tokenizer={name} needs the package transformers: pip install 'kernelwright[train]'"
        ) from error
    path = Path(name)
    try:
        if path.suffix == ".gguf":
            tokenizer = transformers.AutoTokenizer.from_pretrained(str(path.parent), gguf_file=path.name)
        else:
            tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    except Exception as error:  # whatever the library raises: no file, no network, a file of another kind
        raise UserError(f"tokenizer={name}: cannot be loaded ({type(error).__name__})") from error
    return lambda text: len(tokenizer(text)["input_ids"])
