import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def grouped_matmul_kernel(group_a_ptrs, group_b_ptrs, group_c_ptrs, group_gemm_sizes, g_lds, group_size,
                          NUM_SM: tl.constexpr, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr):
    tile_idx = tl.program_id(0)
    last_problem_end = 0
    for g in range(group_size):
        gm = tl.load(group_gemm_sizes + g * 3)
        gn = tl.load(group_gemm_sizes + g * 3 + 1)
        gk = tl.load(group_gemm_sizes + g * 3 + 2)
        num_m_tiles = tl.cdiv(gm, BLOCK_SIZE_M)
        num_n_tiles = tl.cdiv(gn, BLOCK_SIZE_N)
        num_tiles = num_m_tiles * num_n_tiles
        while tile_idx >= last_problem_end and tile_idx < last_problem_end + num_tiles:
            lda = tl.load(g_lds + g * 3)
            ldb = tl.load(g_lds + g * 3 + 1)
            ldc = tl.load(g_lds + g * 3 + 2)
            a_ptr = tl.load(group_a_ptrs + g).to(tl.pointer_type(tl.float32))
            b_ptr = tl.load(group_b_ptrs + g).to(tl.pointer_type(tl.float32))
            c_ptr = tl.load(group_c_ptrs + g).to(tl.pointer_type(tl.float32))
            tile_in_gemm = tile_idx - last_problem_end
            tile_m = tile_in_gemm // num_n_tiles
            tile_n = tile_in_gemm % num_n_tiles
            offs_m = tile_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
            offs_n = tile_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
            acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
            for k in range(0, gk, BLOCK_SIZE_K):
                offs_k = k + tl.arange(0, BLOCK_SIZE_K)
                a = tl.load(a_ptr + offs_m[:, None] * lda + offs_k[None, :], mask=(offs_m[:, None] < gm) & (offs_k[None, :] < gk), other=0.0)
                b = tl.load(b_ptr + offs_k[:, None] * ldb + offs_n[None, :], mask=(offs_k[:, None] < gk) & (offs_n[None, :] < gn), other=0.0)
                acc += tl.dot(a, b, input_precision="ieee")
            tl.store(c_ptr + offs_m[:, None] * ldc + offs_n[None, :], acc, mask=(offs_m[:, None] < gm) & (offs_n[None, :] < gn))
            tile_idx += NUM_SM
        last_problem_end = last_problem_end + num_tiles


def group_gemm(group_A, group_B):
    device = group_A[0].device
    a_addrs, b_addrs, c_addrs, sizes, lds, group_C = [], [], [], [], [], []
    for i in range(len(group_A)):
        A = group_A[i]
        B = group_B[i]
        M, K = A.shape
        K, N = B.shape
        C = torch.empty((M, N), device=device, dtype=A.dtype)
        group_C.append(C)
        a_addrs.append(A.data_ptr())
        b_addrs.append(B.data_ptr())
        c_addrs.append(C.data_ptr())
        sizes += [M, N, K]
        lds += [A.stride(0), B.stride(0), C.stride(0)]
    d_a = torch.tensor(a_addrs, device=device)
    d_b = torch.tensor(b_addrs, device=device)
    d_c = torch.tensor(c_addrs, device=device)
    d_sizes = torch.tensor(sizes, dtype=torch.int32, device=device)
    d_lds = torch.tensor(lds, dtype=torch.int32, device=device)
    grouped_matmul_kernel[(3,)](d_a, d_b, d_c, d_sizes, d_lds, len(group_A), NUM_SM=3, BLOCK_SIZE_M=16, BLOCK_SIZE_N=16, BLOCK_SIZE_K=16)
    return group_C


class ModelNew(nn.Module):
    def forward(self, a0, b0, a1, b1):
        return group_gemm([a0.contiguous(), a1.contiguous()], [b0.contiguous(), b1.contiguous()])
