"""Generated programs run, are finite on other seeds too, and are what their seed says."""

import re

import pytest
import torch

from kernelwright.backend.reference import ReferenceProgram
from kernelwright.frontend.generate import LARGEST_VALUE, generate_program, is_sane
from kernelwright.frontend.importers import import_source


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_programs_run_and_stay_finite(first: int) -> None:
    for seed in range(first, first + 20):
        module = import_source(generate_program(seed), f"random_{seed}", shrink="never")
        program = ReferenceProgram.load(module.reference)
        for draw in (1, 2):
            outputs = program.run(program.build(draw), program.inputs(draw))
            assert outputs
            for output in outputs:
                assert torch.isfinite(output.double()).all(), seed
                assert 1 <= output.numel() <= LARGEST_VALUE, seed


def test_same_seed_same_program_and_no_trace_on_global_randomness() -> None:
    torch.manual_seed(7)
    before = torch.get_rng_state()
    first = [generate_program(seed) for seed in range(30)]
    assert torch.equal(before, torch.get_rng_state())
    assert first == [generate_program(seed) for seed in range(30)]
    assert len(set(first)) == 30


def test_programs_are_varied() -> None:
    sources = [generate_program(seed) for seed in range(150)]
    called = {name for source in sources for name in re.findall(r"[.](\w+)\(", source)}
    wanted = {"softmax", "cumsum", "gather", "Embedding", "Linear", "where", "transpose", "cat", "LayerNorm", "var"}
    assert wanted <= called
    assert any("bfloat16" in source for source in sources) and any("Conv" in source for source in sources)
    assert any(re.search(r"return y\d+, ", source) for source in sources)


def test_sanity() -> None:
    assert is_sane(torch.randn(8))
    assert is_sane(torch.tensor([1, 2]))
    assert not is_sane(torch.zeros(8))
    assert not is_sane(torch.tensor([1.0, float("nan")]))
    assert not is_sane(torch.full((4,), 1e6))
    assert not is_sane(torch.randn(LARGEST_VALUE + 1))
    assert not is_sane(torch.randn(0))
