import torch
import triton
import triton.language as tl


@triton.jit
def add(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(a_ptr + at, at < n, 0.0) + tl.load(b_ptr + at, at < n, 0.0)
    tl.store(out_ptr + at, total, at < n)


def forward(parts):
    out = torch.empty_like(parts[0])
    add[(1,)](parts[0], parts[1], out, out.numel(), BLOCK=128)
    parts.append(out)
    return out


class ModelNew(torch.nn.Module):
    def forward(self, parts):
        return forward(parts)
