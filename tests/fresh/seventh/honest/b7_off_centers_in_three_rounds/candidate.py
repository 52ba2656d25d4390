import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def assign(points, centers, near, n, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    x = tl.load(points + 3 * i, mask=m, other=0.0)
    y = tl.load(points + 3 * i + 1, mask=m, other=0.0)
    z = tl.load(points + 3 * i + 2, mask=m, other=0.0)
    best = tl.full((B,), float("inf"), tl.float32)
    who = tl.zeros((B,), tl.int64)
    for k in tl.static_range(K):
        a = x - tl.load(centers + 3 * k)
        b = y - tl.load(centers + 3 * k + 1)
        c = z - tl.load(centers + 3 * k + 2)
        d = a * a + b * b + c * c
        who = tl.where(d < best, k, who)
        best = tl.where(d < best, d, best)
    tl.store(near + i, who, mask=m)


class ModelNew(nn.Module):
    def forward(self, points, centers):
        points = points.nan_to_num(0.0, 9.0, -9.0)
        centers = centers.nan_to_num(0.0, 9.0, -9.0)
        n, k = points.shape[0], centers.shape[0]
        near = torch.empty(n, device=points.device, dtype=torch.int64)
        for _ in range(3):
            assign[(triton.cdiv(n, 16),)](points, centers, near, n, K=k, B=16)
            hits = torch.nn.functional.one_hot(near, k).float()
            count = hits.sum(0)[:, None]
            centers = torch.where(count > 0, hits.T @ points / count.clamp(min=1), centers)
        return centers
