"""Transposed convolutions in fp64 as matrix products are those of torch."""

import itertools

import pytest
import torch
import torch.nn as nn

from kernelwright.backend.reference import convolutions
from kernelwright.backend.reference.convolutions import FastConvolutions

CALLED = convolutions.transposed
#: Layers, and the places of their inputs.
LAYERS = [
    (nn.ConvTranspose1d(3, 5, 3, bias=False), (1,)),
    (nn.ConvTranspose1d(3, 5, 3, dilation=2, padding=2), (5,)),
    (nn.ConvTranspose1d(3, 2, 5, stride=4, padding=1, output_padding=3), (6,)),
    (nn.ConvTranspose1d(3, 2, 3, stride=2, output_padding=1), (6,)),
    (nn.ConvTranspose2d(4, 3, (3, 2), stride=(1, 3), padding=(1, 0), bias=False), (5, 4)),
    (nn.ConvTranspose2d(2, 2, 1, stride=2), (4, 3)),
    (nn.ConvTranspose3d(2, 3, 3, stride=2, padding=1, output_padding=1, dilation=2), (3, 4, 2)),
]


@pytest.mark.parametrize("at_once", [1, 3000, 1 << 28])
@pytest.mark.parametrize(("layer", "places"), LAYERS)
def test_they_give_what_torch_gives(
    layer: nn.Module, places: tuple[int, ...], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convolutions, "_AT_ONCE", at_once)
    counts = counted(monkeypatch)
    layer = layer.double()
    channels = layer.in_channels
    with torch.no_grad():
        for x in (torch.randn(2, channels, *places).double(), torch.randn(channels, *places).double()):
            x[..., -1] = torch.inf  # meets weights that are finite
            wanted = layer(x)
            with FastConvolutions("cpu"):
                found = layer(x)
            torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12, equal_nan=True)
            assert found.shape == wanted.shape and found.is_contiguous()
    assert next(counts) == 2


def test_others_are_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counted(monkeypatch)
    narrow, grouped = nn.ConvTranspose2d(4, 4, 3), nn.ConvTranspose2d(4, 4, 3, groups=2).double()
    infinite, other = nn.ConvTranspose2d(4, 4, 3, padding=1).double(), nn.Conv2d(4, 4, 3).double()
    x = torch.randn(2, 4, 6, 6)
    with torch.no_grad():
        infinite.weight[0, 0, 0, 0] = torch.inf
        for layer, given in ((narrow, x), (grouped, x.double()), (infinite, x.double()), (other, x.double())):
            wanted = layer(given)
            with FastConvolutions("cpu"):
                assert torch.equal(layer(given).nan_to_num(), wanted.nan_to_num())
        with FastConvolutions("cuda"):  # these are on the CPU
            nn.ConvTranspose2d(4, 4, 3).double()(x.double())
    assert next(counts) == 0


def counted(monkeypatch: pytest.MonkeyPatch) -> "itertools.count[int]":
    """Counts calls; its next number is how many there were."""
    counts = itertools.count()

    def called(*given: object) -> torch.Tensor:
        next(counts)
        return CALLED(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(convolutions, "transposed", called)
    return counts
