import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def embedding_grad(ids_ptr, dy_ptr, g_ptr, D, PADDING: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    row = tl.load(ids_ptr + t)
    if row != PADDING:
        dy = tl.load(dy_ptr + t * D + c, mask=c < D, other=0.0)
        tl.atomic_add(g_ptr + row * D + c, dy, mask=c < D, sem="relaxed")


class ModelNew(nn.Module):
    def __init__(self, num, padding):
        super().__init__()
        self.num = num
        self.padding = padding

    def forward(self, ids, dy):
        T, D = dy.shape
        grad = torch.zeros((self.num, D), dtype=dy.dtype, device=dy.device)
        embedding_grad[(T,)](ids, dy.contiguous(), grad, D, PADDING=self.padding, BLOCK=triton.next_power_of_2(D))
        return grad
