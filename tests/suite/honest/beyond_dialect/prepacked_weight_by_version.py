# reference: linear_relu
# dialect: refused
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear_relu_packed(X, WT, BIAS, Y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(X + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(WT + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    acc += tl.load(BIAS + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(Y + rm[:, None] * N + rn[None, :], tl.maximum(acc, 0.0), mask=(rm[:, None] < M) & (rn[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self._packed = None
        self._packed_for = None

    def _weight(self):
        """The transposed weight; copied again whenever the parameter has changed."""
        weight = self.linear.weight
        state = (weight.data_ptr(), weight._version, weight.device)
        if self._packed_for != state:
            self._packed = weight.detach().t().contiguous()
            self._packed_for = state
        return self._packed

    def forward(self, x):
        wt = self._weight()
        M, K = x.shape
        N = wt.shape[1]
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
        linear_relu_packed[grid](x, wt, self.linear.bias, y, M, N, K, BM=16, BN=16, BK=16)
        return y
