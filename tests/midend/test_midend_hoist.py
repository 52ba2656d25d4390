"""`hoist-offsets`: right on windows of several shapes, and left alone where an address may change or overflow."""

from dataclasses import replace

import pytest
from programs import assert_right, lowered

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.targets import get_target
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.local import hoist_offsets
from kernelwright.midend.local.hoist_offsets import HoistOffsets

CASES = {
    "max 1d": ("F.max_pool1d(a, 5, stride=1, padding=2, dilation=3)", (2, 3, 41)),
    "max 2d": ("F.max_pool2d(a, 3, stride=2, padding=1)", (2, 3, 17, 23)),
    "mean 2d": ("F.avg_pool2d(a, (2, 3), ceil_mode=True)", (1, 5, 13, 19)),
    "max 3d": ("F.max_pool3d(a, 2, stride=1)", (1, 2, 5, 7, 9)),
    "shifted sums": ("a[:, 3:] * 2 + a[:, 1:-2] - a[:, :-3]", (7, 101)),
}


def hoisted(module: KernelModule) -> KernelModule:
    return HoistOffsets().run(module, Context(target="h200"))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_windows_share_an_address(case: tuple[str, tuple[int, ...]]) -> None:
    before = lowered(case[0], [case[1]])
    after = hoisted(before)
    text = after.kernels[-1].source
    assert "a_pointers = " in text and "tl.load(a_pointers" in text
    assert text.count("tl.load(") == before.kernels[-1].source.count("tl.load(")
    assert hoisted(after) is after, "what is hoisted is not hoisted again"
    assert_right(after)


def test_each_load_takes_fewer_instructions() -> None:
    before = lowered(*CASES["max 1d"][:1], [(4, 3, 4099)])
    ptx = [next(iter(compile_module(one, get_target("h200")).values())).ptx for one in (before, hoisted(before))]
    adds = [sum(line.strip().startswith("add.s32") for line in text.split("\n")) for text in ptx]
    assert adds[1] < 0.8 * adds[0]


def test_two_loads_are_left_alone() -> None:
    module = lowered("a[:, 1:] - a[:, :-1]", [(7, 101)])
    assert hoisted(module) is module


def test_an_address_that_may_overflow_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    module = lowered("F.max_pool1d(a, 5, stride=1)", [(1, 1, 64)])
    monkeypatch.setattr(hoist_offsets, "INDEX_LIMIT", 64 + 4)
    assert hoisted(module) is module
    monkeypatch.setattr(hoist_offsets, "INDEX_LIMIT", 64 + 5)
    assert hoisted(module) is not module


def test_a_kernel_whose_launches_depend_on_values_is_left_alone() -> None:
    module = lowered("F.max_pool1d(a, 5, stride=1)", [(1, 1, 64)])
    assert hoisted(module) is not module and module.launcher is not None
    lines = module.launcher.source.split("\n")
    launch = next(number for number, line in enumerate(lines) if f"{module.kernels[-1].symbol}[" in line)
    assert lines[launch].count("(a, ") == 1
    lines.insert(launch, lines[launch].replace("(a, ", "(a.reshape(-1), "))
    twice = replace(module, launcher=replace(module.launcher, source="\n".join(lines)))
    assert hoisted(twice) is not twice, "a view is understood"
    lines.insert(launch, "    a.sum().item()")
    unknown = replace(module, launcher=replace(module.launcher, source="\n".join(lines)))
    assert hoisted(unknown) is unknown


@pytest.mark.parametrize("bound", ["index", "pointer"])
def test_a_name_bound_between_the_loads_keeps_the_last_apart(bound: str) -> None:
    module = lowered("F.max_pool1d(a, 5, stride=1)", [(1, 1, 64)])
    kernel = module.kernels[-1]
    lines = kernel.source.split("\n")
    last = max(number for number, line in enumerate(lines) if "tl.load(" in line)
    index = next(line.split(" = ")[0].strip() for line in lines if "tl.arange" in line and "xindex" in line)
    name = index if bound == "index" else "a_ptr"
    change = f"{index} // 2" if bound == "index" else f"a_ptr + 3 * {index}"
    changed = "\n".join([*lines[:last], f"    {name} = {change}", *lines[last:]])
    moved = replace(module, kernels=(*module.kernels[:-1], replace(kernel, source=changed)))
    after = hoisted(moved)
    assert after.kernels[-1].source.count("tl.load(a_pointers") == 4
    functions = [kernel_functions(one) for one in (moved, after)]
    assert len({normal_form(one[kernel.symbol], one) for one in functions}) == 1
