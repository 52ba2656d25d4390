"""Programs that cannot be lowered: our words with the program's line on top, the library's first line below."""

from pathlib import Path

import pytest

from kernelwright.frontend.importers import import_file
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.passes import Context

PROGRAM = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.{layer}

    def forward(self, x):
        {body}


def get_inputs():
    return [torch.rand(4, 6, 16)]
"""
LINEAR = "Linear(16, 16)"
REFUSED = {
    "a recurrent layer": ("LSTM(16, 16)", "return self.layer(x)[0]", "Dynamo: "),
    "which way the program goes": (LINEAR, "return self.layer(x) if x.sum() > 0 else x", "Dynamo: "),
    "the size of a result depends": (LINEAR, "return self.layer(x)[x > 0].sum()", "Inductor: "),
    "the program reads a number out": (LINEAR, "return self.layer(x) * int(x.sum().item())", "Inductor: "),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_the_program_s_line_and_a_way_out_come_first(tmp_path: Path, reason: str) -> None:
    layer, body, library = REFUSED[reason]
    path = tmp_path / "model.py"
    path.write_text(PROGRAM.format(layer=layer, body=body))
    with pytest.raises(LoweringError) as raised:
        LowerInductor().run(import_file(path, shrink="never"), Context("h100"))
    ours, theirs = str(raised.value).split("\n")
    assert ours.startswith(f"the program cannot be lowered: {reason}")
    assert f"(line 11, forward: `{body}`); " in ours
    assert theirs.strip().startswith(library)


def test_the_line_of_a_file_beside_is_named_and_headers_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    (tmp_path / "layers.py").write_text("def total(x):\n    return int(x.sum().item())\n")
    path.write_text("from layers import total\n" + PROGRAM.format(layer=LINEAR, body="return x * total(x)"))
    with pytest.raises(LoweringError, match=r"line 2 of layers\.py, total: `return int"):
        LowerInductor().run(import_file(path, shrink="never"), Context("h100"))
    text = PROGRAM.format(layer="LSTM(16, 16)", body="return total(self.layer(x)[0])")
    path.write_text("from layers import total\n" + text.replace("4, 6, 16", "4096, 64, 16"))
    (tmp_path / "layers.py").write_text("def total(x):\n    return x.sum()\n")
    module = import_file(path, shrink="always")
    assert module.reference.shrunken
    with pytest.raises(LoweringError, match=r"\(line 12, forward: `return total"):
        LowerInductor().run(module, Context("h100"))
