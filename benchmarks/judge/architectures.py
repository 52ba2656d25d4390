"""Fourteen small models of well-known families, in our own words, as programs in KernelBench's format.

Each can be had in fp32, with weights and inputs in bf16 or fp16, and under autocast. Weights are random, sizes small:
two layers of width 32 and 16 tokens, or images of 16 pixels. A `Fault` is planted by changing one place of a text.
"""

from dataclasses import dataclass

PRECISIONS = ("fp32", "bf16", "fp16", "autocast")
_DTYPES = {"bf16": "torch.bfloat16", "fp16": "torch.float16"}

_HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * wide.to(x.dtype)


def rotated(x, base=10000.0):
    half = x.shape[-1] // 2
    rates = 1.0 / base ** (torch.arange(half, device=x.device).float() / half)
    angles = torch.arange(x.shape[-2], device=x.device).float()[:, None] * rates
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def causal_mask(x):
    places = torch.arange(x.shape[-2], device=x.device)
    return places[:, None] >= places[None, :]


class Attention(nn.Module):
    def __init__(self, width=32, heads=4, groups=4, bias=True):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q = nn.Linear(width, width, bias=bias)
        self.kv = nn.Linear(width, 2 * groups * self.size, bias=bias)
        self.out = nn.Linear(width, width, bias=bias)

    def forward(self, x, mask=None, rotary=False, other=None):
        source = x if other is None else other
        q = self.q(x).unflatten(-1, (self.heads, self.size)).transpose(1, 2)
        k, v = self.kv(source).unflatten(-1, (2, self.groups, self.size)).permute(2, 0, 3, 1, 4)
        if rotary:
            q, k = rotated(q), rotated(k)
        k, v = (one.repeat_interleave(self.heads // self.groups, 1) for one in (k, v))
        scores = q @ k.transpose(-1, -2) / self.size**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        shares = torch.softmax(scores, -1, dtype=torch.float32).to(q.dtype)
        return self.out((shares @ v).transpose(1, 2).flatten(-2))


class FeedForward(nn.Module):
    def __init__(self, width=32, act=F.gelu):
        super().__init__()
        self.up, self.down, self.act = nn.Linear(width, 2 * width), nn.Linear(2 * width, width), act

    def forward(self, x):
        return self.down(self.act(self.up(x)))


class Gated(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.gate = nn.Linear(width, 2 * width, bias=False)
        self.up = nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, norm=nn.LayerNorm, mlp=FeedForward, **attention):
        super().__init__()
        self.norm1, self.norm2, self.attention, self.mlp = norm(32), norm(32), Attention(**attention), mlp()

    def forward(self, x, mask=None, rotary=False):
        x = x + self.attention(self.norm1(x), mask, rotary)
        return x + self.mlp(self.norm2(x))


"""
_TAIL = """

def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""
_TOKENS = "torch.randint(0, 64, (2, 16))"
_IMAGES = "torch.randn(2, {}, {}, {})"

#: By name: the layers, the lines of `forward(self, x)`, and what makes the inputs.
_MODELS: dict[str, tuple[str, str, str]] = {
    "bert": (
        "self.embed = nn.Embedding(64, 32)\nself.place = nn.Embedding(16, 32)\nself.norm = nn.LayerNorm(32)\n"
        "self.a = nn.ModuleList(Attention() for _ in range(2))\n"
        "self.m = nn.ModuleList(FeedForward() for _ in range(2))\n"
        "self.n = nn.ModuleList(nn.LayerNorm(32) for _ in range(4))\nself.pool = nn.Linear(32, 32)",
        "mask = (x != 3)[:, None, None, :]\nh = self.norm(self.embed(x) + self.place.weight)\n"
        "for i in range(2):\n    h = self.n[2 * i](h + self.a[i](h, mask))\n"
        "    h = self.n[2 * i + 1](h + self.m[i](h))\n"
        "return torch.tanh(self.pool(h[:, 0]))",
        _TOKENS,
    ),
    "gpt2": (
        "self.embed = nn.Embedding(64, 32)\nself.place = nn.Embedding(16, 32)\n"
        "self.layers = nn.ModuleList(Block(mlp=lambda: FeedForward(act=lambda x: F.gelu(x, approximate='tanh')))"
        " for _ in range(2))\nself.norm = nn.LayerNorm(32)",
        "h = self.embed(x) + self.place.weight\nmask = causal_mask(h)\n"
        "for layer in self.layers:\n    h = layer(h, mask)\n"
        "return self.norm(h) @ self.embed.weight.t()",
        _TOKENS,
    ),
    "llama": (
        "self.embed = nn.Embedding(64, 32)\n"
        "self.layers = nn.ModuleList(Block(RMSNorm, Gated, bias=False) for _ in range(2))\nself.norm = RMSNorm(32)\n"
        "self.head = nn.Linear(32, 64, bias=False)",
        "h = self.embed(x)\nmask = causal_mask(h)\nfor layer in self.layers:\n    h = layer(h, mask, rotary=True)\n"
        "return self.head(self.norm(h))",
        _TOKENS,
    ),
    "grouped_queries": (
        "self.embed = nn.Embedding(64, 32)\n"
        "self.layers = nn.ModuleList(Block(RMSNorm, Gated, groups=2, bias=False) for _ in range(2))\n"
        "self.norm = RMSNorm(32)",
        "h = self.embed(x)\nmask = causal_mask(h)\nplaces = torch.arange(16, device=x.device)\n"
        "mask = mask & (places[:, None] - places[None, :] < 6)\n"
        "for layer in self.layers:\n    h = layer(h, mask, rotary=True)\n"
        "return 30.0 * torch.tanh(self.norm(h) @ self.embed.weight.t() / 30.0)",
        _TOKENS,
    ),
    "t5": (
        "self.embed = nn.Embedding(64, 32)\nself.bias = nn.Embedding(8, 4)\n"
        "self.q, self.k, self.v, self.o = (nn.Linear(32, 32, bias=False) for _ in range(4))\n"
        "self.cross, self.mlp = Attention(bias=False), FeedForward(act=F.relu)\n"
        "self.n = nn.ModuleList(RMSNorm(32) for _ in range(4))",
        "h = self.embed(x)\nplaces = torch.arange(16, device=x.device)\n"
        "apart = (places[None, :] - places[:, None]).abs()\n"
        "bucket = torch.where(apart < 4, apart, (4 + torch.log2(apart.clamp(min=4) / 4)).long().clamp(max=7))\n"
        "bias = self.bias(bucket).permute(2, 0, 1)\nn = self.n[0](h)\n"
        "q, k, v = (one(n).unflatten(-1, (4, 8)).transpose(1, 2) for one in (self.q, self.k, self.v))\n"
        "shares = torch.softmax((q @ k.transpose(-1, -2) + bias).float(), -1).to(q.dtype)\n"
        "h = h + self.o((shares @ v).transpose(1, 2).flatten(-2))\n"
        "h = h + self.cross(self.n[1](h), other=self.n[2](h.flip(1)))\nreturn h + self.mlp(self.n[3](h))",
        _TOKENS,
    ),
    "vit": (
        "self.cut = nn.Conv2d(3, 32, 4, 4)\nself.first = nn.Parameter(torch.randn(1, 1, 32) * 0.02)\n"
        "self.place = nn.Parameter(torch.randn(1, 17, 32) * 0.02)\n"
        "self.layers = nn.ModuleList(Block() for _ in range(2))\n"
        "self.norm = nn.LayerNorm(32)\nself.head = nn.Linear(32, 10)",
        "h = self.cut(x).flatten(2).transpose(1, 2)\n"
        "h = torch.cat([self.first.expand(len(h), -1, -1), h], 1) + self.place\n"
        "for layer in self.layers:\n    h = layer(h)\nreturn self.head(self.norm(h)[:, 0])",
        _IMAGES.format(3, 16, 16),
    ),
    "whisper": (
        "self.c1, self.c2 = nn.Conv1d(8, 32, 3, padding=1), nn.Conv1d(32, 32, 3, stride=2, padding=1)\n"
        "self.layers = nn.ModuleList(Block() for _ in range(2))\nself.norm = nn.LayerNorm(32)",
        "h = F.gelu(self.c2(F.gelu(self.c1(x)))).transpose(1, 2)\n"
        "rates = torch.exp(torch.arange(16, device=x.device).float() * -0.6)\n"
        "angles = torch.arange(16, device=x.device).float()[:, None] * rates\n"
        "h = h + torch.cat([angles.sin(), angles.cos()], 1).to(h.dtype)\n"
        "for layer in self.layers:\n    h = layer(h)\nreturn self.norm(h)",
        "torch.randn(2, 8, 32)",
    ),
    "clip": (
        "self.embed = nn.Embedding(64, 32)\nself.cut = nn.Conv2d(3, 32, 8, 8, bias=False)\n"
        "self.text = nn.ModuleList(Block(mlp=lambda: FeedForward(act=lambda x: x * torch.sigmoid(1.702 * x)))"
        " for _ in range(1))\nself.image = Block()\nself.scale = nn.Parameter(torch.tensor(2.6))",
        "h = self.embed(t)\nmask = causal_mask(h)\nfor layer in self.text:\n    h = layer(h, mask)\n"
        "last = t.argmax(-1)\nh = h[torch.arange(len(h), device=h.device), last]\n"
        "g = self.image(self.cut(x).flatten(2).transpose(1, 2)).mean(1)\n"
        "return self.scale.exp() * F.normalize(g, dim=-1) @ F.normalize(h, dim=-1).t()",
        f"{_IMAGES.format(3, 16, 16)}, {_TOKENS}",
    ),
    "mixtral": (
        "self.norm1, self.norm2, self.attention = RMSNorm(32), RMSNorm(32), Attention(groups=2, bias=False)\n"
        "self.gate = nn.Linear(32, 4, bias=False)\nself.experts = nn.ModuleList(Gated() for _ in range(4))",
        "h = x + self.attention(self.norm1(x), causal_mask(x), rotary=True)\nn = self.norm2(h)\n"
        "shares = torch.softmax(self.gate(n).float(), -1)\nkept, which = torch.topk(shares, 2, -1)\n"
        "kept = (kept / kept.sum(-1, keepdim=True)).to(n.dtype)\n"
        "for i, expert in enumerate(self.experts):\n"
        "    h = h + expert(n) * (kept * (which == i)).sum(-1, keepdim=True)\nreturn h",
        "torch.randn(2, 16, 32)",
    ),
    "mamba": (
        "self.norm, self.inner = RMSNorm(32), nn.Linear(32, 64, bias=False)\n"
        "self.conv = nn.Conv1d(32, 32, 4, groups=32, padding=3)\nself.step = nn.Linear(32, 32)\n"
        "self.b, self.c, self.out = nn.Linear(32, 4, bias=False), nn.Linear(32, 4, bias=False), nn.Linear(32, 32)\n"
        "self.a = nn.Parameter(torch.log(torch.arange(1, 5).float()).repeat(32, 1))\n"
        "self.d = nn.Parameter(torch.ones(32))",
        "u, z = self.inner(self.norm(x)).chunk(2, -1)\n"
        "u = F.silu(self.conv(u.transpose(1, 2))[..., :8].transpose(1, 2))\n"
        "step = F.softplus(self.step(u)).float()\ndecay = torch.exp(step[..., None] * -self.a.float().exp())\n"
        "into = step[..., None] * self.b(u).float()[:, :, None, :] * u.float()[..., None]\n"
        "s = torch.zeros_like(into[:, 0])\nys = []\nfor t in range(8):\n    s = decay[:, t] * s + into[:, t]\n"
        "    ys.append((s * self.c(u)[:, t, None, :].float()).sum(-1))\n"
        "y = torch.stack(ys, 1).to(u.dtype) + u * self.d\nreturn x + self.out(y * F.silu(z))",
        "torch.randn(2, 8, 32)",
    ),
    "resnet": (
        "self.c1, self.b1 = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8)\n"
        "self.c2, self.b2 = nn.Conv2d(8, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8)\n"
        "self.c3, self.b3 = nn.Conv2d(8, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8)\n"
        "self.head = nn.Linear(8, 10)\nself.eval()",
        "h = F.max_pool2d(torch.relu(self.b1(self.c1(x))), 3, 2, 1)\n"
        "h = torch.relu(h + self.b3(self.c3(torch.relu(self.b2(self.c2(h))))))\n"
        "return self.head(F.adaptive_avg_pool2d(h, 1).flatten(1))",
        _IMAGES.format(3, 16, 16),
    ),
    "convnext": (
        "self.stem, self.deep = nn.Conv2d(3, 16, 4, 4), nn.Conv2d(16, 16, 7, padding=3, groups=16)\n"
        "self.n1, self.n2 = nn.LayerNorm(16, eps=1e-6), nn.LayerNorm(16, eps=1e-6)\n"
        "self.mlp, self.scale = FeedForward(16), nn.Parameter(torch.full((16,), 1e-6))",
        "h = self.n1(self.stem(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)\n"
        "g = self.mlp(self.n2(self.deep(h).permute(0, 2, 3, 1))) * self.scale\nreturn h + g.permute(0, 3, 1, 2)",
        _IMAGES.format(3, 32, 32),
    ),
    "mobilenet": (
        "self.up, self.b1 = nn.Conv2d(8, 16, 1, bias=False), nn.BatchNorm2d(16)\n"
        "self.deep, self.b2 = nn.Conv2d(16, 16, 3, 1, 1, groups=16, bias=False), nn.BatchNorm2d(16)\n"
        "self.s1, self.s2 = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)\n"
        "self.down, self.b3 = nn.Conv2d(16, 8, 1, bias=False), nn.BatchNorm2d(8)\nself.eval()",
        "h = F.hardswish(self.b2(self.deep(F.hardswish(self.b1(self.up(x))))))\n"
        "h = h * F.hardsigmoid(self.s2(torch.relu(self.s1(h.mean((2, 3), keepdim=True)))))\n"
        "return x + self.b3(self.down(h))",
        _IMAGES.format(8, 8, 8),
    ),
    "unet": (
        "self.n1, self.c1 = nn.GroupNorm(4, 16), nn.Conv2d(16, 16, 3, padding=1)\n"
        "self.n2, self.c2 = nn.GroupNorm(4, 16), nn.Conv2d(16, 16, 3, padding=1)\nself.time = nn.Linear(16, 16)\n"
        "self.n3, self.attention = nn.GroupNorm(4, 16), Attention(16)\n"
        "self.down, self.up = nn.Conv2d(16, 16, 3, 2, 1), nn.Conv2d(32, 16, 3, padding=1)",
        "rates = torch.exp(torch.arange(8, device=x.device).float() * -1.15)\nangles = t[:, None].float() * rates\n"
        "e = torch.cat([angles.cos(), angles.sin()], 1).to(x.dtype)\nh = self.c1(F.silu(self.n1(x)))\n"
        "h = h + self.time(F.silu(e))[:, :, None, None]\nh = x + self.c2(F.silu(self.n2(h)))\nd = self.down(h)\n"
        "s = self.attention(self.n3(d).flatten(2).transpose(1, 2)).transpose(1, 2).unflatten(2, (4, 4))\n"
        "d = F.interpolate(d + s, scale_factor=2.0, mode='nearest')\nreturn self.up(torch.cat([h, d], 1))",
        f"{_IMAGES.format(16, 8, 8)}, torch.randint(0, 1000, (2,))",
    ),
}
ARCHITECTURES = tuple(_MODELS)


@dataclass(frozen=True)
class Fault:
    """Something planted: in a model's text `right` gives way to `wrong`. `models`: whose text has it."""

    name: str
    right: str
    wrong: str
    models: tuple[str, ...]


_BLOCKS = ("gpt2", "llama", "grouped_queries", "vit", "whisper", "clip")
#: What a comparison of whole models has to find.
FAULTS = (
    Fault("a dropped residual", "return x + self.mlp(self.norm2(x))", "return self.mlp(self.norm2(x))", _BLOCKS),
    Fault("a dropped residual", "self.n[2 * i + 1](h + self.m[i](h))", "self.n[2 * i + 1](self.m[i](h))", ("bert",)),
    Fault("a dropped residual", "return h + self.mlp(self.n[3](h))", "return self.mlp(self.n[3](h))", ("t5",)),
    Fault("a dropped residual", "return x + self.out(", "return self.out(", ("mamba",)),
    Fault("a dropped residual", "torch.relu(h + self.b3(", "torch.relu(self.b3(", ("resnet",)),
    Fault("a dropped residual", "return x + self.b3(", "return self.b3(", ("mobilenet",)),
    Fault("a dropped residual", "return h + g.permute", "return g.permute", ("convnext",)),
    Fault("a dropped residual", "h = x + self.c2(", "h = self.c2(", ("unet",)),
    Fault("a dropped residual", "h = x + self.attention(", "h = self.attention(", ("mixtral",)),
    Fault("a shifted mask", "places[:, None] >= places[None, :]", "places[:, None] + 1 >= places[None, :]",
          ("gpt2", "llama", "grouped_queries", "clip", "mixtral")),
    Fault("a shifted mask", "(x != 3)[:", "(x.roll(1, 1) != 3)[:", ("bert",)),
    Fault("a shifted mask", "places[None, :] < 6", "places[None, :] < 7", ("grouped_queries",)),
)  # fmt: skip


def source(name: str, precision: str = "fp32", fault: Fault | None = None) -> str:
    """The program; with a fault, the wrong one."""
    layers, forward, inputs = _MODELS[name]
    arguments = "x, t" if ", torch.randint" in inputs else "x"
    dtype = _DTYPES.get(precision, "")
    if dtype:
        layers += f"\nself.to({dtype})"
        inputs = ", ".join(one if "randint" in one else f"{one}.to({dtype})" for one in _each(inputs))
    if precision == "autocast":
        forward = "with torch.autocast(x.device.type, dtype=torch.bfloat16):\n" + _indented(forward, 4)
    text = (
        f"{_HEAD}class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"{_indented(layers, 8)}\n\n"
        f"    def forward(self, {arguments}):\n{_indented(forward, 8)}\n{_TAIL.format(inputs=inputs)}"
    )
    if fault is not None:
        assert fault.right in text, f"{name} has no {fault.right!r}"
        text = text.replace(fault.right, fault.wrong)
    return text


def _each(inputs: str) -> list[str]:
    parts = inputs.split(", torch.")
    return [parts[0], *(f"torch.{part}" for part in parts[1:])]


def _indented(lines: str, by: int) -> str:
    return "\n".join(" " * by + line for line in lines.split("\n"))
