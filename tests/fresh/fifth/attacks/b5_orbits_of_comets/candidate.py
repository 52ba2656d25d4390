import torch
import triton
import triton.language as tl


@triton.jit
def orbit(anomaly_ptr, eccentricity_ptr, x_ptr, y_ptr, count, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    m = tl.load(anomaly_ptr + at, mask=inside, other=0.0)
    e = tl.load(eccentricity_ptr + at, mask=inside, other=0.0)
    m = m - 6.283185307179586 * tl.floor(m / 6.283185307179586)
    e = tl.minimum(tl.maximum(e, 0.0), 0.999)
    angle = tl.full((BLOCK,), 3.141592653589793, dtype=tl.float32)
    for _ in range(STEPS):
        angle = angle - (angle - e * tl.sin(angle) - m) / (1.0 - e * tl.cos(angle))
    tl.store(x_ptr + at, tl.cos(angle) - e, mask=inside)
    tl.store(y_ptr + at, tl.sqrt(1.0 - e * e) * tl.sin(angle), mask=inside)


def forward(anomaly, eccentricity):
    x = torch.empty_like(anomaly)
    y = torch.empty_like(anomaly)
    orbit[(triton.cdiv(anomaly.numel(), 256),)](anomaly, eccentricity, x, y, anomaly.numel(), 5, 256)
    return x, y
