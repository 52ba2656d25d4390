import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def liger_cross_entropy_kernel(X_ptr, X_stride, Y_ptr, loss_ptr, count_ptr, n_cols, ignore_index, label_smoothing, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    y = tl.load(Y_ptr + program_id)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        tl.store(loss_ptr + program_id, 0.0)
        tl.store(count_ptr + program_id, 0)
        return
    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y).to(tl.float32)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).to(tl.float32)
        block_max = tl.max(X_block)
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    lse = m + tl.log(d)
    loss = lse - ori_X_y
    if label_smoothing > 0:
        smooth_loss = scaled_x_sum + label_smoothing * lse
        loss = loss * (1 - label_smoothing) + smooth_loss
    tl.store(loss_ptr + program_id, loss)
    tl.store(count_ptr + program_id, 1)


@triton.jit
def mean_of_kept(loss_ptr, count_ptr, out_ptr, n_rows, BLOCK: tl.constexpr):
    total = 0.0
    count = 0
    for i in range(0, n_rows, BLOCK):
        offs = i + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(loss_ptr + offs, mask=offs < n_rows, other=0.0))
        count += tl.sum(tl.load(count_ptr + offs, mask=offs < n_rows, other=0))
    tl.store(out_ptr, total / count)


class ModelNew(nn.Module):
    def __init__(self, ignore_index, label_smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, logits, target):
        BT, V = logits.shape
        logits = logits.contiguous()
        target = target.contiguous()
        BLOCK_SIZE = min(65536 // 2, triton.next_power_of_2(V))
        loss_1d = torch.zeros(BT, dtype=torch.float32, device=logits.device)
        count = torch.zeros(BT, dtype=torch.int32, device=logits.device)
        loss = torch.empty((), dtype=torch.float32, device=logits.device)
        liger_cross_entropy_kernel[(BT,)](logits, logits.stride(-2), target, loss_1d, count, V, self.ignore_index, self.label_smoothing, BLOCK_SIZE=BLOCK_SIZE, num_warps=4)
        mean_of_kept[(1,)](loss_1d, count, loss, BT, BLOCK=1024)
        return loss
