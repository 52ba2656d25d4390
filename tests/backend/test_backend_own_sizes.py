"""Offsets that overflow 32 bits only at sizes that nothing here has memory for."""

from dataclasses import dataclass, replace

import pytest

from kernelwright.backend.interpreter.own_sizes import check_offsets
from kernelwright.backend.launch.faults import AccessError
from kernelwright.frontend.importers import import_source
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import Reference, TensorSpec

WIDE = ".to(tl.int64)"


@dataclass(frozen=True)
class Case:
    """A kernel's body, in which `{}` stands after the number to widen, its grid, and the input's shape.

    `below`: a shape at which 32 bits do, just so where it is not the first.
    """

    body: str
    grid: str
    shape: tuple[int, ...]
    below: tuple[int, ...]
    block: int = 1024
    out: str = "torch.empty_like(x)"

    def program(self, widened: bool) -> str:
        lines = "".join(f"    {line}\n" for line in self.body.format(WIDE if widened else "").split("\n"))
        return (
            "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
            f"def k(x_ptr, y_ptr, M, N, n, BLOCK: tl.constexpr):\n{lines}\n\n"
            f"def forward(x):\n    M, N = x.shape[0], x.shape[-1]\n    y = {self.out}\n"
            f"    k[{self.grid}](x, y, M, N, x.numel(), BLOCK={self.block})\n    return y\n"
        )


ROWS = "torch.empty(x.shape[0], device=x.device, dtype=x.dtype)"
COLUMNS = "torch.empty(x.shape[1], device=x.device, dtype=x.dtype)"
CASES = {
    "a row times its stride": Case(
        "row = tl.program_id(0){}\ni = tl.arange(0, BLOCK)\n"
        "x = tl.load(x_ptr + row * N + i, mask=i < N)\ntl.store(y_ptr + row * N + i, x, mask=i < N)",
        "(M,)", (70000, 65536), (32767, 65536), 65536,
    ),
    "a program times its block": Case(
        "i = tl.program_id(0){} * BLOCK + tl.arange(0, BLOCK)\n"
        "tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)",
        "(triton.cdiv(x.numel(), 1024),)", (2**31 + 4096,), (2**31 - 1024,),
    ),
    "a loop over a row": Case(
        "row = tl.program_id(0){}\nfor start in range(0, N, BLOCK):\n    i = start + tl.arange(0, BLOCK)\n"
        "    x = tl.load(x_ptr + row * N + i, mask=i < N)\n    tl.store(y_ptr + row * N + i, x, mask=i < N)",
        "(M,)", (70000, 65536), (32767, 65536),
    ),
    "a loop's counter times a stride": Case(
        "i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\ns = tl.zeros((BLOCK,), tl.float32)\n"
        "for r in range(M):\n    s += tl.load(x_ptr + r{} * N + i, mask=i < N, other=0.0)\n"
        "tl.store(y_ptr + i, s, mask=i < N)",
        "(triton.cdiv(N, 1024),)", (300000, 8192), (200000, 8192), out=COLUMNS,
    ),
    "an index of three axes": Case(
        "b = tl.program_id(0){}\nc = tl.program_id(1)\ni = tl.arange(0, BLOCK)\nat = (b * 4096 + c) * N + i\n"
        "tl.store(y_ptr + at, tl.load(x_ptr + at, mask=i < N), mask=i < N)",
        "(M, 4096)", (640, 4096, 1024), (511, 4096, 1024),
    ),
    "a block of rows": Case(
        "r = (tl.program_id(0) * 32 + tl.arange(0, 32)){}[:, None]\ni = tl.arange(0, BLOCK)[None, :]\n"
        "on = (r < M) & (i < N)\nx = tl.load(x_ptr + r * N + i, mask=on)\ntl.store(y_ptr + r * N + i, x, mask=on)",
        "(triton.cdiv(M, 32),)", (4200000, 1000), (2147483, 1000),
    ),
    "a stride among the columns": Case(
        "row = tl.program_id(0)\ni = tl.arange(0, BLOCK)\n"
        "x = tl.load(x_ptr + i{} * M + row, mask=i < N, other=0.0)\ntl.store(y_ptr + row, tl.sum(x))",
        "(M,)", (3000000, 1000), (2000000, 1000), out="torch.empty(M, device=x.device)",
    ),
    "an offset added to a pointer": Case(
        "row = tl.program_id(0)\nx_ptr += row{} * N\ny_ptr += row\ns = 0.0\nfor start in range(0, N, BLOCK):\n"
        "    i = start + tl.arange(0, BLOCK)\n    s += tl.sum(tl.load(x_ptr + i, mask=i < N, other=0.0))\n"
        "tl.store(y_ptr, s)",
        "(M,)", (100000, 32768), (65535, 32768), out=ROWS,
    ),
    "rows in turn": Case(
        "i = tl.arange(0, BLOCK)\nfor r in range(tl.program_id(0), M, tl.num_programs(0)):\n"
        "    at = r{} * N + i\n    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=i < N), mask=i < N)",
        "(132,)", (4200000, 1000), (2147483, 1000),
    ),
    "digits of a flat index": Case(
        "i = tl.program_id(0){} * BLOCK + tl.arange(0, BLOCK)\nr, c = i // N, i % N\n"
        "tl.store(y_ptr + r * N + c, tl.load(x_ptr + r * N + c, mask=i < n), mask=i < n)",
        "(triton.cdiv(x.numel(), 1024),)", (3000, 1000003), (2147, 1000003),
    ),
}  # fmt: skip


def check(program: str, shape: tuple[int, ...], *more: TensorSpec) -> None:
    spec = TensorSpec.contiguous("x", "f32", shape)
    reference = Reference("", "Model", (spec, *more), (), (spec,))
    check_offsets(parse_module(program, reference=reference, name="candidate"))


@pytest.mark.parametrize("name", CASES)
def test_an_offset_that_leaves_32_bits_is_found(name: str) -> None:
    case = CASES[name]
    with pytest.raises(AccessError, match=r"32 bits overflows: offset -?[0-9]+ of [xy]_ptr is [0-9]+") as found:
        check(case.program(widened=False), case.shape)
    assert found.value.kernel == "k" and ("load" in found.value.place.text or "store" in found.value.place.text)
    meant = int(str(found.value).split("_ptr is ")[1].split()[0].strip(","))
    assert meant >= 2**31 and (found.value.offset - meant) % 2**32 == 0


@pytest.mark.parametrize("name", CASES)
def test_offsets_of_64_bits_and_sizes_below_the_limit_are_fine(name: str) -> None:
    case = CASES[name]
    check(case.program(widened=True), case.shape)
    check(case.program(widened=False), case.below)


def test_a_mask_that_an_overflow_turns_on_is_found() -> None:
    """A program past the end begins below 0, which is less than any size."""
    case = replace(CASES["a program times its block"], grid="(triton.cdiv(x.numel(), 1024) + 1,)")
    with pytest.raises(AccessError, match="where the mask is off"):
        check(case.program(widened=False), (2**31 - 100,))
    check(case.program(widened=True), (2**31 - 100,))


INDEXED = "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
INDEXED += "def k(x_ptr, i_ptr, y_ptr, N, BLOCK: tl.constexpr):\n    row = tl.program_id(0).to(tl.int64)\n    {}\n"
INDEXED += "    c = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + at * N + c, mask=c < N)\n"
INDEXED += "    tl.store(y_ptr + row * N + c, x, mask=c < N)\n\n\ndef forward(x, i):\n"
INDEXED += "    y = torch.empty((i.shape[0], x.shape[1]), device=x.device)\n"
INDEXED += "    k[(i.shape[0],)](x, i, y, x.shape[1], 1024)\n    return y\n"


@pytest.mark.parametrize(
    "place",
    [
        "at = tl.load(i_ptr + row)",  # an index that is loaded
        "at = tl.load(i_ptr + row) - 1",  # out of bounds where it is zero, which it may not be
        "at = tl.load(i_ptr + row + 10 ** 9)",  # out of bounds, but not for its number of bits
        "at = ((row.to(tl.int32) * 1103515245 + 12345) & 65535).to(tl.int64)",  # a hash is meant to wrap
        "at = (row.to(tl.uint32) * 2654435761 % 70000).to(tl.int64)",
    ],
)
def test_what_is_no_overflow_of_an_offset_is_left_alone(place: str) -> None:
    check(INDEXED.format(place), (70000, 1000 * 65), TensorSpec.contiguous("i", "i64", (70000,)))


def test_a_program_may_choose_by_its_size() -> None:
    body = "i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    body += "if n > 2147483647:\n    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n"
    body = body.replace("i = tl.program_id(0) *", "i = tl.program_id(0).to(tl.int64) *", 1)
    body += "tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)"
    check(Case(body, "(triton.cdiv(x.numel(), 1024),)", (), ()).program(False), (2**31 + 4096,))


@pytest.mark.parametrize(
    ("body", "overflows"),
    [  # what a round hands on decides where the next one reads: no round is left out, and none is that high
        (
            "at = 0\nfor r in range(M):\n    x = tl.load(x_ptr + at * N + i)\n    at = (at + 1) % 16\n    x = x + r",
            False,
        ),
        ("at = x_ptr + i\nfor r in range(M):\n    x = tl.load(at)\n    at += N", False),
        # the same, but it is a sum that is only stored
        ("s = tl.zeros((BLOCK,), tl.float32)\nfor r in range(M):\n    s += tl.load(x_ptr + r * N + i)\nx = s", True),
    ],
)
def test_rounds_are_left_out_where_nothing_hangs_on_them(body: str, overflows: bool) -> None:
    program = Case(f"i = tl.arange(0, BLOCK)\n{body}\ntl.store(y_ptr + i, x)", "(1,)", (), ()).program(False)
    if overflows:
        with pytest.raises(AccessError, match="overflows"):
            check(program, (2_200_000, 1024))
    else:
        check(program, (2_200_000, 1024))


@pytest.mark.parametrize("wide", [True, False])
def test_a_class_is_checked_with_its_weights(wide: bool) -> None:
    source = "import torch\nclass Model(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    source += "        self.gain = torch.nn.Parameter(torch.ones(n))\n"
    source += "    def forward(self, x):\n        return x * self.gain\n"
    source += "def get_inputs():\n    return [torch.ones(40000, 65536)]\ndef get_init_inputs():\n    return [65536]\n"
    row = "tl.program_id(0)" + (WIDE if wide else "")
    program = (
        "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        f"def k(x_ptr, g_ptr, y_ptr, N, BLOCK: tl.constexpr):\n    row = {row}\n"
        "    for start in range(0, N, BLOCK):\n        i = start + tl.arange(0, BLOCK)\n"
        "        x = tl.load(x_ptr + row * N + i, mask=i < N) * tl.load(g_ptr + i, mask=i < N)\n"
        "        tl.store(y_ptr + row * N + i, x, mask=i < N)\n\n\nclass ModelNew(nn.Module):\n"
        "    def __init__(self, n):\n        super().__init__()\n        self.gain = nn.Parameter(torch.ones(n))\n\n"
        "    def forward(self, x):\n        y = torch.empty_like(x)\n"
        "        k[(x.shape[0],)](x, self.gain, y, x.shape[1], 1024)\n        return y\n"
    )
    module = parse_module(program, reference=import_source(source, "large", shrink="never").reference, name="candidate")
    if wide:
        check_offsets(module)
        return
    with pytest.raises(AccessError, match="of x_ptr is"):
        check_offsets(module)
