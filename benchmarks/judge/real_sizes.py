"""Verify five architectures at the sizes that people run, in 16 bits, on a GPU: the whole model and kernel by kernel.

    python -m benchmarks.judge.real_sizes --out benchmarks/results/judge/real_sizes.json

A row is one architecture in one precision, lowered by `lower-inductor`. Models are those of the package transformers,
with random weights, and a block of a diffusion model. Rows are kept as they are found; the same command goes on from
there, and begins again for other code. `--tiny` tries small sizes, on a CPU as well.
"""

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import torch

from benchmarks.caliber import add_commit, caliber_of
from benchmarks.judge.architectures import source
from benchmarks.row_lines import code_digest, command_line, write_result
from benchmarks.several_processes import Processes, TimeIsOverError, answer_in, journal_for
from kernelwright.agent.evaluator import Rung
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.compiling.kernel_by_kernel import judge_kernels, pieces_of, told_apart
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import KernelwrightError

_HEAD = (
    "import torch\nimport torch.nn as nn\nimport transformers\n\n\nclass Model(nn.Module):\n    def __init__(self):\n"
)
_TEXT = """        super().__init__()
        self.model = transformers.{model}(transformers.{config}({sizes})).eval(){cast}

    def forward(self, x):
        {autocast}return self.model(x{more}).last_hidden_state


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""
_TINY = "hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64"
_IMAGE = "torch.randn({}, 3, {}, {})"
#: Name: the model, its configuration, sizes, tiny sizes, inputs, tiny inputs, and what else the call gets.
MODELS = {
    "bert": ("BertModel", "BertConfig", "", f"vocab_size=64, {_TINY}", "torch.randint(0, 30000, (4, 256))",
             "torch.randint(0, 64, (2, 8))", ""),
    "vit": ("ViTModel", "ViTConfig", "", f"image_size=16, patch_size=8, {_TINY}", _IMAGE.format(8, 224, 224),
            _IMAGE.format(1, 16, 16), ""),
    "llama": ("LlamaModel", "LlamaConfig", "vocab_size=32000, hidden_size=2048, num_hidden_layers=4, "
              "num_attention_heads=32, num_key_value_heads=8, intermediate_size=8192",
              f"vocab_size=64, num_key_value_heads=1, {_TINY}", "torch.randint(0, 32000, (1, 512))",
              "torch.randint(0, 64, (1, 8))", ", use_cache=False"),
    "resnet": ("ResNetModel", "ResNetConfig", "", "embedding_size=8, hidden_sizes=[8, 8], depths=[1, 1]",
               _IMAGE.format(8, 224, 224), _IMAGE.format(1, 32, 32), ""),
}  # fmt: skip
_CASTS = {"bf16": "torch.bfloat16", "fp16": "torch.float16"}
PRECISIONS = (*_CASTS, "autocast")
#: A block of a diffusion model with so many channels, instead of 16, on images of 64 instead of 8 pixels.
_CHANNELS = 320


def program(model: str, precision: str, tiny: bool) -> str:
    """The text of an architecture."""
    if model == "diffusion":
        text = source("unet", precision)
        return text if tiny else _larger(text)
    name, config, sizes, tiny_sizes, inputs, tiny_inputs, more = MODELS[model]
    cast = f".to({_CASTS[precision]})" if precision in _CASTS else ""
    given = tiny_inputs if tiny else inputs
    return _HEAD + _TEXT.format(
        model=name, config=config, sizes=tiny_sizes if tiny else sizes, cast=cast, more=more,
        autocast="with torch.autocast(x.device.type, dtype=torch.bfloat16):\n            " if not cast else "",
        inputs=given + cast if "randint" not in given else given,
    )  # fmt: skip


def _larger(text: str) -> str:
    """The block with as many channels and places as the first of a latent diffusion model."""
    wide = f"{_CHANNELS}"
    for old, new in (
        ("GroupNorm(4, 16)", f"GroupNorm(32, {wide})"),
        ("Conv2d(16, 16", f"Conv2d({wide}, {wide}"),
        ("Conv2d(32, 16", f"Conv2d({2 * _CHANNELS}, {wide}"),
        ("Linear(16, 16)", f"Linear({wide}, {wide})"),
        ("Attention(16)", f"Attention({wide})"),
        ("torch.arange(8,", f"torch.arange({_CHANNELS // 2},"),
        ("* -1.15", "* -0.0576"),
        ("unflatten(2, (4, 4))", "unflatten(2, (32, 32))"),
        ("(2, 16, 8, 8)", f"(2, {wide}, 64, 64)"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    return text


def row(model: str, precision: str, tiny: bool) -> dict[str, Any]:
    """Lower and judge it."""
    start, rungs = time.perf_counter(), (Rung.PARSE, Rung.RUN if torch.cuda.is_available() else Rung.INTERPRET)
    try:
        given = import_source(program(model, precision, tiny), model, shrink="never")
        pieces = pieces_of(given)
        with LocalEvaluator(seeds=1, seed=0, timeout_s=300, memory_gb=64.0) as evaluator:
            whole = evaluator.evaluate(pieces.whole, rungs)
            seconds = time.perf_counter() - start
            alone = judge_kernels(pieces.whole, pieces, evaluator, rungs)
    except KernelwrightError as error:
        return {"right": False, "status": "not lowered", "detail": str(error)[:500]}
    verdict = told_apart(whole, alone)
    made = {
        "right": verdict.ok,
        "status": str(verdict.status),
        "detail": verdict.detail[:500],
        "parameters": sum(spec.tensor.nbytes for spec in given.reference.state),
        "kernels": len(pieces.whole.kernels),
        "alone": len(alone.found),
        "left_out": dict(alone.left_out),
        "errors": dict(whole.errors),
        "notes": whole.caliber.get("notes", []),
        "draws": ", ".join(whole.caliber.get("draws", {}).get("made", [])),
        "seconds": {"whole": round(seconds, 1), "alone": round(alone.seconds, 1)},
    }
    print(model, precision, json.dumps(made), flush=True)
    return made


def main() -> int:
    """Run it; 0 if every program is verified, 3 if time is over, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/real_sizes.json"))
    models = (*MODELS, "diffusion")
    parser.add_argument("--models", nargs="*", default=models, choices=models)
    parser.add_argument("--precisions", nargs="*", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--tiny", action="store_true", help="small sizes")
    parser.add_argument("--jobs", type=int, default=2, help="processes, on one GPU")
    add_commit(parser)
    parser.add_argument("--seconds", type=float, default=1e6, help="after which the command ends; the same goes on")
    parser.add_argument("--journal", type=Path, default=Path("runs/real_sizes.jsonl"), help="rows so far")
    given = parser.parse_args()
    code = code_digest("ir", "frontend", "midend", "backend", "kernelwright")
    caliber = machine() | {"code": code, "tiny": given.tiny}
    wanted = [(model, precision) for precision in given.precisions for model in given.models]
    with journal_for(given.journal, caliber) as journal, Processes(given.jobs, given.seconds) as processes:
        try:
            processes.answers_kept(journal, {" in ".join(one): partial(row, *one, given.tiny) for one in wanted})
        except TimeIsOverError:
            print("time is over; the same command goes on", file=sys.stderr)
    rows = {name: answer_in(journal, name) for name in journal.results}
    right = sum(one["right"] for one in rows.values())
    write_result(given.out, {"command": command_line(), "caliber": caliber_of(given.commit, **caliber),
                             "summary": {"programs": len(rows), "verified": right}, "rows": rows})  # fmt: skip
    return 3 if len(rows) < len(wanted) else int(right < len(rows))


if __name__ == "__main__":
    sys.exit(main())
