import torch
import triton
import triton.language as tl


@triton.jit
def balance(cents_ptr, out_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    cents = tl.load(cents_ptr + row * W + col, mask=col < W, other=0)
    total = tl.cumsum(cents.to(tl.float32), axis=0)
    tl.store(out_ptr + row * W + col, total.to(tl.int64), mask=col < W)


def forward(cents):
    out = torch.empty(cents.shape, dtype=torch.int64, device=cents.device)
    balance[(cents.shape[0],)](cents, out, cents.shape[1], 64)
    return out
