import torch
import triton
import triton.language as tl


@triton.jit
def half_softmax(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * n + c, (e / tl.sum(e, 0)).to(y_ptr.dtype.element_ty), mask=c < n)


def forward(x):
    y = torch.empty_like(x)
    half_softmax[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
