"""Hooks of Inductor: kernels are seen as they are written and replaced as they load, and nothing breaks a compile."""

from pathlib import Path
from typing import Any

import bed
import pytest

# Functions below run in processes of their own: each imports what it needs.


def seen_and_replaced() -> Any:
    import re

    import torch

    from kernelwright.frontend.swap import hooks, key

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.GELU())
    x = torch.randn(5, 16)
    torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False

    def compiled() -> torch.Tensor:
        torch.compiler.reset()
        with torch.no_grad():
            return torch.compile(model)(x)

    generated, asked = [], []
    own = compiled()
    with hooks.observing(generated.append), hooks.choosing(lambda *of: asked.append(of)):
        same = compiled()
    kernel = key.read(generated[0].source)
    # Twice its output: the text's last store.
    head, _, value = asked[0][1].rpartition("tl.store(")
    doubled = head + "tl.store(" + re.sub(r", (tmp\d+), ", r", 2 * \1, ", value)
    assert doubled != asked[0][1]
    with hooks.choosing(lambda _name, _source: doubled):
        replaced = compiled()
    after = compiled()
    return {
        "generated": [one.name for one in generated],
        "asked": [name for name, _ in asked],
        "key": [kernel.key, key.read(asked[0][1]).key, key.read(doubled).key],
        "parameters": kernel.parameters,
        "mutated": kernel.mutated,
        "buffers": len(generated[0].kernel.args.input_buffers),
        "same": torch.equal(own, same),
        "doubled": torch.equal(replaced, 2 * own),
        "after": torch.equal(after, own),
    }


def test_kernels_are_seen_and_replaced_within_a_context_alone(tmp_path: Path) -> None:
    found = bed.run(seen_and_replaced, tmp_path)
    assert found["generated"] == found["asked"] == ["triton_per_fused_gelu_native_layer_norm_0"]
    generated, loaded, doubled = found["key"]
    assert generated == loaded != doubled
    assert found["parameters"][-2:] == ["xnumel", "r0_numel"] and found["mutated"][0] in found["parameters"]
    assert found["buffers"] >= 2
    assert found["same"] and found["doubled"] and found["after"]


def failing(how: str) -> Any:
    import logging

    import torch

    from kernelwright.frontend.swap import hooks

    torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("kernelwright.swap").addHandler(handler)

    class Unlaunchable:
        def run(self, *_arguments: object, **_options: object) -> None:
            raise RuntimeError("out of resource: shared memory")

    def raising(*_of: object) -> None:
        raise OSError("no such table\nand a long story")

    failed: list[str] = []
    choices = {
        "the callback": raising,
        "the text": lambda _name, source: source.replace("@triton.jit", "@triton.jit("),
        "the launch": lambda _name, _source: Unlaunchable(),
        "the observer": lambda *_of: None,
    }
    x = torch.randn(7)
    function = torch.compile(lambda x: x.sin() + 1)
    observer = raising if how == "the observer" else lambda _one: None
    with hooks.observing(observer), hooks.choosing(choices[how], lambda name, _source, _error: failed.append(name)):
        results = [function(x), function(x)]
    torch.testing.assert_close(results, [x.sin() + 1] * 2)
    return {"lines": lines, "failed": failed}


@pytest.mark.parametrize("how", ["the callback", "the text", "the launch", "the observer"])
def test_what_fails_costs_one_warning_and_inductors_kernel_runs(tmp_path: Path, how: str) -> None:
    found = bed.run(failing, tmp_path, how)
    (line,) = found["lines"]
    assert line.startswith("kernel triton_poi" if how == "the observer" else "the replacement of triton_poi")
    assert "\n" not in line
    assert len(found["failed"]) == (how != "the observer")


def added_by_one_mask() -> Any:
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def add_ones(total, count, rows: tl.constexpr, columns: tl.constexpr):  # type: ignore[no-untyped-def]
        row = tl.arange(0, rows)[:, None]
        column = tl.broadcast_to(tl.arange(0, columns)[None, :], [rows, columns])
        tl.atomic_add(total + column, tl.full([rows, columns], 1.0, tl.float32), row < count)

    totals = [torch.zeros(16) for _ in range(3)]
    for total, height, count in zip(totals, (1, 4, 4), (1, 4, 3), strict=True):
        add_ones[(1,)](total, count, height, 16)
    return [total.tolist() for total in totals]


def test_atomics_on_the_bed_read_a_mask_of_one_element_for_all_lanes(tmp_path: Path) -> None:
    assert bed.run(added_by_one_mask, tmp_path) == [[height] * 16 for height in (1.0, 4.0, 3.0)]


def added_in_bf16() -> Any:
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def add(total, values, before, size: tl.constexpr):  # type: ignore[no-untyped-def]
        lane = tl.arange(0, size)
        tl.store(before + lane, tl.atomic_add(total + lane % 2, tl.load(values + lane), lane < 5))

    total = torch.tensor([256.0, -256.0], dtype=torch.bfloat16)
    values = torch.tensor([1.0, 0.5, 3.0, -3.0, 1.0, 7.0, 7.0, 7.0], dtype=torch.bfloat16)
    before = torch.empty_like(values)
    add[(1,)](total, values, before, 8)
    return [total.tolist(), before[:5].tolist()]


def test_atomic_sums_of_bf16_on_the_bed_are_rounded_after_each_addition(tmp_path: Path) -> None:
    # bf16 has every second number here: 257 and 261 are halfway, -255.5 is halfway between numbers 1 apart.
    sums, before = bed.run(added_in_bf16, tmp_path)
    assert sums == [260.0, -260.0]
    assert before == [256.0, -256.0, 256.0, -256.0, 260.0]


def summed_to_a_bound() -> Any:
    import warnings

    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def add_up(total, count, step: tl.constexpr):  # type: ignore[no-untyped-def]
        found = tl.zeros([step], tl.int32)
        for start in range(0, count, step):
            found += tl.where(start + tl.arange(0, step) < count, 1, 0)
        tl.store(total, tl.sum(found))

    total = torch.zeros(1, dtype=torch.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # numpy before 2.4 warns where later ones raise
        add_up[(1,)](total, 21, 4)
    return total.tolist()


def test_a_loop_on_the_bed_ends_at_a_bound_given_at_launch(tmp_path: Path) -> None:
    assert bed.run(summed_to_a_bound, tmp_path) == [21]


def kernels_of_a_convolution() -> Any:
    import entries
    import torch
    from torch import nn

    from kernelwright.driver.extraction.recording import record_model
    from kernelwright.frontend.swap.key import read

    model, x = nn.Sequential(nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16)).eval(), torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        compiled = [read(one.source).key for one in entries.generated(lambda: torch.compile(model)(x))]
    return compiled, [kernel.key for graph in record_model(model, [x], "eval") for kernel in graph.kernels]


def test_kernels_on_the_bed_are_those_that_are_recorded(tmp_path: Path) -> None:
    compiled, recorded = bed.run(kernels_of_a_convolution, tmp_path)
    assert compiled == recorded
