import torch
import triton
import triton.language as tl


@triton.jit
def scale(pcm_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    pcm = tl.load(pcm_ptr + row * WIDTH + at, mask=at < WIDTH, other=0).to(tl.int32)
    peak = tl.maximum(tl.max(tl.abs(pcm), axis=0), 1)
    tl.store(out_ptr + row * WIDTH + at, pcm.to(tl.float32) / peak.to(tl.float32), mask=at < WIDTH)


def forward(pcm):
    out = torch.empty(pcm.shape, dtype=torch.float32, device=pcm.device)
    scale[(pcm.shape[0],)](pcm, out, pcm.shape[1], triton.next_power_of_2(pcm.shape[1]))
    return out
