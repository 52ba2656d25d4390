import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def xent_fwd(logits_ptr, labels_ptr, loss_ptr, z_ptr, stride, V, smoothing, ignore, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = logits_ptr + row.to(tl.int64) * stride
    label = tl.load(labels_ptr + row)
    kept = label != ignore
    top = -float("inf")
    total = 0.0
    plain = 0.0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        inside = cols < V
        x = tl.load(base + cols, mask=inside, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x, 0))
        safe = tl.where(tl.abs(new_top) == float("inf"), 0.0, new_top)
        total = total * tl.exp(top - safe) + tl.sum(tl.exp(x - safe), 0)
        plain += tl.sum(tl.where(inside, x, 0.0), 0)
        top = new_top
    lse = tl.where(top == -float("inf"), top, top + tl.log(total))
    hit = tl.load(base + label, mask=kept, other=0.0).to(tl.float32)
    loss = (1.0 - smoothing) * (lse - hit) + smoothing * (lse - plain / V)
    tl.store(loss_ptr + row, tl.where(kept, loss, 0.0))
    tl.store(z_ptr + row, tl.where(kept, lse * lse * 1e-3, 0.0))


class ModelNew(nn.Module):
    def __init__(self, smoothing, ignore):
        super().__init__()
        self.smoothing = smoothing
        self.ignore = ignore

    def forward(self, logits, labels):
        rows, vocab = logits.shape
        logits = logits.contiguous()
        loss = torch.empty(rows, device=logits.device, dtype=logits.dtype)
        z = torch.empty(rows, device=logits.device, dtype=logits.dtype)
        xent_fwd[(rows,)](
            logits, labels, loss, z, logits.stride(0), vocab, self.smoothing, self.ignore, BLOCK=64
        )
        return loss, z
