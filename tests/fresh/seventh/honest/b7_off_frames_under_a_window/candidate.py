import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cut(wave, window, y, length, frames, HOP: tl.constexpr, SIZE: tl.constexpr, B: tl.constexpr):
    f = tl.program_id(0)
    r = tl.program_id(1)
    i = tl.arange(0, B)
    m = i < SIZE
    v = tl.load(wave + r * length + f * HOP + i, mask=m, other=0.0) * tl.load(window + i, mask=m, other=0.0)
    tl.store(y + (r * frames + f) * SIZE + i, v, mask=m)


class ModelNew(nn.Module):
    def __init__(self, size, hop):
        super().__init__()
        self.size, self.hop = size, hop
        self._windows = {}

    def window(self, device):
        if device not in self._windows:
            self._windows[device] = torch.hann_window(self.size, device=device)
        return self._windows[device]

    def forward(self, wave):
        rows, length = wave.shape
        frames = 1 + (length - self.size) // self.hop
        y = wave.new_empty(rows, frames, self.size)
        cut[(frames, rows)](wave, self.window(wave.device), y, length, frames, HOP=self.hop, SIZE=self.size,
                            B=triton.next_power_of_2(self.size))
        return y
