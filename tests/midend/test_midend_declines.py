"""Rewrites of kernels that leave one as it was say why, in a line that fits the kernel."""

from functools import cache

import pytest
from kernel_corpus import corpus

from kernelwright.driver.config.discovery import discover
from kernelwright.frontend.importers import import_source
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context, Declined
from kernelwright.ir.values import KernelModule, Reference

discover()
PASSES = sorted(name for name, found in REGISTRY.items() if found.keeps is not None)

PROGRAM = """
import torch
import triton
import triton.language as tl

aten = torch.ops.aten


@triton.jit
def rows(x_ptr, y_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    BODY

rows_meta = {"BLOCK": 256}


def forward(x):
    y = torch.empty_strided((4, WIDTH), (WIDTH, 1), device=x.device, dtype=torch.float32)
    rows[4,](x, y, **rows_meta)
    return y
"""
#: A loop that adds up a row, and one that stores it.
ADDS = """
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, WIDTH, BLOCK):
        c = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * WIDTH + c, mask=c < WIDTH, other=0.0)
    mean = tl.sum(total, 0)
"""
STORES = """
    for start in range(0, WIDTH, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * WIDTH + c, mask=c < WIDTH, other=0.0)
        tl.store(y_ptr + row * WIDTH + c, x - mean, mask=c < WIDTH)
"""
WHOLE = """
    c = tl.arange(0, 2048)
    x = tl.load(x_ptr + row * WIDTH + c, mask=c < WIDTH, other=0.0)
    tl.store(y_ptr + row * WIDTH + c, x - 1.0, mask=c < WIDTH)
"""
#: Loads and a store of elements that lie two by two.
PAIRED = """
    i = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + row * WIDTH + 2 * i, mask=i < 200, other=0.0)
    BETWEEN
    b = tl.load(x_ptr + row * WIDTH + 2 * i + 1, mask=i < 200, other=0.0)
    tl.store(y_ptr + row * WIDTH + i, a * b, mask=i < 200)
"""
TWO = ADDS + STORES
#: Pass, body, width, reason.
CASES = [
    ("align-rows", WHOLE, 1031, "it has no loop"),
    ("align-rows", TWO, 131, "its rows have 131 elements, fewer than 512"),
    ("align-rows", TWO, 1024, "the length of its rows is a multiple of 16 bytes"),
    ("align-rows", TWO.replace("range(0,", "range(1,"), 1031, "a loop does not run from 0 to a known length"),
    (
        "align-rows",
        TWO.replace(", mask=c < WIDTH, other=0.0", ""),
        1031,
        "an access is not masked at",
    ),
    ("align-rows", TWO.replace("x - mean", "x - mean + c"), 1031, "a loop uses positions for more than addresses"),
    ("align-rows", TWO.replace("row * WIDTH", "7"), 1031, "all programs read the same row"),
    ("persistent-rows", WHOLE, 1031, "it has no loop"),
    ("persistent-rows", "mean = 0.0\n" + STORES, 1031, "it has one loop, which loads each element once"),
    ("persistent-rows", TWO, 20000, "its rows have 20000 elements, and the limit is 16384"),
    ("persistent-rows", TWO.replace("mask=c < WIDTH)", "mask=c < 2000)"), 1031, "an access is not masked at the end"),
    ("persistent-rows", ADDS + "\n    for one in range(1):" + STORES.replace("\n", "\n    "), 1031, "a loop is inside"),
    (
        "persistent-rows",
        ADDS.replace("BLOCK)", "64)", 1) + STORES,
        1031,
        "a loop's step is not a block size of the launch",
    ),
    (
        "persistent-rows",
        ADDS.replace("WIDTH, BLOCK", "99, BLOCK") + STORES,
        1031,
        "its loops differ in length or in step",
    ),
    ("reverse-loops", "mean = 0.0\n" + STORES, 1031, "it has only one loop"),
    ("reverse-loops", TWO.replace("x - mean", "x - mean + start"), 1031, "the second loop uses its counter for more"),
    (
        "reverse-loops",
        TWO.replace("x - mean", "tl.cumsum(x, 0) - mean"),
        1031,
        "the second loop depends on which element",
    ),
    ("serial-windows", WHOLE, 1031, "no kernel has a loop"),
    ("serial-windows", TWO, 1031, "its loops run over 1031 elements, more than 256"),
    ("serial-windows", TWO, 131, "no launch option says how many windows a program has"),
    ("cache-hints", TWO, 1031, "each load without an eviction policy has a different address in each program"),
    ("cache-hints", TWO.replace("row", "0"), 1031, "all of its programs do the same"),
    ("hoist-offsets", TWO, 1031, "no block of statements has three loads at constant distances in one tensor"),
    ("strength-reduce", TWO, 1031, "no index of an element is a quotient or a remainder"),
    ("strength-reduce", WHOLE.replace("x - 1.0", "x * (c % 7)"), 1031, "its quotients and remainders are all needed"),
    ("join-pairs", TWO, 1031, "no two accesses are of elements 2·i and 2·i+1 of one tensor"),
    (
        "join-pairs",
        PAIRED.replace("BETWEEN", "tl.store(y_ptr + row * WIDTH + 300 + i, a, mask=i < 200)"),
        1031,
        "memory is accessed between two accesses",
    ),
    (
        "join-pairs",
        PAIRED.replace("BETWEEN", "").replace("i < 200", "i < 199", 1),
        1031,
        "two accesses differ in their masks",
    ),
    ("join-pairs", PAIRED.replace("BETWEEN", "").replace("i < 200", "i % 3 < 2"), 1031, "a mask of two accesses is no"),
    ("join-programs", TWO, 1031, "neighbouring programs do not access neighbours in memory"),
    ("specialize", TWO, 1031, "it takes no size or stride as an argument"),
    ("exp-identities", TWO, 1031, "it computes no tanh, erf or log(1 + exp(x))"),
    ("exp-identities", WHOLE.replace("x - 1.0", "tl.log(1 + tl.exp(x))"), 1031, "log(1 + exp(x)) is used where"),
    ("exp-identities", WHOLE.replace("x - 1.0", "tl.erf(x)"), 1031, "tanh or erf is not added to 1"),
    ("exp-identities", WHOLE.replace("x - 1.0", "x.to(tl.float64)"), 1031, "it computes in fp64"),
    ("fuse-flip", TWO, 1031, "no kernel reads what another one stores"),
    ("fuse-epilogue", TWO, 1031, "no kernel reads what another one stores"),
]


@cache
def reference(width: int) -> Reference:
    text = "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x - 1\n\n"
    return import_source(f"{text}def get_inputs():\n    return [torch.randn(4, {width})]\n", "rows").reference


def declined(name: str, module: KernelModule) -> tuple[KernelModule, list[Declined]]:
    said: list[Declined] = []
    return REGISTRY[name]().run(module, Context(target="h200", declined=said.append)), said


@pytest.mark.parametrize(("name", "body", "width", "reason"), CASES)
def test_the_reason_fits_the_kernel(name: str, body: str, width: int, reason: str) -> None:
    text = PROGRAM.replace("BODY", body.strip()).replace("WIDTH", str(width))
    module = parse_module(text, reference=reference(width), name="rows")
    after, said = declined(name, module)
    assert after is module
    assert [one.reason.startswith(reason) for one in said] == [True], said


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_that_changes_nothing_says_why(name: str) -> None:
    reasons = set()
    for place, module in corpus().items():
        after, said = declined(name, module)
        symbols = {kernel.symbol for kernel in (*module.kernels, *after.kernels)}
        assert said or after is not module, place
        for one in said:
            assert one.reason and "\n" not in one.reason and not one.reason.endswith("."), place
            assert not one.kernel or set(one.kernel.split(", ")) <= symbols, place
        reasons |= {one.reason for one in said}
    assert len(reasons) > 1


def test_masks_that_say_the_same_are_one_mask_to_join_pairs() -> None:
    body = PAIRED.replace("BETWEEN", "").replace("i < 200", "i <= 199", 1)
    text = PROGRAM.replace("BODY", body.strip()).replace("WIDTH", "1031")
    module = parse_module(text, reference=reference(1031), name="rows")
    after, said = declined("join-pairs", module)
    assert after is not module and not said
