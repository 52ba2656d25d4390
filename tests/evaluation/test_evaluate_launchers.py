"""Other ways to launch a kernel, and other forms of a program, that people write."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False) as evaluator:
        yield evaluator


def reference(body: str = "return torch.tanh(x) * 2", init: str = "return []", take: str = "self") -> Reference:
    source = (
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
        f"    def __init__({take}):\n        super().__init__()\n"
        f"        self.scale = {'scale' if 'scale' in take else '2'}\n\n"
        f"    def forward(self, x):\n        {body}\n\n\ndef get_inputs():\n    return [torch.randn(130)]\n\n\n"
        f"def get_init_inputs():\n    {init}\n"
    )
    return import_source(source, "launched", shrink="never").reference


def program(
    call: str, above: str = "", names: str = "from triton.language.extra import libdevice", f: str = "libdevice.tanh"
) -> str:
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl
{names}

{above}
@triton.jit
def k(x_ptr, y_ptr, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, {f}(x) * s, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
{call}
        return y
"""


ENTRY = """class Entry(triton.KernelInterface):
    def __init__(self, fn):
        self.fn, self.arg_names = fn, fn.arg_names

    def run(self, *args, **kwargs):
        return self.fn.run(*args, **kwargs)


@Entry
"""
PLAIN = "        k[(3,)](x, y, n, 2.0, B=64)"
LAUNCHES = {
    "run": program("        k.run(x, y, n, 2.0, grid=(3,), warmup=False, B=64)"),
    "a wrapper with run": program(PLAIN, ENTRY),
    "two wrappers": program(PLAIN, ENTRY + "@Entry\n"),
    "warm first": program("        k.warmup(x, y, n, 2.0, grid=(1,), B=64)\n" + PLAIN),
    "what fits by what it takes": program(
        "        c = k.warmup(x, y, n, 2.0, grid=(1,), B=64)\n        c._init_handles()\n"
        "        fits = min(3, 65536 // (c.n_regs * 32 * 4) + c.metadata.shared)\n        c[(fits,)](x, y, n, 2.0, 64)"
    ),
    "a function by name": program(PLAIN, names="from triton.language.extra.libdevice import tanh", f="tanh"),
    "a function by name, of cuda": program(
        PLAIN, names="from triton.language.extra.cuda.libdevice import tanh", f="tanh"
    ),
    "a function under another name": program(
        PLAIN, names="from triton.language.extra.libdevice import tanh as t", f="t"
    ),
    "a module under another name": program(PLAIN, names="import triton.language.extra.libdevice as ld", f="ld.tanh"),
    "a logger": program("        log.debug('launch')\n" + PLAIN, "import logging\nlog = logging.getLogger(__name__)"),
    "the last input kept": program("        self.seen = x\n" + PLAIN),
    "the last output kept": program(PLAIN + "\n        self.seen = y"),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_honest_launches_are_accepted(name: str, evaluator: LocalEvaluator) -> None:
    text = LAUNCHES[name]
    right = evaluator.evaluate_text(text, reference(), RUNGS)
    assert right.ok, right
    wrong = evaluator.evaluate_text(text.replace("2.0", "2.5"), reference(), RUNGS)
    assert wrong.status is Status.MISMATCH, wrong


FORMS = {
    "a list": ("return [3.0]", "self, scale"),
    "nothing": ("return []", "self, scale=3.0"),
    "an empty pair": ("return [[], {}]", "self, scale=3.0"),
    "a keyword": ("return {'scale': 3.0}", "self, scale=1.0"),
    "a list and a keyword": ("return [[], {'scale': 3.0}]", "self, scale=1.0"),
    "a list in a pair": ("return [[3.0], {}]", "self, scale"),
    "both": ("return [[1.5], {'more': 2.0}]", "self, scale, more=1.0"),
    "a tuple": ("return (3.0,)", "self, scale"),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_init_arguments_reaches_both_sides(name: str, evaluator: LocalEvaluator) -> None:
    init, take = FORMS[name]
    factor = " * more" if "more" in take else ""
    text = program("        k[(3,)](x, y, n, self.scale, B=64)").replace(
        "    def forward(self, x):",
        f"    def __init__({take}):\n        super().__init__()\n        self.scale = scale{factor}\n\n"
        "    def forward(self, x):",
    )
    wanted = reference(f"return torch.tanh(x) * self.scale{' * 2.0' if factor else ''}", init, take)
    verdict = evaluator.evaluate_text(text, wanted, RUNGS)
    assert verdict.ok, verdict
