"""What the launcher of a module tells of its kernels."""

from dataclasses import replace
from pathlib import Path

from kernelwright.backend.launch.facts import launch_facts
from kernelwright.ir.parser import parse_module

GOLDEN = Path(__file__).parents[1] / "golden"


def test_a_launcher_tells_what_it_passes() -> None:
    module = parse_module((GOLDEN / "cache-hints" / "before.py").read_text("utf-8"))
    found = launch_facts(module)["scale_columns"]
    assert (found.number("columns"), found.number("BLOCK"), found.programs(0), found.programs(1)) == (100, None, 64, 1)
    (x,) = found.tensors("x_ptr")
    assert (x.dtype, x.shape, x.strides, found.extent("scale_ptr")) == ("f32", (64, 100), (100, 1), 100)


def test_launches_that_differ_tell_what_they_share() -> None:
    module = parse_module((GOLDEN / "cache-hints" / "before.py").read_text("utf-8"))
    assert module.launcher is not None
    launch = "    scale_columns[(64,)](x, scale, out, 100, **scale_columns_meta)\n"
    again = launch + launch.replace("(64,)", "(32,)").replace("100", "50")
    source = module.launcher.source.replace(launch, again)
    found = launch_facts(replace(module, launcher=replace(module.launcher, source=source)))["scale_columns"]
    assert (found.number("columns"), found.programs(0), found.is_integer("columns")) == (None, None, True)
    assert found.dtype("x_ptr") == "f32"


def test_nothing_is_told_where_host_code_looks_at_values() -> None:
    module = parse_module((GOLDEN / "cache-hints" / "before.py").read_text("utf-8"))
    assert module.launcher is not None
    source = module.launcher.source.replace("    return out", "    x.sum().item()\n    return out")
    assert launch_facts(replace(module, launcher=replace(module.launcher, source=source))) == {}


def test_a_number_that_follows_block_sizes_is_none() -> None:
    module = parse_module((GOLDEN / "rematerialize" / "before.py").read_text("utf-8"))
    found = launch_facts(module)["convolution_view_batch_norm_legit_whole"]
    assert found.number("slabs") is None and found.is_integer("slabs")
    assert found.programs(0) == 12
