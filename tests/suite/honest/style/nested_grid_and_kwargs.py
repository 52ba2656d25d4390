# reference: maxpool1d
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pool(x_ptr, y_ptr, total, L, OL, KS, STRIDE, PAD, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    o = i % OL
    row = i // OL
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for k in range(0, KS):
        s = o * STRIDE - PAD + k
        v = tl.load(x_ptr + row * L + s, mask=ok & (s >= 0) & (s < L), other=float("-inf"))
        best = tl.where(v > best, v, best)
    tl.store(y_ptr + i, best, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, kernel_size: int, stride: int, padding: int):
        super().__init__()
        self.pool = nn.MaxPool1d(kernel_size, stride, padding)

    def forward(self, x):
        ks, stride, pad = self.pool.kernel_size, self.pool.stride, self.pool.padding
        *lead, length = x.shape
        out_length = (length + 2 * pad - ks) // stride + 1
        y = x.new_empty((*lead, out_length))
        total = y.numel()

        def grid(meta):
            return (triton.cdiv(total, meta["BLOCK"]),)

        sizes = {"KS": ks, "STRIDE": stride, "PAD": pad}
        pool[grid](x, y, total, length, out_length, **sizes, BLOCK=128)
        return y
