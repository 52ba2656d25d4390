"""Shrinking: which integers count as sizes, how they shrink, and that programs keep their structure."""

import pytest
import torch

from kernelwright.frontend.problem import Problem
from kernelwright.frontend.sizes.literals import find_sites
from kernelwright.frontend.sizes.shrink import half, measure, shrink_source
from kernelwright.ir.errors import UserError

CONVOLUTION = """
import torch

class Model(torch.nn.Module):
    def __init__(self, channels, out, kernel_size, num_groups, bias_shape):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, out, kernel_size)
        self.norm = torch.nn.GroupNorm(num_groups, out)
        self.bias = torch.nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)) + self.bias)

batch_size = 64  # ünïcode before a size must not shift it
channels, out = 32, 128
height = width = 255
kernel_size = 17
num_groups = 8
bias_shape = (out, 1, 1)

def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]

def get_init_inputs():
    return [channels, out, kernel_size, num_groups, bias_shape]
"""

FIXED = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3 * 60 * 60, 10)

    def forward(self, x):
        return self.linear(torch.flatten(x, 1))

def get_inputs():
    return [torch.rand(1024, 3, 60, 60)]
"""

DEPENDENT = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, n):
        return x[: int(x.abs().sum() > 0) + 2]

def get_inputs():
    return [torch.rand(4096 * 16, 3), 2]
"""


def sizes(source: str) -> dict[str, int]:
    return {site.name: site.value for site in find_sites(source)}


@pytest.mark.parametrize(
    ("size", "smaller"),
    [(4096, 2048), (511, 255), (255, 127), (4095, 2047), (24, 8), (16, 8), (8, 8), (100, 50), (50, 24), (17, 7)],
)
def test_half(size: int, smaller: int) -> None:
    assert half(size) == smaller


def test_half_keeps_residues() -> None:
    for size in range(16, 2000):
        smaller = half(size)
        assert smaller < size
        assert smaller % 2 == size % 2
        assert size % 8 or smaller % 8 == 0


def test_sites_are_sizes_alone() -> None:
    found = {site.name: site.value for site in find_sites(CONVOLUTION) if site.value > 1}
    assert found == {"batch_size": 64, "channels": 32, "out": 128, "height": 255, "num_groups": 8}
    more = find_sites("N = 2048 * 2\nshape = (64, [128])\nflag = True\nstride = 32\ny = N * 2\n")
    assert [site.value for site in more] == [4096, 64, 128, 2]


def test_convolution_shrinks_and_keeps_its_structure() -> None:
    small = shrink_source(CONVOLUTION)
    assert small.startswith("# Shrunken from the original sizes: batch_size 64 -> ")
    new = sizes(small)
    assert "kernel_size = 17" in small
    assert "height = width = " in small
    assert new["num_groups"] == 8
    assert new["out"] >= 16 and new["out"] % 8 == 0
    assert new["height"] % 2 == 1
    assert new["height"] > 17
    before, after = measure(CONVOLUTION, "before"), measure(small, "after")
    assert after.total < before.total // 1000
    assert after.keeps_structure_of(before)


def test_small_programs_come_back_as_they_are() -> None:
    small = shrink_source(CONVOLUTION)
    assert shrink_source(small, measure(small, "small").total) == small


def test_sizes_that_the_model_fixes_stay() -> None:
    small = shrink_source(FIXED, 2**14)
    assert "3 * 60 * 60" in small
    x = Problem.load(small, "fixed").inputs()[0]
    assert isinstance(x, torch.Tensor)
    assert x.shape[1:] == (3, 60, 60) and x.shape[0] < 1024


def test_layers_that_no_size_makes_smaller_keep_no_other_size_large() -> None:
    """The model alone is beyond what a program may have, and its batch is made small."""
    large = FIXED.replace("10)", "4000)")
    small = shrink_source(large, 2**18)
    assert "4000)" in small and measure(large, "large").elements > 2**25
    x = Problem.load(small, "fixed").inputs()[0]
    assert isinstance(x, torch.Tensor) and x.shape == (8, 3, 60, 60)


def test_a_program_that_reads_values_is_refused_with_a_way_out() -> None:
    with pytest.raises(UserError, match="shrink=never"):
        shrink_source(DEPENDENT)


def test_ids_stay_valid() -> None:
    source = """
import torch

class Model(torch.nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.table = torch.nn.Embedding(rows, 64)

    def forward(self, ids):
        return self.table(ids)

def get_inputs():
    return [torch.randint(0, 50000, (4096,))]

def get_init_inputs():
    return [50000]
"""
    small = shrink_source(source, 4096)
    assert small != source
    problem = Problem.load(small, "embedding")
    output = problem.build()(*problem.inputs())
    assert output.shape[-1] == 64
