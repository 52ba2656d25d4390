import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pool(x_ptr, y_ptr, i_ptr, H, W, OH, OW, BLOCK: tl.constexpr):
    plane = tl.program_id(1)
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = p < OH * OW
    oh = p // OW
    ow = p % OW
    best = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    where = tl.full((BLOCK,), -1, dtype=tl.int64)
    for kh in tl.static_range(3):
        for kw in tl.static_range(3):
            h = oh * 2 - 1 + kh
            w = ow * 2 - 1 + kw
            ok = mask & (h >= 0) & (h < H) & (w >= 0) & (w < W)
            x = tl.load(x_ptr + plane * H * W + h * W + w, mask=ok, other=-float("inf"))
            take = ok & ((x > best) | (where < 0))
            best = tl.where(take, x, best)
            where = tl.where(take, (h * W + w).to(tl.int64), where)
    tl.store(y_ptr + plane * OH * OW + p, best, mask=mask)
    tl.store(i_ptr + plane * OH * OW + p, where, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        oh = (h + 2 - 3) // 2 + 1
        ow = (w + 2 - 3) // 2 + 1
        y = torch.empty((n, c, oh, ow), device=x.device, dtype=x.dtype)
        index = torch.empty((n, c, oh, ow), device=x.device, dtype=torch.int64)
        pool[(triton.cdiv(oh * ow, 32), n * c)](x, y, index, h, w, oh, ow, BLOCK=32)
        return y, index
