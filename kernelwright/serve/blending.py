"""An adapter between two others, weight by weight.

A policy that is reinforced grows sure of its answers: single attempts improve, while what only one attempt in several
got right is lost. On the straight way from the weights it started from to those it ended with there are policies that
keep most of both (Wortsman et al., 2022, of fine-tuning; Dang et al., 2025, of pass@k).
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from kernelwright.ir.errors import UserError
from kernelwright.serve.adapters import adapter_config, adapter_folder, adapter_rank, adapter_weights, write_adapter

#: What of peft's configuration decides what the weights mean.
_SHAPE = ("r", "lora_alpha", "rank_pattern", "alpha_pattern", "use_rslora", "use_dora")


def blend(start: str, end: str, share: float, out: Path) -> Path:
    """Write the adapter that lies the share `share` of the way from one to another, in float32; its folder.

    `start` and `end` are folders or names of `adapter_folder`. LoRA's factors are blended, not their products: the two
    are to be a run's start and end, or come from one start. Raises UserError where they do not fit one another, for a
    share outside 0 to 1, and for a folder that is there already.
    """
    if not 0 <= share <= 1:
        raise UserError(f"share={share:g}: give a number from 0 (all of the first adapter) to 1 (all of the second)")
    if out.exists():
        raise UserError(f"{out} exists already; give another out=…, or remove it")
    one, other = adapter_folder(start), adapter_folder(end)
    for folder in (one, other):  # before torch is imported, which reading weights needs
        adapter_rank(folder)
    (first, _), (second, metadata) = adapter_weights(one), adapter_weights(other)
    _check_fit(one, other, first, second)
    between = {name: (1 - share) * first[name].float() + share * second[name].float() for name in first}
    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        write_adapter(made, between, other, metadata)
        made.chmod(0o755)  # a folder for one's own use is made otherwise
        made.replace(out)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return out


def _check_fit(start: Path, end: Path, first: dict[str, Any], second: dict[str, Any]) -> None:
    one, other = adapter_config(start), adapter_config(end)
    for name in _SHAPE:
        if (one.get(name) or None) != (other.get(name) or None):
            told = f"{name} is {one.get(name)} in {start}, {other.get(name)} in {end}"
            raise UserError(f"{told}; blend a run's adapter with the one that it started from")
    shapes, others = ({name: tuple(value.shape) for name, value in some.items()} for some in (first, second))
    if shapes != others:
        name = min(name for name in shapes.keys() | others.keys() if shapes.get(name) != others.get(name))
        raise UserError(f"{start} and {end} are adapters of different models: {name} does not fit")
