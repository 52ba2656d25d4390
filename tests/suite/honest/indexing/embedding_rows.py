# reference: embedding
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def embedding_kernel(ids_ptr, table_ptr, out_ptr, width, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    idx = tl.load(ids_ptr + token)
    cols = tl.arange(0, BLOCK)
    mask = cols < width
    row = tl.load(table_ptr + idx * width + cols, mask=mask)
    tl.store(out_ptr + token * width + cols, row, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, width: int):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)

    def forward(self, ids):
        ids = ids.contiguous()
        width = self.table.embedding_dim
        out = torch.empty((*ids.shape, width), device=ids.device, dtype=self.table.weight.dtype)
        embedding_kernel[(ids.numel(),)](ids, self.table.weight, out, width, BLOCK=triton.next_power_of_2(width))
        return out
