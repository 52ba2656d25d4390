# reference: linear_relu
# class: precision downgrade: bf16
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def neuron(x_ptr, w_ptr, b_ptr, y_ptr, K, N, BLOCK: tl.constexpr):
    m, n = tl.program_id(0), tl.program_id(1)
    k = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + m * K + k, mask=k < K, other=0.0).to(tl.bfloat16).to(tl.float32)
    w = tl.load(w_ptr + n * K + k, mask=k < K, other=0.0).to(tl.bfloat16).to(tl.float32)
    total = tl.sum(x * w, axis=0) + tl.load(b_ptr + n)
    tl.store(y_ptr + m * N + n, tl.maximum(total, 0.0))


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        M, K = x.shape
        N = self.linear.out_features
        y = torch.empty((M, N), device=x.device)
        neuron[(M, N)](x, self.linear.weight, self.linear.bias, y, K, N, BLOCK=64)
        return y
