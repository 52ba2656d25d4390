import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_kernel(t_ptr, i_ptr, o_ptr, L, D, R, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < D
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for j in range(0, L):
        row = tl.load(i_ptr + bag * L + j)
        row = tl.where(row < 0, row + R, row)
        acc += tl.load(t_ptr + row * D + cols, mask=mask, other=0.0)
    tl.store(o_ptr + bag * D + cols, acc / L, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(rows, width))

    def forward(self, index):
        index = index.contiguous()
        bags, L = index.shape
        R, D = self.table.shape
        out = torch.empty((bags, D), device=index.device, dtype=torch.float32)
        bag_kernel[(bags,)](self.table, index, out, L, D, R, BLOCK=triton.next_power_of_2(D))
        return out
