"""`configure`: launch options by kernel, as text and back, and what it refuses."""

import pytest
import sample_modules

from kernelwright.backend.tuning.configure import Configure, read_configs, spell_configs
from kernelwright.ir.errors import SpecError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline

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
