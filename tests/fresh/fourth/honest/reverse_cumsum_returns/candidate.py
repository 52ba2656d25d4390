import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def compose(a1, b1, a2, b2):
    # an episode's end cuts off what follows, even if that is infinite
    return a1 * a2, tl.where(a2 == 0.0, b2, a2 * b1 + b2)


@triton.jit
def returns(r_ptr, d_ptr, o_ptr, T, gamma, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    t = T - 1 - k
    ok = k < T
    r = tl.load(r_ptr + row * T + t, mask=ok, other=0.0)
    done = tl.load(d_ptr + row * T + t, mask=ok, other=0).to(tl.int1)
    a = tl.where(done, 0.0, gamma)
    _, g = tl.associative_scan((a, r), 0, compose)
    tl.store(o_ptr + row * T + t, g, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma

    def forward(self, reward, done):
        out = torch.empty_like(reward)
        returns[(reward.shape[0],)](reward, done, out, reward.shape[1], self.gamma, BLOCK=triton.next_power_of_2(reward.shape[1]))
        return out
