"""What models commonly write around their kernels is in the dialect, reads back, and runs as printed."""

import pytest

from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import Reference, TensorSpec
from kernelwright.ir.verifier import launched, verify

SOURCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        return x


def get_inputs():
    return [torch.rand(16, 64), torch.rand(64, 64)]


def get_init_inputs():
    return []
"""
X, W = TensorSpec.contiguous("x", "f32", (16, 64)), TensorSpec.contiguous("w", "f32", (64, 64))
REFERENCE = Reference(SOURCE, "Model", (X, W), (), (X,))

HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n"
KERNEL = """@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    tl.store(out_ptr + index, tl.load(x_ptr + index, mask) * 2, mask)


@triton.jit
def halve(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + index, tl.load(x_ptr + index, index < n) / 2, index < n)


"""
LAUNCH = "double[(triton.cdiv(out.numel(), 64),)](x, out, out.numel(), BLOCK=64)\nreturn out"


def program(forward: str, *, init: str = "", imports: str = "", above: str = KERNEL, held: str = "") -> str:
    """A program in KernelBench's form; without `init` it has no __init__."""

    def indented(text: str, width: int) -> str:
        return "".join(f"{' ' * width}{line}\n" if line else "\n" for line in text.splitlines())

    first = indented("def __init__(self):\n    super().__init__()\n" + indented(init, 4), 4) if init else ""
    body = indented("def forward(self, x, w):\n" + indented(forward, 4), 4)
    return f"{imports}{HEAD}{above}class ModelNew(nn.Module):\n{first}{indented(held, 4)}{body}"


def plain(line: str) -> str:
    """A program with one line before an ordinary launch."""
    return program(f"{line}\nout = torch.empty_like(x)\n{LAUNCH}")


AUTOTUNED = KERNEL.replace("@triton.jit", "@triton.autotune(configs=get_configs(), key=['n'])\n@triton.jit", 1)
TUNED_LAUNCH = (
    "out = torch.empty_like(x)\ndouble[lambda meta: (triton.cdiv(1024, meta['BLOCK']),)](x, out, 1024)\nreturn out"
)
FUNCTION = """class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale=2):
        x = x.contiguous()
        out = torch.empty_like(x)
        ctx.save_for_backward(x)
        ctx.scale = scale
        double[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
        return out

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.scale * torch.ones_like(x), None


"""

WRITTEN = {
    "no __init__": plain("pass"),
    "class constants": program(
        "out = torch.empty_like(x)\ndouble[(1,)](x, out, self.SIZES[0] * ModelNew.BLOCK, BLOCK=self.BLOCK)\nreturn out",
        held='"""Doubles."""\nBLOCK = 64\nSIZES: tuple = (16, 64)\nKIND = tl.float32',
    ),
    "properties and static methods": program(
        "out = torch.empty_like(x)\ndouble[(self.grid(x.numel()),)](x, out, x.numel(), BLOCK=self.block)\nreturn out",
        init="self._block = 64",
        held="@property\ndef block(self):\n    return self._block\n\n"
        "@staticmethod\ndef grid(n):\n    return triton.cdiv(n, 64)\n",
    ),
    "no_grad as a decorator": program(f"out = torch.empty_like(x)\n{LAUNCH}").replace(
        "    def forward", "    @torch.no_grad()\n    def forward"
    ),
    "contexts": program(
        "out = torch.empty_like(x)\nwith torch.no_grad(), torch.cuda.device(x.device):\n"
        "    double[(16,)](x, out, x.numel(), BLOCK=64)\nwith torch.inference_mode():\n    n = 3\nreturn out"
    ),
    "weights drawn by a method": program(
        f"out = torch.empty_like(x)\n{LAUNCH.replace('(x, out', '(self.weight, out')}",
        init="self.weight = nn.Parameter(torch.empty(16, 64))\nself.lin = nn.Linear(4, 4)\nself.reset_parameters()\n"
        "self.apply(self._init)\nself.lin.weight.data.normal_(0, 0.02)",
        held="def reset_parameters(self):\n    nn.init.kaiming_uniform_(self.weight, a=2.0)\n    self.bound = 3\n\n"
        "def _init(self, module):\n    if isinstance(module, nn.Linear):\n        nn.init.zeros_(module.bias)\n",
    ),
    "weights drawn by a function": program(
        f"out = torch.empty_like(x)\n{LAUNCH.replace('(x, out', '(self.weight, out')}",
        init="self.weight = nn.Parameter(draw((16, 64)))",
        above=KERNEL + "def draw(shape):\n    return torch.randn(shape) * 0.02\n\n\n",
    ),
    "helper methods": program(
        "return self._run(x, self._size(x))",
        held="def _size(self, x):\n    return x.numel()\n\n"
        f"def _run(self, x, n):\n    out = torch.empty_like(x)\n    {LAUNCH.splitlines()[0]}\n    return out\n",
    ),
    "a function gives configurations": program(
        TUNED_LAUNCH,
        above="STAGES = [2, 3]\n\n\ndef get_configs():\n    configs = []\n    for block in [64, 128]:\n"
        "        for warps in (4, 8):\n            if block * warps < 1024:\n                configs.append(\n"
        "                    triton.Config({'BLOCK': block}, num_warps=warps, num_stages=STAGES[0])\n"
        "                )\n    return configs\n\n\nN = 4\n" + AUTOTUNED,
    ),
    "configurations are pruned": program(
        TUNED_LAUNCH,
        above="def prune(configs, named_args, **kwargs):\n    n = named_args['n']\n"
        "    return [c for c in configs if c.kwargs['BLOCK'] <= n and c.num_warps < 8] or configs[:1]\n\n\n"
        + AUTOTUNED.replace("get_configs()", "[triton.Config({'BLOCK': b}) for b in (64, 128)]").replace(
            "key=['n']", "key=['n'], prune_configs_by={'early_config_prune': prune}"
        ),
    ),
    "names from torch and typing": program(
        "out: Tensor = torch.empty_like(x)\nassert isinstance(x, Tensor)\n" + LAUNCH,
        imports="from typing import Callable, Optional\nfrom torch import Tensor, nn\n"
        "import torch.nn.functional as F\n",
        held="def size(self, x: Tensor, f: Optional[Callable] = None) -> int:\n    return 1\n",
    ),
    "imports that nothing uses": program(
        f"out = torch.empty_like(x)\n{LAUNCH}",
        imports="import os\nimport sys\nimport numpy as np\nimport functools\nimport torch.nn\n"
        "from functools import lru_cache\nfrom triton.testing import do_bench\n"
        "from typing import NamedTuple\nimport torch.utils.benchmark as bench\n",
    ),
    "the device is asked": plain(
        "assert torch.cuda.is_available() and x.is_cuda\ntorch.cuda.synchronize()\n"
        "sms = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count\n"
        "major, minor = torch.cuda.get_device_capability(x.device)"
    ),
    "a view of memory": plain("a = x.as_strided((16, 4), (16, 1), x.storage_offset() + 4)"),
    "conversions": plain(
        "x = x.cuda().float()\nh = w.half().bfloat16()\nh = h.to(torch.float32).detach().data\nx = x.data"
    ),
    "views as functions": plain(
        "a = torch.transpose(x, 0, 1)\na = torch.reshape(a, (64, 4, 4))\na = torch.permute(a, (2, 0, 1))\n"
        "a = torch.squeeze(torch.unsqueeze(a, 0), 0)\nn = torch.numel(torch.flatten(a, 1))"
    ),
    "copies": program(
        "both = torch.cat([x, torch.clone(x)], dim=0)\npair = torch.stack((x, x))\nmany = x.repeat(2, 1)\n"
        "wide = F.pad(x, (0, 1))\nwide = nn.functional.pad(x, (0, 1), mode='constant', value=0.0)\n"
        f"out = torch.zeros_like(x)\nout[:4] = x[:4]\nout[0, 0] = 1.0\n{LAUNCH}",
        imports="import torch.nn.functional as F\n",
    ),
    "texts": plain(
        'assert x.ndim == 2, "got {} of {:>4}".format(x.ndim, x.dtype)\n'
        'if x.ndim != 2:\n    raise ValueError(f"shape {tuple(x.shape)} of {x.dtype}")\n'
        'assert x.dtype == w.dtype, "%s is not %s" % (x.dtype, w.dtype)'
    ),
    "kernels that print": program(
        f"out = torch.empty_like(x)\n{LAUNCH}",
        above=KERNEL.replace(
            "    mask", "    tl.static_print('block', BLOCK)\n    tl.device_print('n', n)\n    mask", 1
        ),
    ),
    "a kernel in a variable": program(
        "out = torch.empty_like(x)\nn = x.numel()\nkernel = double if n > 64 else halve\n"
        "kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)\nreturn out"
    ),
    "a kernel chosen by branches": program(
        "out = torch.empty_like(x)\nn = x.numel()\nif n > 64:\n    kernel, block = double, 64\nelse:\n"
        "    kernel, block = halve, 32\nkernel[(triton.cdiv(n, block),)](x, out, n, BLOCK=block)\nreturn out"
    ),
    "a kernel with its grid": program(
        "out = torch.empty_like(x)\ngrid = (16,)\nrun = double[grid]\nrun(x, out, 1024, BLOCK=64)\nreturn out"
    ),
    "a kernel as an argument": program(
        "return launch(double, x)",
        above=KERNEL + "def launch(kernel, x):\n    out = torch.empty_like(x)\n"
        "    kernel[(16,)](x, out, x.numel(), BLOCK=64)\n    return out\n\n\n",
    ),
    "an autograd function": program("return Double.apply(x)", above=KERNEL + FUNCTION),
    "libdevice": program(
        f"out = torch.empty_like(x)\n{LAUNCH}",
        imports="from triton.language.extra.cuda import libdevice\n",
        above=KERNEL.replace("* 2", "+ libdevice.tanh(0.0) * 2"),
    ),
    "an annotated constexpr": program(
        f"out = torch.empty_like(x)\n{LAUNCH}",
        above="TWO: tl.constexpr = tl.constexpr(2)\n\n\n" + KERNEL.replace("* 2", "* TWO"),
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_written_programs_read_back_and_run(name: str) -> None:
    pytest.importorskip("triton")
    from kernelwright.backend.launch.execute import trace_launches

    module = parse_module(WRITTEN[name], reference=REFERENCE, name="program")
    assert verify(module) == () and launched(module)
    text = print_module(module)
    again = parse_module(text)
    assert again == module and print_module(again) == text
    assert [launch.symbol for launch in trace_launches(again)] == ["double"]


def test_printed_text_stands_alone() -> None:
    pytest.importorskip("triton")
    for name in ("an autograd function", "names from torch and typing", "class constants", "copies"):
        space: dict[str, object] = {"__name__": "program"}
        text = print_module(parse_module(WRITTEN[name], reference=REFERENCE))
        lines = [line for line in text.splitlines() if line != "@triton.jit"]
        exec(compile("\n".join(lines), "program", "exec"), space)
        assert callable(space["ModelNew"])


def test_what_nothing_runs_is_left_out() -> None:
    module = parse_module(WRITTEN["an autograd function"], reference=REFERENCE)
    assert module.launcher is not None
    assert "def backward" not in module.launcher.source and "numpy" not in print_module(
        parse_module(WRITTEN["imports that nothing uses"], reference=REFERENCE)
    )
