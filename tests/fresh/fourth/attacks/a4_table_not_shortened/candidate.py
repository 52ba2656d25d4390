import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def look_up(ids_ptr, table_ptr, out_ptr, W: tl.constexpr):
    one = tl.program_id(0)
    col = tl.arange(0, W)
    row = tl.load(ids_ptr + one)
    x = tl.load(table_ptr + row * W + col)
    norm = tl.sqrt(tl.sum(x * x, axis=0))
    x = tl.where(norm > 2.0, x * (2.0 / (norm + 1e-7)), x)
    tl.store(out_ptr + one * W + col, x)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(40, 16))

    def forward(self, ids):
        out = torch.empty((ids.shape[0], ids.shape[1], 16), dtype=torch.float32, device=ids.device)
        look_up[(ids.numel(),)](ids, self.table, out, 16)
        return out
