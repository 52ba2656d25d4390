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
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False
    ) as evaluator:
        yield evaluator


def reference(
    body: str = "return torch.tanh(x) * 2", init: str = "return []", take: str = "self", shape: str = "130"
) -> Reference:
    source = (
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
        f"    def __init__({take}):\n        super().__init__()\n"
        f"        self.scale = {'scale' if 'scale' in take else '2'}\n\n"
        f"    def forward(self, x):\n        {body}\n\n\ndef get_inputs():\n    return [torch.randn({shape})]\n\n\n"
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


def described(kernel: str, call: str, above: str = "", more: str = "") -> str:
    """A program that gives its kernel descriptors of x and y."""
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

{more}
{above}
@triton.jit
{kernel}

class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
{call}
        return y
"""


_FLAT = """def k(x, y, s, B: tl.constexpr):
    i = tl.program_id(0) * B
    y.store([i], x.load([i]) * s)
"""
_TILED = """def k(a, s, b: "tl.tensor_descriptor", H: tl.constexpr, W: tl.constexpr):
    # a comment
    for j in range(0, a.shape[1], W):
        move(a, b, tl.program_id(0) * H, j, s)
"""
_MOVE = """@triton.jit
def move(a, b, i, j, s): b.store([i, j], a.load([i, j]) * s)


"""
_HOOKED = """def sized(args):
    args["x"].block_shape = [args["B"]]
    args["y"].block_shape = [args["B"]]


"""
_TUNED = """@triton.autotune([triton.Config({"B": b}, pre_hook=sized) for b in (32, 64)], key=["s"])"""
_GRID = "[lambda meta: (triton.cdiv(n, meta['B']),)]"
DESCRIPTORS = {
    "of a tensor": (
        "130",
        described(
            _FLAT,
            "        a, b = (TensorDescriptor.from_tensor(t, [64]) for t in (x, y))\n        k[(3,)](a, b, 2.0, B=64)",
        ),
    ),
    "of sizes and strides": (
        "130",
        described(
            _FLAT,
            "        k[(3,)](TensorDescriptor(x, [n], [1], [64]), TensorDescriptor(y, shape=y.shape, "
            "strides=y.stride(), block_shape=[64]), s=2.0, B=64)",
        ),
    ),
    "with a block for each launch": (
        "130",
        described(
            _FLAT,
            "        for b, first in ((64, 0), (32, 2)):\n"
            "            k[(5,)](TensorDescriptor.from_tensor(x, [b]), TensorDescriptor.from_tensor(y, [b]), 2.0, b)",
        ),
    ),
    "in a helper of the kernel": (
        "13, 40",
        described(
            _TILED,
            "        k[(4,)](TensorDescriptor.from_tensor(x, [4, 16]), 2.0, TensorDescriptor.from_tensor(y, [4, 16]), "
            "4, 16)",
            _MOVE,
        ),
    ),
    "sized by a configuration's hook": (
        "130",
        described(
            _FLAT,
            "        a, b = (TensorDescriptor.from_tensor(t, [1]) for t in (x, y))\n        k" + _GRID + "(a, b, 2.0)",
            _TUNED + "\n",
            _HOOKED,
        ).replace("\n@triton.jit", "@triton.jit"),
    ),
    "on one line": (
        "130",
        described(
            "def k(x, y, s, B: tl.constexpr): y.store([tl.program_id(0) * B], x.load([tl.program_id(0) * B]) * s)\n",
            "        k[(3,)](TensorDescriptor.from_tensor(x, [64]), TensorDescriptor.from_tensor(y, [64]), 2.0, B=64)",
        ),
    ),
}


@pytest.mark.parametrize("name", DESCRIPTORS)
def test_descriptors_of_host_code_are_made_in_the_kernel(name: str, evaluator: LocalEvaluator) -> None:
    shape, text = DESCRIPTORS[name]
    wanted = reference("return x * 2", shape=shape)
    right = evaluator.evaluate_text(text, wanted, RUNGS)
    assert right.ok, right
    wrong = evaluator.evaluate_text(text.replace("2.0", "2.5"), wanted, RUNGS)
    assert wrong.status is Status.MISMATCH, wrong


def test_a_descriptor_ends_where_its_sizes_say(evaluator: LocalEvaluator) -> None:
    _, text = DESCRIPTORS["of sizes and strides"]
    verdict = evaluator.evaluate_text(text.replace("[n]", "[n - 1]"), reference("return x * 2"), RUNGS)
    assert verdict.status is Status.MISMATCH, verdict
    verdict = evaluator.evaluate_text(text.replace("[n]", "[n + 1]"), reference("return x * 2"), RUNGS)
    assert (verdict.status, "out of bounds" in str(verdict.diagnostics)) == (Status.RUNTIME_ERROR, True), verdict


def test_the_dialect_says_where_descriptors_are_made() -> None:
    _, text = DESCRIPTORS["of a tensor"]
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False) as evaluator:
        verdict = evaluator.evaluate_text(text, reference("return x * 2"), RUNGS)
    assert verdict.status is Status.UNPARSED, verdict
    assert all("tl.make_tensor_descriptor(ptr, " in one.hint for one in verdict.diagnostics if "Desc" in one.text)
