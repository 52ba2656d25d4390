"""Generated programs run, are finite on other seeds too, and are what their seed says."""

import hashlib
import math
import re

import pytest
import torch

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.frontend.difficulties import MIXED_LEVELS
from kernelwright.frontend.generate import DIFFICULTIES, generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.proposals import LARGEST_VALUE, is_sane
from kernelwright.ir.errors import UserError


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


#: SHA-256 of the first programs as they were before there were levels.
FIRST = "8f04d68cad0acd71c65b996c52318334fdfe25de76cf63388ec53cf273c227ad"


def test_seeds_give_what_they_always_gave() -> None:
    text = "".join(generate_program(seed) for seed in range(10))
    assert hashlib.sha256(text.encode()).hexdigest() == FIRST


@pytest.mark.parametrize("difficulty", [level for level in DIFFICULTIES if level != 1])
def test_harder_programs_run_stay_finite_and_waste_nothing(difficulty: int) -> None:
    largest = DIFFICULTIES[difficulty].largest
    for seed in range(8 if largest == LARGEST_VALUE else 2):
        source = generate_program(seed, difficulty)
        assert source == generate_program(seed, difficulty) != generate_program(seed)
        program = ReferenceProgram.load(import_source(source, "program", shrink="never").reference)
        for output in program.run(program.build(1), program.inputs(1)):
            assert torch.isfinite(output.double()).all() and 1 <= output.numel() <= largest, (difficulty, seed)
        body = source[source.index("def forward") : source.index("def get_inputs")]
        names = re.findall(r"^ +(y\d+) = ", body, re.MULTILINE)
        assert all(len(re.findall(rf"\b{name}\b", body)) > 1 for name in names)


def test_difficulty_adds_operations_and_other_kinds_of_them() -> None:
    counts = [
        sum(generate_program(seed, difficulty).count("\n        y") for seed in range(20))
        for difficulty in (0, *MIXED_LEVELS)
    ]
    assert counts == sorted(counts) and counts[-1] > 2 * counts[0]
    source = "".join(generate_program(seed, 4) for seed in range(30))
    for wanted in (
        "einsum",
        "cumprod",
        "logcumsumexp",
        "diagonal",
        "take_along_dim",
        ".half()",
        ".gt(0)",
        "instance_norm",
    ):
        assert wanted in source, wanted


def test_programs_for_the_mid_end_are_of_a_gpu_s_size() -> None:
    for seed in range(4):
        module = import_source(generate_program(seed, 5), "program", shrink="never")
        sizes = [math.prod(spec.shape) for spec in module.reference.inputs]
        assert max(sizes) >= DIFFICULTIES[5].least


def test_unknown_difficulty_is_refused() -> None:
    with pytest.raises(UserError, match="difficulty=9: choose from 0, 1, 2, 3, 4, 5"):
        generate_program(0, 9)
