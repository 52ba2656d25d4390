import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.heuristics(
    {
        "BLOCK": lambda args: min(256, triton.next_power_of_2(args["n"])),
        "HALF": lambda args: args["x_ptr"].dtype == torch.float16,
    }
)
@triton.jit
def addcmul(x_ptr, y_ptr, o_ptr, n, value, BLOCK: tl.constexpr, HALF: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    y = tl.load(y_ptr + i, mask=ok, other=0.0)
    if HALF:
        x = x.to(tl.float32)
        y = y.to(tl.float32)
    tl.store(o_ptr + i, x + value * x * y, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x, y):
        out = torch.empty_like(x)
        n = x.numel()

        def grid(meta):
            return (triton.cdiv(n, meta["BLOCK"]),)

        addcmul[grid](x, y, out, n, 0.5)
        return out
