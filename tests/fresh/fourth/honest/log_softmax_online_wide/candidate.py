import torch
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(x_ptr, y_ptr, stride, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * width
    m = tl.full([BLOCK], -float("inf"), tl.float32)
    s = tl.zeros([BLOCK], tl.float32)
    for start in range(0, width, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < width, other=-float("inf"))
        new = tl.maximum(m, x)
        safe = tl.where(new == -float("inf"), 0.0, new)
        s = s * tl.exp(m - safe) + tl.exp(x - safe)
        m = new
    top = tl.max(m, 0)
    log_sum = tl.log(tl.sum(s * tl.exp(m - top), 0))
    for start in range(0, width, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < width, other=0.0)
        tl.store(y_ptr + c, (x - top) - log_sum, mask=c < width)


def forward(x):
    out = torch.empty_like(x)
    log_softmax_kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=64)
    return out
