"""What a run that made pairs reports."""

import hashlib
import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.pairs.making import PairSet
from kernelwright.frontend.problem import single_line
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import TEST, TRAIN, Pair
from kernelwright.serve.base import find_base
from kernelwright.serve.optional import require

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
        **_by_family(found),
        "copies": {name: outcome["copy_of"] for name, outcome in found.outcomes.items() if "copy_of" in outcome},
        "copied_from": dict(Counter(outcome["copied_from"] for outcome in outcomes if "copied_from" in outcome)),
        "lengths": lengths,
        "seconds": {"median": round(statistics.median(seconds), 3), "sum": round(sum(seconds), 1)} if seconds else {},
        "caliber": machine(),
    }


def _by_family(found: PairSet) -> dict[str, Any]:
    """For each family of problems what became of its programs, pairs by split, and how many normal forms (without
    sizes) its training pairs have; with it the digest of all pairs that are held out. Nothing where there are none."""
    families = sorted({family for pair in found.pairs if (family := pair.provenance.get("family"))})
    if not families:
        return {}
    counted: dict[str, Any] = {}
    for family in families:
        pairs = [pair for pair in found.pairs if pair.provenance.get("family") == family]
        statuses = [one["status"] for name, one in found.outcomes.items() if name.startswith(f"generated/{family}/")]
        splits = Counter(pair.split for pair in pairs)
        forms = {pair.provenance["normal_form"] for pair in pairs if pair.split == TRAIN}
        counted[family] = {**splits, "train_forms": len(forms), "by_status": dict(Counter(statuses))}
    held_out = sorted(pair.digest for pair in found.pairs if pair.split == TEST)
    digest = hashlib.sha256("\n".join(held_out).encode()).hexdigest()
    return {"by_family": counted, "held_out_digest": digest}


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
    """Counts tokens with a tokenizer on this machine: of a folder, a `*.gguf` file, or a model that `find_base` finds.

    Raises UserError for none.
    """
    transformers, path = require("transformers", "train"), Path(name)
    try:
        if path.suffix == ".gguf":
            tokenizer = transformers.AutoTokenizer.from_pretrained(str(path.parent), gguf_file=path.name)
        else:
            place = path if path.is_dir() else find_base(name)
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, local_files_only=True)
    except UserError as error:
        raise UserError(f"tokenizer={name}: {error}") from error
    except Exception as error:  # whatever the library raises for files of another kind
        raise UserError(f"tokenizer={name}: no tokenizer there: {single_line(error)}; give another model") from error
    return lambda text: len(tokenizer(text)["input_ids"])
