# reference: rmsnorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def persistent_rms_norm(x_ptr, w_ptr, y_ptr, n_rows, n_cols, eps, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    w = tl.load(w_ptr + c, mask=c < n_cols, other=0.0)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * n_cols + c, mask=c < n_cols, other=0.0)
        y = x * tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps) * w
        tl.store(y_ptr + row * n_cols + c, y, mask=c < n_cols)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        x = x.contiguous()
        rows, cols = x.shape
        y = torch.empty_like(x)
        # one wave: as many programs as the device has multiprocessors
        sm_count = torch.cuda.get_device_properties(0).multi_processor_count
        with torch.cuda.device(x.device):
            persistent_rms_norm[(min(rows, sm_count),)](x, self.weight, y, rows, cols, self.eps, BLOCK=128)
        return y
