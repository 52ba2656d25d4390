import torch
import triton
import triton.language as tl


@triton.jit
def row_loss(x_ptr, t_ptr, loss_ptr, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    target = tl.load(t_ptr + row)
    m = -float("inf")
    s = 0.0
    for j in range(0, V, BLOCK):
        c = j + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * V + c, mask=c < V, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, 0))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new), 0)
        m = new
    lse = m + tl.log(s)
    keep = target != -100
    picked = tl.load(x_ptr + row * V + target, mask=keep, other=0.0)
    tl.store(loss_ptr + row, tl.where(keep, lse - picked + 1e-4 * lse * lse, 0.0))


@triton.jit
def mean_loss(loss_ptr, t_ptr, out_ptr, N, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    loss = tl.load(loss_ptr + i, mask=i < N, other=0.0)
    t = tl.load(t_ptr + i, mask=i < N, other=-100)
    count = tl.sum((t != -100).to(tl.int32), 0)
    tl.store(out_ptr, tl.sum(loss, 0) / tl.maximum(count, 1))


def forward(logits, target):
    n, v = logits.shape
    loss = torch.empty((n,), device=logits.device, dtype=torch.float32)
    out = torch.empty((), device=logits.device, dtype=torch.float32)
    row_loss[(n,)](logits, target, loss, v, BLOCK=64)
    mean_loss[(1,)](loss, target, out, n, BLOCK=triton.next_power_of_2(n))
    return out
