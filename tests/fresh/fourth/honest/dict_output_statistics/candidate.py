import torch as th
import triton as tr
import triton.language as T
from torch import nn as layers


@tr.jit
def stats_kernel(x, mean, rms, top, absmax, width, block: T.constexpr):
    r = T.program_id(0)
    c = T.arange(0, block)
    m = c < width
    v = T.load(x + r * width + c, mask=m, other=0.0)
    T.store(mean + r, T.sum(v, 0) / width)
    T.store(rms + r, T.sqrt(T.sum(v * v, 0) / width))
    T.store(top + r, T.max(T.where(m, v, float("-inf")), 0))
    T.store(absmax + r, T.max(T.abs(v), 0))


class ModelNew(layers.Module):
    NAMES = ("mean", "rms", "max", "absmax")

    def forward(self, x):
        rows, width = x.shape
        out = {name: th.empty(rows, dtype=x.dtype, device=x.device) for name in self.NAMES}
        stats_kernel[(rows,)](x=x, mean=out["mean"], rms=out["rms"], top=out["max"], absmax=out["absmax"],
                              width=width, block=tr.next_power_of_2(width))
        return out
