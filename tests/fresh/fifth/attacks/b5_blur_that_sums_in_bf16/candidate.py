import torch
import triton
import triton.language as tl


@triton.jit
def blur(x_ptr, out_ptr, WIDTH: tl.constexpr, LESS: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    row = tl.program_id(1)
    c = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.bfloat16)
    for i in range(3):
        for j in range(3):
            x = tl.load(x_ptr + (plane * WIDTH + row + i) * WIDTH + c + j, mask=c < LESS, other=0.0)
            total = (total.to(tl.float32) + x.to(tl.float32)).to(tl.bfloat16)
    out = (total.to(tl.float32) / 9.0).to(tl.bfloat16)
    tl.store(out_ptr + (plane * LESS + row) * LESS + c, out, mask=c < LESS)


def forward(x):
    less = x.shape[2] - 2
    out = torch.empty((x.shape[0], x.shape[1], less, less), dtype=x.dtype, device=x.device)
    blur[(x.shape[0] * x.shape[1], less)](x, out, x.shape[2], less, triton.next_power_of_2(less))
    return out
