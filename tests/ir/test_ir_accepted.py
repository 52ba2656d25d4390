"""Programs as models write them are in the dialect, print, and read back as the same modules."""

import pytest

from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import Reference, ScalarSpec, StateSpec, TensorSpec
from kernelwright.ir.verifier import verify

X, W = TensorSpec.contiguous("x", "f32", (16, 64)), TensorSpec.contiguous("w", "f32", (64, 64))
STATE = (StateSpec(TensorSpec.contiguous("b", "f32", (64,)), "lin.bias"),)
REFERENCE = Reference("class Model: ...", "Model", (X, W, ScalarSpec("s", 2.0)), STATE, (X,))

HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n"
KERNEL = """@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    tl.store(out_ptr + index, tl.load(x_ptr + index, mask) * 2, mask)


"""
MATMUL = """@triton.autotune(
    configs=[
        triton.Config({"BM": bm, "BN": 32, "BK": 32}, num_warps=w, num_stages=3)
        for bm in (16, 32)
        for w in [4, 8]
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(axis=0)
    width = tl.cdiv(N, BN)
    rows = (pid // width) * BM + tl.arange(0, BM)
    cols = (pid % width) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        depth = k * BK + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * sam + depth[None, :] * sak,
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        b = tl.load(b_ptr + depth[:, None] * sbk + cols[None, :] * sbn,
                    mask=(depth[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(c_ptr.dtype.element_ty),
             mask=(rows[:, None] < M) & (cols[None, :] < N))


"""


def host(body: str, *, above: str = KERNEL) -> str:
    """A native program with this forward."""
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.strip().splitlines())
    return f"{HEAD}{above}def forward(x, w):\n{lines}"


def model(init: str, forward: str, *, above: str = KERNEL, more: str = "") -> str:
    """A program in KernelBench's form."""
    first, second = ("".join(f"        {line}\n" for line in part.strip().splitlines()) for part in (init, forward))
    return (
        f"{HEAD}{above}class ModelNew(nn.Module):\n    def __init__(self, size: int = 4, bias=True):\n"
        f"        super(ModelNew, self).__init__()\n{first}\n"
        f"    def forward(self, x: torch.Tensor, w) -> torch.Tensor:\n"
        f"{second}{more}"
    )


LAUNCH = "out = torch.empty_like(x)\nn = x.numel()\ndouble[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)\nreturn out"
GRID = """x = x.contiguous()
w = w.contiguous()
assert x.is_cuda and w.is_cuda, f"inputs on {x.device}, {w.device!r}"
M, K = x.shape
K2, N = w.shape
assert K == K2, "shapes differ: " + str(K)
out = torch.empty((M, N), device=x.device, dtype=x.dtype)
grid = lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)
matmul[grid](x, w, out, M, N, K, x.stride(0), x.stride(1), w.stride(0), w.stride(1))
return out"""

ACCEPTED = {
    "plain": host(LAUNCH),
    "autotuned matmul with a lambda grid": host(GRID, above=MATMUL),
    "class with no weights": model("self.size = size", LAUNCH),
    "class with a linear layer": model(
        "self.lin = nn.Linear(size, size, bias=bias)",
        "if self.lin.bias is not None:\n    b = self.lin.bias.contiguous()\nwt = self.lin.weight.t()\n"
        + GRID.replace("w, out", "wt, out"),
        above=MATMUL,
    ),
    "class with a convolution's weights": model(
        "self.conv = nn.Conv2d(3, 8, 3, stride=2)\nself.w_shape = tuple(self.conv.weight.shape)",
        "k = self.conv.kernel_size[0]\nn = (x.shape[0] - k + 2 * self.conv.padding[0]) // self.conv.stride[0] + 1\n"
        "out = x.new_empty((n,))\ndouble[(n,)](self.conv.weight.view(-1), out, n, BLOCK=64)\nreturn out",
    ),
    "class with parameters and buffers": model(
        "self.scale = nn.Parameter(torch.randn(size) * 0.02)\nself.register_buffer('table', torch.zeros(size))\n"
        "nn.init.normal_(self.scale, std=0.02)\nself.eps = 1e-5",
        "n = self.scale.numel()\nout = torch.zeros_like(x)\n"
        "double[(1,)](self.scale, out, n, BLOCK=64)\ndouble[(1,)](self.table, out, n, BLOCK=64)\nreturn out",
    ),
    "class with a list of layers": model(
        "layers = []\nfor i in range(3):\n    layers.append(nn.Linear(size, size))\n"
        "self.layers = nn.ModuleList(layers)",
        "for i, layer in enumerate(self.layers):\n    out = torch.empty_like(x)\n"
        "    double[(1,)](layer.weight, out, layer.in_features, BLOCK=64)\n    x = out\nreturn x",
    ),
    "class with private methods": model(
        "self._size = size",
        "return self._launch(x, self._size)",
        more="\n    def _launch(self, a, n):\n        out = torch.empty_like(a)\n"
        "        double[(1,)](a, out, n, BLOCK=64)\n        return out\n",
    ),
    "class with a static method": model(
        "pass",
        "return self.run(x)",
        more="\n    @staticmethod\n    def run(a):\n        out = torch.empty_like(a)\n        return out\n",
    ),
    "class that repeats the reference": model("pass", LAUNCH)
    + "\n\nbatch = 16\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n        return x @ x\n\n\n"
    "def get_inputs():\n    return [torch.rand(batch, 64)]\n\n\ndef get_init_inputs():\n    return []\n\n\n"
    "if __name__ == '__main__':\n    print(Model()(*get_inputs()))\n",
    "class with typed arguments": model("self.size: int = size", LAUNCH).replace(
        "x: torch.Tensor", "x: 'torch.Tensor'"
    ),
    "helper functions": host(
        "out, n = make(x, dtype=torch.float32)\nrun(x, out)\nreturn out",
        above=KERNEL + "def make(a, dtype=None, pad=(0, 0)):\n"
        "    out = torch.empty(a.shape, device=a.device, dtype=dtype or a.dtype)\n"
        "    return out, a.numel()\n\n\ndef run(a, out):\n    n = a.numel()\n"
        "    double[(triton.cdiv(n, 64),)](a, out, n, BLOCK=64)\n\n\n",
    ),
    "raises": host(
        "if not x.is_cuda:\n    raise ValueError(f'not on a GPU: {x.device}')\n"
        "if x.dtype not in (torch.float16, torch.float32):\n    raise TypeError('dtype')\n" + LAUNCH
    ),
    "dtype branches": host(
        "if x.dtype == torch.float16:\n    block = 128\nelif x.dtype == torch.bfloat16:\n    block = 64\n"
        "else:\n    block = triton.next_power_of_2(x.shape[-1])\n"
        "out = torch.empty_like(x)\nacc = tl.float32 if x.dtype == torch.float16 else tl.float64\n"
        "double[(1,)](x, out, x.numel(), BLOCK=min(block, 1024))\nreturn out"
    ),
    "early return": host("if x.numel() == 0:\n    return torch.empty_like(x)\n" + LAUNCH),
    "several kernels and scratch": host(
        "n = x.numel()\nscratch = torch.empty((n,), device=x.device, dtype=torch.float32)\n"
        "sums = torch.zeros(triton.cdiv(n, 64), device=x.device)\nout = torch.full(x.shape, 0.0, device=x.device)\n"
        "double[(1,)](x, scratch, n, BLOCK=64)\nhalve[(1,)](scratch, sums, out, n, BLOCK=64)\nreturn out.view(x.shape)",
        above=KERNEL + "@triton.jit\ndef combine(a, b):\n    return tl.maximum(a, b)\n\n\n"
        "@triton.jit\ndef halve(x_ptr, s_ptr, out_ptr, n, BLOCK: tl.constexpr):\n    i = tl.arange(0, BLOCK)\n"
        "    v = tl.load(x_ptr + i, mask=i < n, other=-float('inf'))\n    tl.store(s_ptr, tl.reduce(v, 0, combine))\n"
        "    tl.atomic_add(s_ptr, tl.sum(v, axis=0))\n    tl.store(out_ptr + i, v, mask=i < n)\n\n\n",
    ),
    "heuristics": host(
        LAUNCH,
        above=KERNEL.replace(
            "@triton.jit",
            "@triton.heuristics({'BLOCK': lambda args: min(1024, triton.next_power_of_2(args['n']))})\n@triton.jit",
        ),
    ),
    "block pointers and static_range": host(
        LAUNCH,
        above=KERNEL + "@triton.jit\ndef tile(x_ptr, M, N, stride, BM: tl.constexpr, BN: tl.constexpr,\n"
        "         ACT: tl.constexpr = 'relu'):\n"
        "    block = tl.make_block_ptr(base=x_ptr, shape=(M, N), strides=(stride, 1), offsets=(0, 0),\n"
        "                              block_shape=(BM, BN), order=(1, 0))\n"
        "    for i in tl.static_range(4):\n        v = tl.load(block, boundary_check=(0, 1))\n"
        "        if ACT == 'relu':\n            v = tl.where(v > 0, v, 0.0)\n"
        "        tl.store(block, v.to(x_ptr.dtype.element_ty), boundary_check=(0, 1))\n"
        "        block = tl.advance(block, (0, BN))\n\n\n",
    ),
    "configurations as a constant": host(
        LAUNCH,
        above="CONFIGS = [triton.Config({'BLOCK': b}, num_warps=4) for b in (64, 128)]\nEPS: tl.constexpr = 1e-5\n\n\n"
        + KERNEL.replace("@triton.jit", "@triton.autotune(configs=CONFIGS, key=['n'])\n@triton.jit"),
    ),
    "a table of dtypes": host(
        "dtype = TYPES[x.dtype]\nblock = SIZES.get('block', 64)\n" + LAUNCH,
        above="TYPES = {torch.float16: tl.float16, torch.float32: tl.float32}\nSIZES = {'block': 64}\n\n\n" + KERNEL,
    ),
    "a nested grid function": host(
        "n = x.numel()\nout = torch.empty_like(x)\n\ndef grid(meta):\n    return (triton.cdiv(n, meta['BLOCK']),)\n\n"
        "double[grid](x, out, n, BLOCK=64)\nreturn out"
    ),
    "lists, dictionaries and comprehensions": host(
        "sizes = [s for s in x.shape]\nsizes.append(4)\noptions = {'BLOCK': 64}\noptions['num_warps'] = 4\n"
        "total = 1\nfor s in sizes:\n    total *= s\nassert all(s > 0 for s in sizes)\nout = torch.empty_like(x)\n"
        "double[(total,)](x, out, x.numel(), **options)\nreturn out.reshape(*x.shape[:-1], -1)"
    ),
    "views": host(
        "a = x.permute(1, 0).contiguous().unsqueeze(0).expand(4, -1, -1)\nb = torch.as_strided(w, (64,), (1,), 0)\n"
        "out = torch.empty(x.size(), dtype=torch.float32, device=x.device)\n"
        "double[(a.stride(0) + b.shape[0] * x.element_size(),)](a, out, a.numel(), BLOCK=64)\n"
        "return out.transpose(0, 1).to(x.dtype)"
    ),
    "externs": host(
        "out = torch.empty_strided((16, 64), (64, 1), device=x.device, dtype=torch.float32)\n"
        "torch.ops.aten.mm.out(x, w, out=out)\nreturn out"
    ),
    "meta, covers and mathematics": HEAD.replace("import torch\n", "import math\nimport torch\n", 1)
    + "# covers: aten.mul, aten.add\n"
    + KERNEL.rstrip()
    + "\n\n\ndouble_meta = {'BLOCK': 64, 'num_warps': 4}\n\n\n"
    "def forward(x: 'f32[16, 64]', b: 'f32[64]'):\n    out = torch.empty_like(x)\n"
    "    scale = 1.0 / math.sqrt(x.shape[-1])\n    grid = (math.ceil(scale * x.numel() / double_meta['BLOCK']), 1)\n"
    "    double[grid](x, out, x.numel(), **double_meta)\n    return (out, out.view(-1))\n",
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_programs_read_back(name: str) -> None:
    module = parse_module(ACCEPTED[name], reference=REFERENCE, name="program")
    assert module.launcher is not None and module.kernels
    assert verify(module) == ()
    text = print_module(module)
    assert parse_module(text) == module
    assert print_module(parse_module(text)) == text
