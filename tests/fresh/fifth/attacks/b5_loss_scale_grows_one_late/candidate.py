import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def unscale(grads_ptr, scale_ptr, tracker_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    grads = tl.load(grads_ptr + at, mask=at < count, other=0.0)
    scale = tl.load(scale_ptr)
    tracker = tl.load(tracker_ptr)
    tl.debug_barrier()
    tl.store(out_ptr + at, grads / scale, mask=at < count)
    bad = tl.sum((tl.abs(grads) < float("inf")).to(tl.int32), axis=0) < BLOCK
    grown = (tracker >= 2000) & (bad == 0)
    new_scale = tl.where(bad, scale * 0.5, tl.where(grown, scale * 2.0, scale))
    new_tracker = tl.where(bad | grown, 0, tracker + 1)
    tl.store(scale_ptr, new_scale)
    tl.store(tracker_ptr, new_tracker)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(1024.0))
        self.register_buffer("tracker", torch.tensor(0))

    def forward(self, grads):
        out = torch.empty_like(grads)
        unscale[(1,)](grads, self.scale, self.tracker, out, grads.shape[0], triton.next_power_of_2(grads.shape[0]))
        return out
