import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def append(kc_ptr, vc_ptr, k_ptr, v_ptr, len_ptr, H, T, D: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    t = tl.load(len_ptr + b)
    t = tl.where(t < 0, t + T, t)
    src = (b * H + h) * D + d
    dst = ((b * H + h) * T + t) * D + d
    tl.store(kc_ptr + dst, tl.load(k_ptr + src))
    tl.store(vc_ptr + dst, tl.load(v_ptr + src))


class ModelNew(nn.Module):
    def forward(self, k_cache, v_cache, k, v, lengths):
        b, h, t, d = k_cache.shape
        append[(b, h)](k_cache, v_cache, k.contiguous(), v.contiguous(), lengths, h, t, D=d)
        return k_cache, v_cache
