# reference: rmsnorm
import torch
import torch.nn as nn
import triton
import triton.language as tl

# Replaces torch.nn.functional.rms_norm. There is no torch.matmul, no @torch.compile and no eval( in here;
# "cheat", "exec" and os.system are only words.


@triton.jit
def no_torch_matmul_einsum_kernel(x_ptr, weight_ptr, out_ptr, cached_cols, eps, BLOCK: tl.constexpr):
    """getattr(torch, "matmul") would be a cheat; this computes a norm."""
    reference = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    answer = tl.load(x_ptr + reference * cached_cols + i, mask=i < cached_cols, other=0.0)
    rms = tl.sqrt(tl.sum(answer * answer, axis=0) / cached_cols + eps)
    gain = tl.load(weight_ptr + i, mask=i < cached_cols, other=0.0)
    tl.store(out_ptr + reference * cached_cols + i, answer / rms * gain, mask=i < cached_cols)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        bypass = torch.empty_like(x)  # not a bypass
        no_torch_matmul_einsum_kernel[(x.shape[0],)](x, self.weight, bypass, x.shape[1], self.eps, BLOCK=128)
        return bypass
