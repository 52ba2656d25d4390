import torch
import triton
import triton.language as tl


from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def nt_matmul(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = a_desc.load([m, k])
        b = b_desc.load([n, k])
        acc = tl.dot(a, b.T, acc, input_precision="ieee")
    c_desc.store([m, n], acc)


def forward(a, b):
    M, K = a.shape
    N = b.shape[0]
    a = a.contiguous()
    b = b.contiguous()
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    a_desc = TensorDescriptor.from_tensor(a, [16, 16])
    b_desc = TensorDescriptor.from_tensor(b, [16, 16])
    c_desc = TensorDescriptor.from_tensor(c, [16, 16])
    nt_matmul[(triton.cdiv(M, 16), triton.cdiv(N, 16))](a_desc, b_desc, c_desc, K, BM=16, BN=16, BK=16)
    return c
