"""Integers outside of the range that `get_inputs()` gives."""

import pytest
import torch

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.evaluation.inputs.drawing import Drawing
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.frontend.importers import import_source


@pytest.mark.parametrize(
    "forward",
    [
        "self.table[torch.remainder(torch.div(x, 8, rounding_mode='floor')[:, 0] * 31 + x[:, 1], 61)]",
        "torch.div(x, 3, rounding_mode='floor').float().sum(1) / (1 + x.float().abs().amax(1))",
        "torch.remainder(x, 7).float() * 0.5 - (x * 31).float().cos()",
    ],
)
def test_integers_near_their_range_are_drawn_where_very_large_ones_are_not(forward: str) -> None:
    text = (
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.table = torch.nn.Parameter(torch.randn(61, 6))\n\n    def forward(self, x):\n"
        f"        return {forward}\n\n\ndef get_inputs():\n    return [torch.randint(0, 256, (50, 3))]\n\n\n"
        "def get_init_inputs():\n    return []\n"
    )
    program = ReferenceProgram.load(import_source(text, "near", shrink="never").reference)
    (drawn,) = Drawing.of(program, 0, "cpu").inputs(program.build(0), Draw(3, "negative")) or [None]
    assert isinstance(drawn, torch.Tensor) and int(drawn.min()) <= -100
