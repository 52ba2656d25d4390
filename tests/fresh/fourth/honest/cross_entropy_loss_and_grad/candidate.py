import torch
import triton
import triton.language as tl


@triton.jit
def loss_and_grad(x_ptr, t_ptr, loss_ptr, g_ptr, N, V, BN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    r = tl.arange(0, BN)
    all_t = tl.load(t_ptr + r, mask=r < N, other=-100)
    count = tl.maximum(tl.sum((all_t != -100).to(tl.int32), 0), 1)
    raw = tl.load(t_ptr + row)
    keep = raw != -100
    t = tl.maximum(raw, 0)
    c = tl.arange(0, BLOCK)
    ok = c < V
    x = tl.load(x_ptr + row * V + c, mask=ok, other=-float("inf"))
    top = tl.max(x, 0)
    e = tl.exp(x - top)
    total = tl.sum(e, 0)
    p = e / total
    hit = tl.sum(tl.where(c == t, x - top, 0.0), 0)
    g = (p - tl.where(c == t, 1.0, 0.0)) / count
    tl.store(g_ptr + row * V + c, tl.where(keep, g, 0.0), mask=ok)
    tl.atomic_add(loss_ptr, tl.where(keep, tl.log(total) - hit, 0.0) / count)


def forward(x, t):
    n, v = x.shape
    loss = torch.zeros((), device=x.device, dtype=torch.float32)
    grad = torch.empty_like(x)
    loss_and_grad[(n,)](x, t, loss, grad, n, v, BN=triton.next_power_of_2(n), BLOCK=triton.next_power_of_2(v))
    return loss, grad
