import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def dense(
    x, w, b, y, rows, dim, hidden,
    RELU: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for k0 in range(0, dim, K):
        k = k0 + tl.arange(0, K)
        left = tl.load(x + m[:, None] * dim + k[None, :], mask=(m < rows)[:, None] & (k < dim)[None, :], other=0.0)
        right = tl.load(w + n[None, :] * dim + k[:, None], mask=(n < hidden)[None, :] & (k < dim)[:, None], other=0.0)
        acc += tl.dot(left, right, input_precision="ieee")
    acc += tl.load(b + n, mask=n < hidden, other=0.0)[None, :]
    if RELU:
        acc = tl.where(acc < 0, 0.0, acc)
    tl.store(y + m[:, None] * hidden + n[None, :], acc, mask=(m < rows)[:, None] & (n < hidden)[None, :])


@triton.jit
def batch_norm_relu(h, w, b, mean_ptr, var_ptr, y, rows, hidden, eps, momentum, BLOCK: tl.constexpr):
    f = tl.program_id(0)
    r = tl.arange(0, BLOCK)
    ok = r < rows
    v = tl.load(h + r * hidden + f, mask=ok, other=0.0)
    mean = tl.sum(v, axis=0) / rows
    d = tl.where(ok, v - mean, 0.0)
    ss = tl.sum(d * d, axis=0)
    out = d * tl.rsqrt(ss / rows + eps) * tl.load(w + f) + tl.load(b + f)
    tl.store(y + r * hidden + f, tl.where(out < 0, 0.0, out), mask=ok)
    tl.store(mean_ptr + f, (1.0 - momentum) * tl.load(mean_ptr + f) + momentum * mean)
    tl.store(var_ptr + f, (1.0 - momentum) * tl.load(var_ptr + f) + momentum * (ss / (rows - 1)))


def stamp(tensors):
    return tuple((id(t), t.data_ptr(), t._version, t.device) for t in tensors)


class ModelNew(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.proj = nn.Linear(dim, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self._folded = None

    @torch.no_grad()
    def folded(self):
        # Kernels write running statistics without a new version; each of their launches raises num_batches_tracked.
        proj, norm = self.proj, self.norm
        now = stamp([
            proj.weight, proj.bias, norm.weight, norm.bias, norm.running_mean, norm.running_var, norm.num_batches_tracked,
        ])
        kept = self._folded
        if kept is None or kept[0] != now:
            gain = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
            weight = (proj.weight.double() * gain[:, None]).float().contiguous()
            bias = ((proj.bias.double() - norm.running_mean.double()) * gain + norm.bias.double()).float()
            kept = now, weight, bias
            self._folded = kept
        return kept[1:]

    def forward(self, x):
        rows, dim = x.shape
        norm, hidden = self.norm, self.proj.out_features
        y = torch.empty((rows, hidden), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(rows, 16), triton.cdiv(hidden, 16))
        tiles = dict(M=16, N=16, K=16)
        if not self.training:
            weight, bias = self.folded()
            dense[grid](x, weight, bias, y, rows, dim, hidden, RELU=True, **tiles)
            return y
        h = torch.empty_like(y)
        dense[grid](x, self.proj.weight, self.proj.bias, h, rows, dim, hidden, RELU=False, **tiles)
        batch_norm_relu[(hidden,)](
            h, norm.weight, norm.bias, norm.running_mean, norm.running_var, y, rows, hidden, norm.eps, norm.momentum,
            BLOCK=triton.next_power_of_2(rows),
        )
        norm.num_batches_tracked.add_(1)
        return y
