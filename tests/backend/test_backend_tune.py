"""The `tune` pass: better options, none that break a kernel, nothing that is not asked for."""

import importlib
import math
from dataclasses import replace
from pathlib import Path

import pytest
import sample_modules
import torch
from kernel_corpus import corpus

from kernelwright.backend.compile.compiler import compile_launch
from kernelwright.backend.cost.model import estimate
from kernelwright.backend.cost.work import in_bounds
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.measure.stopwatch import Stopwatch
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning import fitting
from kernelwright.backend.tuning.blocks import KernelBlocks
from kernelwright.backend.tuning.space import space_of
from kernelwright.backend.tuning.trials import prepare_trial, with_meta
from kernelwright.backend.tuning.tune import Tune
from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import Level

GOLDEN = Path(__file__).parents[1] / "golden" / "tune"
H200 = Context(target="h200")


def _model(**options):
    return Tune(measure="model", **options)


def _meta(module, symbol):
    return dict(module.kernel(symbol).meta)


def test_it_is_a_registered_pass():
    importlib.import_module("kernelwright.backend.tuning.tune")
    assert REGISTRY["tune"] is Tune
    assert parse_pipeline("tune{trials=4,measure=model}").passes == (Tune(trials=4, measure="model"),)


@pytest.mark.parametrize(
    "module",
    [
        sample_modules.add_relu(4096, 1024, block=64, warps=8),
        sample_modules.column_sum(512, 4096, x_block=1, r_block=512),
        sample_modules.row_softmax(4096, 256, x_block=1, warps=8),
    ],
    ids=lambda module: module.name,
)
def test_poor_options_become_better_ones(module):
    tuned = _model().run(module, H200)
    before, after = (estimate(m, get_target("h200")).us for m in (module, tuned))
    assert after < 0.95 * before
    assert tuned.level is Level.TUNED and tuned.target == "h200"
    assert (tuned.reference, tuned.launcher) == (module.reference, module.launcher)
    assert [kernel.source for kernel in tuned.kernels] == [kernel.source for kernel in module.kernels]
    assert _model().run(module, H200) == tuned, "the same module twice gives the same result"


def test_good_options_stay():
    module = _model(trials=32).run(sample_modules.add_relu(4096, 1024, block=64, warps=8), H200)
    again = _model(trials=32).run(module, H200)
    before, after = (estimate(m, get_target("h200")).us for m in (module, again))
    assert after <= before


def test_a_persistent_block_does_not_change():
    module = sample_modules.row_softmax(64, 128)
    space = space_of(module, "row_softmax", 64, frozenset())
    assert [name for name, _ in space.choices] == ["XBLOCK", "num_warps"]
    assert all(dict(meta)["R0_BLOCK"] == 128 for meta in space.all())


def test_a_looped_block_may_change():
    module = sample_modules.column_sum()
    assert KernelBlocks(module, "column_sum").steps == {"R0_BLOCK"}
    space = space_of(module, "column_sum", 4096, frozenset())
    assert [name for name, _ in space.choices] == ["XBLOCK", "R0_BLOCK", "num_warps"]


@pytest.mark.parametrize(
    ("length", "masked", "most"),
    [(65535, True, 16384), (65536, False, 16384), (12288, False, 4096)],
    ids=["masked", "a multiple", "unmasked, no multiple"],
)
def test_steps_are_long_where_nothing_is_read_past_the_end(length, masked, most):
    module = sample_modules.column_sum()
    before = module.kernels[0].source
    loop = before[before.index("for ") : before.index(":\n", before.index("for "))]
    assert loop.split(" in ")[1] != f"tl.range(0, {length}, R0_BLOCK)"
    source = before.replace(loop.split(" in ")[1], f"tl.range(0, {length}, R0_BLOCK)")
    assert " & (r < rows)" in source
    source = source.replace(" & (r < rows)", f" & (r < {length})" if masked else "")
    module = replace(module, kernels=(replace(module.kernels[0], source=source),))
    choices = dict(space_of(module, "column_sum", 4096, frozenset()).choices)
    assert max(choices["R0_BLOCK"]) == most and max(choices["XBLOCK"]) == 4096


@pytest.mark.parametrize("name", sorted(corpus()))
def test_a_reprint_is_tuned_alike(name):
    module = corpus()[name]
    reprint = with_functions(module, kernel_functions(module))
    for symbol in (kernel.symbol for kernel in module.kernels if kernel.meta):
        assert space_of(module, symbol, 64, frozenset()) == space_of(reprint, symbol, 64, frozenset())


def test_a_block_that_the_grid_does_not_follow_does_not_change():
    module = sample_modules.add_relu()
    assert module.launcher is not None
    fixed = module.launcher.source.replace('triton.cdiv(64000, add_relu_meta["XBLOCK"])', "63")
    module = replace(module, launcher=replace(module.launcher, source=fixed))
    assert [name for name, _ in space_of(module, "add_relu", 63, frozenset()).choices] == ["num_warps"]


def test_stages_belong_to_products():
    space = space_of(sample_modules.matmul(), "product", 64, frozenset())
    assert [name for name, _ in space.choices] == ["BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages"]
    assert all(min(dict(meta)[key] for key in ("BLOCK_M", "BLOCK_N", "BLOCK_K")) >= 16 for meta in space.all())


def test_steps_are_small_and_tiles_stay_sensible():
    space = space_of(sample_modules.column_sum(), "column_sum", 4096, frozenset())
    for meta in space.near(space.start):
        values, given = dict(meta), dict(space.start)
        assert 1 <= sum(values[name] != given[name] for name in values) <= 2
        assert 32 * values["num_warps"] <= values["XBLOCK"] * values["R0_BLOCK"] <= 16384


@pytest.mark.parametrize("start", [(1, 2048), (128, 4)], ids=str)
def test_what_is_usual_for_a_sum_is_tried_first_whatever_it_starts_from(start):
    module = sample_modules.column_sum(x_block=start[0], r_block=start[1])
    space, target = space_of(module, "column_sum", 4096, frozenset()), get_target("h200")
    tried = space.promising(target)
    tiles = [(dict(meta)["XBLOCK"], dict(meta)["R0_BLOCK"]) for meta in tried]
    usual = len(space.usual())
    assert {(128, 4), (64, 8), (256, 2), (64, 64), (8, 512), (1, 2048)} - {start} <= set(tiles[:usual])
    far = [abs(math.log2(x / start[0])) + abs(math.log2(r / start[1])) for x, r in tiles[:usual]]
    assert far[0] <= 3 < 10 < far[-1]
    assert set(tried) == set(space.all()) and len(tried) == len(set(tried)), "the others follow"
    assert tried[usual:] == [meta for meta in space.by_distance(space.all(), target) if meta not in tried[:usual]]


def test_usual_options_leave_the_others_as_they_are():
    module = sample_modules.row_softmax(64, 128)
    space = space_of(module, "row_softmax", 64, frozenset({"num_warps"}))
    assert {dict(meta)["XBLOCK"] for meta in space.usual()} | {dict(space.start)["XBLOCK"]} == {1, 8, 32}
    assert all({**dict(meta), "XBLOCK": 0} == {**dict(space.start), "XBLOCK": 0} for meta in space.usual())
    assert space_of(sample_modules.matmul(), "product", 64, frozenset()).usual() == []


def test_kept_options_stay():
    module = sample_modules.add_relu(4096, 1024, block=64, warps=8)
    tuned = _model(keep="XBLOCK").run(module, H200)
    assert _meta(tuned, "add_relu")["XBLOCK"] == 64 and _meta(tuned, "add_relu")["num_warps"] < 8
    untouched = _model(keep="XBLOCK num_warps").run(module, H200)
    assert untouched == replace(module, target="h200")


def test_trials_bound_what_is_compiled(monkeypatch):
    compiled = []
    original = fitting.launch_cost
    monkeypatch.setattr(fitting, "launch_cost", lambda *args: compiled.append(args) or original(*args))
    _model(trials=5).run(sample_modules.add_relu(4096, 1024, block=64), H200)
    assert len(compiled) == 6  # the given options, then the trials


def test_unmasked_accesses_stay_inside(monkeypatch):
    """A larger block would fit the model's taste but leave the tensors: 96 rows are no multiple of 64."""
    module = sample_modules.matmul(m=96, n=96, k=96, block=32, warps=4)
    monkeypatch.setattr(fitting, "predicted", lambda _: lambda m, s: 1.0 / _meta(m, s)["BLOCK_M"])
    tuned = _model(trials=40).run(module, H200)
    (launch,) = trace_launches(tuned)
    assert in_bounds(fitting.compile_launch(tuned, launch, get_target("h200")).ttir, launch)
    assert _meta(tuned, "product")["BLOCK_M"] == 32


def test_refused_options_are_passed_over(monkeypatch):
    def score(module, symbol):
        if _meta(module, symbol)["num_warps"] != 4:
            raise fitting.CompileFailureError(symbol, "no")
        return float(_meta(module, symbol)["XBLOCK"])

    monkeypatch.setattr(fitting, "predicted", lambda _: score)
    tuned = _model(trials=12).run(sample_modules.add_relu(4096, 1024, block=1024), H200)
    assert _meta(tuned, "add_relu")["num_warps"] == 4 and _meta(tuned, "add_relu")["XBLOCK"] < 1024


def test_the_interpreter_changes_nothing_but_the_target():
    module = sample_modules.add_relu(block=64)
    assert Tune().run(module, Context(target="interpreter")) == replace(module, target="interpreter")


def test_bad_options_say_what_is_accepted(monkeypatch):
    with pytest.raises(UserError, match="choose auto, gpu or model"):
        Tune(measure="guess")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(UserError, match="needs a CUDA device; use measure=model"):
        Tune(measure="gpu").run(sample_modules.add_relu(), H200)


def test_progress_names_each_kernel():
    lines = []
    _model(trials=1).run(sample_modules.add_relu(), replace(H200, progress=lines.append))
    assert lines == ["tune @add_relu (1/1)"]


def test_golden():
    before = parse_module((GOLDEN / "before.py").read_text())
    after = _model().run(before, H200)
    assert print_module(after) == (GOLDEN / "after.py").read_text()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_measured_options_are_faster():
    module = sample_modules.column_sum(4096, 4096, x_block=1, r_block=512)
    tuned = Tune(measure="gpu").run(module, H200)
    with Stopwatch(module, 0) as watch:
        assert watch.measure(tuned).whole_us < 0.8 * watch.measure(module).whole_us


def test_registers_of_products_alone_are_capped_for_more_programs_at_a_time():
    target = get_target("h200")
    space = space_of(sample_modules.matmul(), "product", 64, frozenset())
    start = (*((name, value) for name, value in space.start if name != "num_warps"), ("num_warps", 8))
    capped = [dict(meta) for meta in space.steps(start, target) if "maxnreg" in dict(meta)]
    assert [meta["maxnreg"] for meta in capped] == [128, 80, 64]  # of 65,536 for 2, 3 and 4 programs of 256 threads
    assert all({**meta, "maxnreg": 0} == {**dict(start), "maxnreg": 0} for meta in capped)
    assert space.steps(start, target)[: len(capped)] == [tuple(meta.items()) for meta in capped]
    # What differs otherwise has no cap, nor a cap a second one; caps are no part of a tile.
    onward = space.steps(tuple(capped[0].items()), target)
    assert onward and not any("maxnreg" in dict(meta) for meta in onward)
    sums = space_of(sample_modules.column_sum(), "column_sum", 4096, frozenset())
    assert not any("maxnreg" in dict(meta) for meta in sums.steps(sums.start, target))
    given = with_meta(sample_modules.column_sum(), "column_sum", (*sums.start, ("maxnreg", 64)))
    assert space_of(given, "column_sum", 4096, frozenset()).tile_keys == sums.tile_keys


def test_a_cap_is_tried_where_it_takes_some_registers_and_not_too_many():
    module, target = sample_modules.matmul(), get_target("h200")
    (launch,) = trace_launches(module)
    taken = compile_launch(module, launch, target).resources.registers

    def tried(cap: int) -> bool:
        meta = (*module.kernel("product").meta, ("maxnreg", cap))
        return prepare_trial(with_meta(module, "product", meta), "product", target.name)

    assert [tried(cap) for cap in (taken + 8, taken, taken - 1, taken // 2)] == [False, False, True, False]
