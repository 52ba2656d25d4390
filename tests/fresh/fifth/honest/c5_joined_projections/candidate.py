import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def project(x_ptr, w_ptr, q_ptr, k_ptr, v_ptr, m, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    which = tl.program_id(2)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, width, BK):
        rk = start + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * width + rk[None, :], mask=(rm[:, None] < m) & (rk[None, :] < width), other=0.0)
        w = tl.load(w_ptr + (which * width + rn[None, :]) * width + rk[:, None],
                    mask=(rn[None, :] < width) & (rk[:, None] < width), other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    place = rm[:, None] * width + rn[None, :]
    inside = (rm[:, None] < m) & (rn[None, :] < width)
    tl.store(q_ptr + place, acc, mask=inside & (which == 0))
    tl.store(k_ptr + place, acc, mask=inside & (which == 1))
    tl.store(v_ptr + place, acc, mask=inside & (which == 2))


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.joined_for = None
        self.joined = None

    def weights(self):
        q, k, v = self.query.weight, self.key.weight, self.value.weight
        now = (q._version, q.data_ptr(), k._version, k.data_ptr(), v._version, v.data_ptr())
        if self.joined_for != now:
            self.joined = torch.cat([q.detach(), k.detach(), v.detach()])
            self.joined_for = now
        return self.joined

    def forward(self, x):
        x = x.contiguous()
        m, width = x.shape
        out = [torch.empty(m, width, device=x.device, dtype=x.dtype) for _ in range(3)]
        project[(triton.cdiv(m, 16), triton.cdiv(width, 16), 3)](x, self.weights(), *out, m, width, BM=16, BN=16, BK=16)
        return tuple(out)
