import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def excite(times_ptr, marks_ptr, rate_ptr, jump_ptr, out_ptr, KINDS: tl.constexpr, EVENTS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    event = tl.arange(0, BLOCK)
    real = event < EVENTS
    newest = tl.load(times_ptr + row * EVENTS + EVENTS - 1)
    time = tl.load(times_ptr + row * EVENTS + event, mask=real, other=0.0)
    mark = tl.load(marks_ptr + row * EVENTS + event, mask=real, other=0)
    mark = tl.where(mark < 0, mark + KINDS, mark)
    jump = tl.load(jump_ptr + mark, mask=real, other=0.0)
    rate = tl.abs(tl.load(rate_ptr))
    power = tl.exp(-rate * (newest - time))
    tl.store(out_ptr + row, tl.sum(tl.where(real, jump * power, 0.0), 0))


class ModelNew(nn.Module):
    def __init__(self, marks):
        super().__init__()
        self.rate = nn.Parameter(torch.ones(1))
        self.jump = nn.Parameter(torch.rand(marks) + 0.5)

    def forward(self, times, marks):
        rows, events = times.shape
        out = torch.empty((rows,), device=times.device, dtype=times.dtype)
        kinds = self.jump.shape[0]
        excite[(rows,)](times, marks, self.rate, self.jump, out, kinds, events, triton.next_power_of_2(events))
        return out
