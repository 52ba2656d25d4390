import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def window_mean_times(p_ptr, b_ptr, o_ptr, T, sp, sb, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    ok = t < T
    acc = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(K):
        acc += tl.load(p_ptr + row * sp + t + k, mask=ok, other=0.0)
    b = tl.load(b_ptr + row * sb + t, mask=ok, other=0.0)
    tl.store(o_ptr + row * T + t, acc / K * b, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x):
        a, b = x.unbind(1)
        B, T = a.shape
        padded = torch.zeros((B, T + 4), device=x.device, dtype=x.dtype)
        padded[:, 2 : 2 + T].copy_(a)
        out = torch.empty((B, T), device=x.device, dtype=x.dtype)
        window_mean_times[(B,)](padded, b, out, T, padded.stride(0), b.stride(0), K=5, BLOCK=triton.next_power_of_2(T))
        return out
