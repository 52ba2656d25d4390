"""On a GPU: at least 95% of a model's device time has a name, and floors are what kernels take at best."""

from pathlib import Path

import pytest
import torch
from torch import nn

import kernelwright

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.slow,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


class Step(nn.Module):
    """Products, rows, attention, a convolution, and a copy that no kernel makes."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.enter, self.leave = nn.LayerNorm(512), nn.Linear(512, 2048), nn.Linear(2048, 512)
        self.mix = nn.Conv1d(512, 512, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.leave(nn.functional.gelu(self.enter(self.norm(x))))
        heads = h.unflatten(-1, (8, 64)).transpose(1, 2)
        seen = nn.functional.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).flatten(2)
        return x + self.mix(seen.transpose(1, 2)).transpose(1, 2)


@pytest.mark.parametrize("mode", ["eval", "train"])
def test_nearly_all_device_time_is_accounted_for(mode: str, tmp_path: Path) -> None:
    from kernelwright.driver.profile.profiling import profile_model
    from kernelwright.driver.profile.rows import Kind

    model, x = Step().cuda().bfloat16(), torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)
    profile = profile_model(model, (x,), mode, options={"store": str(tmp_path)}, calls=9)
    assert profile.accounted >= 0.95
    assert sum(row.share for row in profile.rows) == pytest.approx(1.0)
    assert profile.us.us <= profile.wall_us
    generated = [row for row in profile.rows if row.kind is Kind.GENERATED]
    assert len({row.key for row in generated}) >= 3
    assert all(row.key and row.calls and row.bytes and row.floor_us and row.times.us for row in generated)
    products = [row for row in profile.rows if row.name == "aten.addmm" and not row.backward]
    assert sum(row.flops for row in products) == 2 * 2 * 8 * 256 * 512 * 2048
    # A floor is no estimate from paper: well-made kernels come near it, and none is far below it.
    assert all(row.times.us >= 0.5 * row.floor_us for row in profile.rows if row.floor_us)
    assert {row.backward for row in generated} == ({False, True} if mode == "train" else {False})


def test_explain_tells_it_in_text_and_on_a_page(tmp_path: Path) -> None:
    model, x = Step().cuda().bfloat16().eval(), torch.randn(8, 256, 512, device="cuda", dtype=torch.bfloat16)
    found = kernelwright.explain(model, x, out=tmp_path / "step.html", store=tmp_path / "store")
    text, page = str(found), (tmp_path / "step.html").read_text()
    assert found.profile.accounted >= 0.95
    assert "x faster with every generated kernel at its floor" in text
    for row in found.profile.rows:
        assert row.name in text and row.name in page
