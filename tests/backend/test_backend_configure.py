"""`configure`: launch options by kernel, as text and back, and what it refuses."""

from dataclasses import replace

import pytest
import sample_modules

from kernelwright.backend.tuning.configure import Configure, read_configs, spell_configs
from kernelwright.ir.errors import SpecError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline, parse_pipeline

H200 = Context(target="h200")


def test_kernels_get_the_options_that_are_named() -> None:
    module = sample_modules.row_softmax(4096, 256, x_block=1, warps=8)
    (kernel,) = module.kernels
    spec = f'configure{{configs="{kernel.symbol}: num_warps=4 num_stages=2 XBLOCK=8"}}'
    (found,) = parse_pipeline(spec).run(module, H200).kernels
    assert dict(found.meta) == dict(kernel.meta) | {"XBLOCK": 8, "num_warps": 4, "num_stages": 2}
    assert (found.source, found.symbol) == (kernel.source, kernel.symbol)
    assert parse_pipeline("configure").run(module, H200) is module


def test_text_and_options_convert_into_each_other() -> None:
    configs = {"conv2d": {"MBLOCK": 128, "num_warps": 4}, "mean": {"XBLOCK": 1}}
    spec = spell_configs(configs)
    assert spec == 'configure{configs="conv2d: MBLOCK=128 num_warps=4; mean: XBLOCK=1"}'
    (pass_,) = parse_pipeline(spec).passes
    assert isinstance(pass_, Configure) and read_configs(pass_.configs) == configs


@pytest.mark.parametrize(
    ("configs", "message"),
    [
        ("softmax", "KERNEL: OPTION=INTEGER"),
        ("a: X=1; a: X=2", "each kernel once"),
        ("a: XBLOCK", "XBLOCK"),
        ("a: XBLOCK=many", "XBLOCK=many"),
    ],
)
def test_text_that_says_nothing_is_refused_where_it_is(configs: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_pipeline(f'configure{{configs="{configs}"}}')


def test_kernels_and_options_that_are_not_there_are_named() -> None:
    module = sample_modules.row_softmax(4096, 256, x_block=1, warps=8)
    (kernel,) = module.kernels
    with pytest.raises(UserError, match=f"no kernel 'mean'; there are {kernel.symbol}"):
        parse_pipeline('configure{configs="mean: XBLOCK=1"}').run(module, H200)
    with pytest.raises(UserError, match="has no option 'YBLOCK'; it has XBLOCK"):
        parse_pipeline(f'configure{{configs="{kernel.symbol}: YBLOCK=1"}}').run(module, H200)


@pytest.mark.parametrize(
    ("configs", "changed"),
    [
        ("{symbol}: XBLOCK=2 num_warps=8; other: XBLOCK=4", {"XBLOCK": 2, "num_warps": 8}),
        ("softmax_of_others: XBLOCK=2 num_warps=8", {}),
        ("mean: XBLOCK=2", {}),
    ],
)
def test_options_of_another_programs_kernels_are_taken_by_their_names(configs: str, changed: dict[str, int]) -> None:
    module = sample_modules.row_softmax(4096, 256, x_block=1, warps=4)
    (kernel,) = module.kernels
    found = spec_of(configs.format(symbol=kernel.symbol)).run(module, H200)
    assert dict(found.kernels[0].meta) == dict(kernel.meta) | changed and (found is module) == (not changed)


def test_a_kernel_gets_the_options_of_the_one_that_shares_most_first_words() -> None:
    module = sample_modules.row_softmax(4096, 256, x_block=1, warps=4)
    tile = {"MBLOCK": 64, "NBLOCK": 64, "num_warps": 4}
    kernel = replace(module.kernels[0], symbol="conv2d_relu_add", meta=tuple(tile.items()))
    module = replace(module, kernels=(kernel,))
    for configs, blocks in (
        ("conv2d: MBLOCK=16 NBLOCK=16; conv2d_relu_sub: MBLOCK=32 NBLOCK=32; conv2d_max: MBLOCK=8 NBLOCK=8", 32),
        ("conv2d_relu_add_mul: MBLOCK=8 NBLOCK=8; conv2d_relu_add: MBLOCK=16 NBLOCK=16", 16),
        ("conv3d_relu_add: MBLOCK=16 NBLOCK=16", 64),
        ("conv2d_relu: MBLOCK=16 NBLOCK=16 KBLOCK=16; conv2d_relu_max: MBLOCK=16", 64),
    ):
        (found,) = spec_of(configs).passes[0].run(module, H200).kernels
        assert dict(found.meta) == tile | {"MBLOCK": blocks, "NBLOCK": blocks}, configs


def spec_of(configs: str) -> Pipeline:
    spec = spell_configs(read_configs(configs), near=True)
    assert spec == f'configure{{configs="{configs}",near=true}}'
    return parse_pipeline(spec)
