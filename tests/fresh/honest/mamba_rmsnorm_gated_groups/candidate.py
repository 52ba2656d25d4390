import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gated_norm(x_ptr, z_ptr, w_ptr, y_ptr, D, GROUP, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    group = tl.program_id(1)
    c = tl.arange(0, BLOCK)
    ok = c < GROUP
    offs = row * D + group * GROUP + c
    x = tl.load(x_ptr + offs, mask=ok, other=0.0).to(tl.float32)
    z = tl.load(z_ptr + offs, mask=ok, other=0.0).to(tl.float32)
    h = x * (z * tl.sigmoid(z))
    r = 1 / tl.sqrt(tl.sum(h * h, axis=0) / GROUP + eps)
    w = tl.load(w_ptr + group * GROUP + c, mask=ok, other=0.0).to(tl.float32)
    tl.store(y_ptr + offs, h * r * w, mask=ok)


def rms_norm_gated(x, z, weight, group_size, eps):
    shape = x.shape
    x = x.reshape(-1, shape[-1])
    if x.stride(-1) != 1:
        x = x.contiguous()
    z = z.reshape(-1, shape[-1])
    if z.stride(-1) != 1:
        z = z.contiguous()
    M, D = x.shape
    assert D % group_size == 0
    y = torch.empty_like(x)
    MAX_FUSED_SIZE = 65536 // x.element_size()
    BLOCK = min(MAX_FUSED_SIZE, triton.next_power_of_2(group_size))
    if group_size > BLOCK:
        raise RuntimeError("This layer norm doesn't support feature dim >= 64KB.")
    num_warps = min(max(BLOCK // 256, 1), 8)
    gated_norm[(M, D // group_size)](x, z, weight, y, D, group_size, eps, BLOCK=BLOCK, num_warps=num_warps)
    return y.reshape(shape)


class ModelNew(nn.Module):
    def __init__(self, d, group):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d))
        self.group = group

    def forward(self, x, z):
        return rms_norm_gated(x, z, self.weight, self.group, 1e-5)
