"""Gold is fp64 whatever a program casts to."""

import pytest
import torch

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.frontend.importers import import_source

LINEAR = "self.a = nn.Linear(16, 16).to({0})\nself.b = nn.Linear(16, 16).to({0})\nself.n = nn.LayerNorm(16).to({0})"
BF16, F16 = LINEAR.format("torch.bfloat16"), LINEAR.format("torch.float16")
X, X16, XF16 = "torch.randn(4, 6, 16)", "torch.randn(4, 6, 16).bfloat16()", "torch.randn(4, 6, 16).half()"

#: name -> (init, forward, input): programs that cast, and that plain fp64 operands make no sense to.
PROGRAMS = {
    "a norm in fp32": (
        BF16, "h = self.a(x)\nh = F.layer_norm(h.float(), (16,)).to(torch.bfloat16)\nreturn self.b(h)", X16),
    "a norm in fp32, in fp16": (F16, "h = F.layer_norm(self.a(x).float(), (16,)).half()\nreturn self.b(h)", XF16),
    "RMS norm as Llama has it": (
        BF16,
        "h = x.float()\nh = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)\nreturn self.a(h.to(x.dtype))",
        X16,
    ),
    "attention that is decomposed": (
        BF16,
        "q, k = self.a(x), self.b(x)\ns = q @ k.transpose(1, 2) / 4\n"
        "p = torch.softmax(s, -1, dtype=torch.float32).to(torch.bfloat16)\nreturn p @ x",
        X16,
    ),
    "autocast": (
        LINEAR.format("torch.float32"),
        "with torch.autocast('cpu', dtype=torch.bfloat16):\n    h = self.a(x)\n    return self.b(h.to(torch.bfloat16))",
        X,
    ),
    "autocast around one layer": (
        LINEAR.format("torch.float32"),
        "with torch.autocast('cpu', dtype=torch.bfloat16):\n    h = self.a(x)\nreturn h.to(torch.bfloat16) @ "
        "self.b.weight.to(torch.bfloat16)",
        X,
    ),
    "a mask made in fp32": (
        BF16,
        "m = torch.zeros(6, 6, dtype=torch.float32).masked_fill(torch.ones(6, 6).triu(1) > 0, -1e9)\n"
        "s = self.a(x) @ x.transpose(1, 2) + m.to(torch.bfloat16)\nreturn torch.softmax(s.float(), -1).bfloat16() @ x",
        X16,
    ),
    "rotary positions": (
        BF16,
        "t = torch.arange(6, dtype=torch.float32)[:, None] * torch.arange(16, dtype=torch.float32) * 0.1\n"
        "return self.a(x * t.cos().to(x.dtype))",
        X16,
    ),
    "steps embedded": (
        BF16,
        "t = torch.arange(6).float()[:, None] * 0.3\nreturn self.a(x + torch.sin(t).to(torch.bfloat16))",
        X16,
    ),
    "a result written into fp32": (
        BF16,
        "y = torch.zeros(4, 6, 16, dtype=torch.bfloat16)\n"
        "y[:, 1:] = self.a(x.to(torch.bfloat16))[:, 1:]\nreturn self.b(y)",
        X16,
    ),
    "the type of another": (BF16, "return self.b(self.a(x).float().softmax(-1).type_as(self.a.weight))", X16),
}  # fmt: skip


def program(init: str, forward: str, given: str) -> ReferenceProgram:
    lines = [
        "import torch",
        "import torch.nn as nn",
        "import torch.nn.functional as F",
        "",
        "",
        "class Model(nn.Module):",
    ]
    lines += [
        "    def __init__(self):",
        "        super().__init__()",
        *(f"        {one}" for one in init.split("\n")),
        "",
    ]
    lines += ["    def forward(self, x):", *(f"        {one}" for one in forward.split("\n")), "", ""]
    lines += ["def get_inputs():", f"    return [{given}]", "", "", "def get_init_inputs():", "    return []", ""]
    return ReferenceProgram.load(import_source("\n".join(lines), "casts", shrink="never").reference)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_cast_have_a_gold_of_fp64(name: str) -> None:
    one = program(*PROGRAMS[name])
    model, inputs = one.build(3), one.inputs(4)
    gold = one.gold(model, inputs)
    assert gold.note == ""
    assert [output.dtype for output in gold.outputs] == [torch.float64]
    (eager,) = one.run(model, inputs)
    error = (eager.double() - gold.outputs[0]).square().mean().sqrt() / gold.outputs[0].square().mean().sqrt()
    assert 1e-5 < float(error) < 2e-2  # the rounding of 16 bits, and no more


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_gold_is_that_of_the_same_program_without_casts(name: str) -> None:
    init, forward, given = PROGRAMS[name]
    one = program(init, forward, given)
    for narrow in ("torch.bfloat16", "torch.float16", "torch.float32"):
        init, forward = init.replace(narrow, "torch.float64"), forward.replace(narrow, "torch.float64")
    for cast in (".float()", ".half()", ".bfloat16()"):
        forward, given = forward.replace(cast, ".double()"), given.replace(cast, ".double()")
    given += "" if ".double()" in given else ".double()"
    plain = program(init, forward.replace("torch.autocast('cpu', dtype=torch.float64)", "torch.no_grad()"), given)
    model, inputs = one.build(3), one.inputs(4)
    twin = plain.build(3)
    twin.load_state_dict({key: value.double() for key, value in model.state_dict().items()})
    (wanted,) = plain.run(twin.double(), [value.double() for value in inputs if isinstance(value, torch.Tensor)])
    assert torch.allclose(one.gold(model, inputs).outputs[0], wanted, rtol=1e-9, atol=1e-12)


def test_casts_to_eight_bits_are_meant_to_round() -> None:
    one = program("pass", "return x.to(torch.float8_e4m3fn).to(torch.float32)", X)
    inputs = one.inputs(4)
    (eager,), gold = one.run(one.build(3), inputs), one.gold(one.build(3), inputs)
    assert torch.equal(gold.outputs[0].float(), eager)


def test_a_program_that_looks_at_bits_keeps_its_own_dtype() -> None:
    one = program("pass", "return (x.view(torch.int32).reshape(4, 6, 16) & -65536).view(torch.float32)", X)
    gold = one.gold(one.build(3), one.inputs(4))
    assert gold.note.startswith("gold in fp32; fp64 refused")


def test_nothing_stays_widened() -> None:
    one = program(*PROGRAMS["a norm in fp32"])
    one.gold(one.build(3), one.inputs(4))
    assert torch.get_default_dtype() == torch.float32
    assert torch.zeros(2, dtype=torch.bfloat16).dtype == torch.bfloat16
