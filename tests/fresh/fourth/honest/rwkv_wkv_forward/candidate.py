import torch
import triton
import triton.language as tl


@triton.jit
def wkv(w_ptr, u_ptr, k_ptr, v_ptr, y_ptr, T, C, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = c < C
    decay = -tl.exp(tl.load(w_ptr + c, mask=ok, other=0.0))
    u = tl.load(u_ptr + c, mask=ok, other=0.0)
    aa = tl.zeros([BLOCK], tl.float32)
    bb = tl.zeros([BLOCK], tl.float32)
    pp = tl.full([BLOCK], -1e38, tl.float32)
    for t in range(0, T):
        at = (batch * T + t) * C + c
        k = tl.load(k_ptr + at, mask=ok, other=0.0)
        v = tl.load(v_ptr + at, mask=ok, other=0.0)
        ww = u + k
        p = tl.maximum(pp, ww)
        e1 = tl.exp(pp - p)
        e2 = tl.exp(ww - p)
        tl.store(y_ptr + at, (e1 * aa + e2 * v) / (e1 * bb + e2), mask=ok)
        ww = pp + decay
        p = tl.maximum(ww, k)
        e1 = tl.exp(ww - p)
        e2 = tl.exp(k - p)
        aa = e1 * aa + e2 * v
        bb = e1 * bb + e2
        pp = p


def forward(w, u, k, v):
    B, T, C = k.shape
    y = torch.empty_like(k)
    wkv[(B, triton.cdiv(C, 8))](w, u, k, v, y, T, C, BLOCK=8)
    return y
