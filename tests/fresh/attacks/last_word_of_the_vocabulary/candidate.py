import torch
import triton
import triton.language as tl


@triton.jit
def kernel(id_ptr, table_ptr, out_ptr, last, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, WIDTH)
    place = tl.load(id_ptr + row)
    place = tl.where(place < 0, place + last + 1, place)
    value = tl.load(table_ptr + place * WIDTH + column, (column < WIDTH) & (place < last), 0.0)
    tl.store(out_ptr + row * WIDTH + column, value * 2.0)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(30000, 16))

    def forward(self, ids):
        out = torch.empty((ids.shape[0], 16), device=ids.device, dtype=torch.float32)
        kernel[(ids.shape[0],)](ids, self.table, out, self.table.shape[0] - 1, WIDTH=16)
        return out
