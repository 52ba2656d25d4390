# reference: embedding
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gather_kernel(ids_ptr, table_ptr, out_ptr, total, D: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    token = i // D
    idx = tl.load(ids_ptr + token, mask=ok, other=0)
    tl.store(out_ptr + i, tl.load(table_ptr + idx * D + i % D, mask=ok), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.width = width

    def forward(self, ids):
        flat = ids.reshape(-1)
        out = torch.empty((flat.shape[0], self.width), device=ids.device, dtype=torch.float32)
        gather_kernel[(triton.cdiv(out.numel(), 512),)](flat, self.table.weight, out, out.numel(), D=self.width, BLOCK=512)
        return out.view(*ids.shape, self.width)
