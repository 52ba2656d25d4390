import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_rows(v_ptr, id_ptr, o_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    segment = tl.load(id_ptr + row)
    v = tl.load(v_ptr + row * width + c, mask=c < width, other=0.0)
    tl.atomic_add(o_ptr + segment * width + c, v, mask=c < width)


class ModelNew(nn.Module):
    def __init__(self, segments):
        super().__init__()
        self.segments = segments

    def forward(self, values, ids):
        out = torch.zeros((self.segments, values.shape[1]), device=values.device, dtype=values.dtype)
        add_rows[(values.shape[0],)](values, ids, out, values.shape[1], BLOCK=triton.next_power_of_2(values.shape[1]))
        return out
