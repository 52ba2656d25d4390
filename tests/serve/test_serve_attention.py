"""Attention of one token: the kernel gives what torch's function does, and reads no more than a mask lets it."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.serve import attention, attention_kernel

#: Lanes, heads, groups of heads, columns, and width of a head.
SHAPES = [(5, 9, 3, 192, 64), (2, 4, 4, 70, 16), (3, 20, 1, 33, 128)]


def drawn(shape: tuple[int, int, int, int, int], dtype: torch.dtype, device: str) -> tuple[Tensor, ...]:
    """Query, keys, values and mask of lanes that begin and end in different columns; what is masked holds NaN."""
    batch, heads, groups, columns, width = shape
    made = torch.Generator().manual_seed(0)
    query_bhd = torch.randn(batch, heads, width, generator=made).to(device, dtype)
    held_2bgcd = torch.randn(2, batch, groups, columns + 32, width, generator=made).to(device, dtype)
    first_b1, last_b1 = torch.randint(0, columns, (2, batch, 1), generator=made).sort(0).values
    column_c = torch.arange(columns)
    mask_bc = ((column_c >= first_b1) & (column_c <= last_b1)).to(device)
    key_bgcd, value_bgcd = held_2bgcd[:, :, :, :columns]
    held_2bgcd[:, :, :, columns:] = float("nan")
    for one in (key_bgcd, value_bgcd):
        one.masked_fill_(~mask_bc[:, None, :, None], float("nan"))
    return query_bhd, key_bgcd, value_bgcd, mask_bc


def check(shape: tuple[int, int, int, int, int], dtype: torch.dtype, device: str = "cpu") -> None:
    query_bhd, key_bgcd, value_bgcd, mask_bc = drawn(shape, dtype, device)
    copies, scale = shape[1] // shape[2], 0.3
    wanted_bhd = scaled_dot_product_attention(
        query_bhd[:, :, None].double(),
        key_bgcd.nan_to_num().double().repeat_interleave(copies, 1),
        value_bgcd.nan_to_num().double().repeat_interleave(copies, 1),
        mask_bc[:, None, None],
        scale=scale,
    )[:, :, 0]
    found_bhd = attention.attend(query_bhd, key_bgcd, value_bgcd, mask_bc, scale)
    assert found_bhd.dtype == dtype
    exact = 2**-8 if dtype == torch.bfloat16 else 1e-5  # sums and exponentials are not the same on all hardware
    torch.testing.assert_close(found_bhd.double(), wanted_bhd, rtol=exact, atol=exact)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_kernel_gives_what_torch_gives(
    shape: tuple[int, int, int, int, int], dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreted = InterpreterRuntime(check_races=True).triton.jit(attention_kernel.attend_one.fn)
    monkeypatch.setattr(attention, "attend_one", interpreted)
    check(shape, dtype)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
def test_compiled_it_gives_the_same(shape: tuple[int, int, int, int, int], dtype: torch.dtype) -> None:
    check(shape, dtype, "cuda")
