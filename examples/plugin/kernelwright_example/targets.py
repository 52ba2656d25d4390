"""A target: half of an H100, as MIG's profile 3g.40gb has it."""

from dataclasses import replace

from kernelwright.backend.targets import get_target

_WHOLE = get_target("h100")

#: SMs and memory are MIG's; rates are in proportion to them.
H100_HALF = replace(
    _WHOLE,
    name="h100-half",
    title="NVIDIA H100 80GB SXM, MIG 3g.40gb",
    sm_count=60,
    memory_gb=40,
    bandwidth_gb_s=_WHOLE.bandwidth_gb_s / 2,
    fp32_tflops=_WHOLE.fp32_tflops * 60 / 132,
    tf32_tflops=_WHOLE.tf32_tflops * 60 / 132,
    bf16_tflops=_WHOLE.bf16_tflops * 60 / 132,
    l2_mb=_WHOLE.l2_mb / 2,
    source="NVIDIA Multi-Instance GPU User Guide, H100 profiles; rates in proportion",
)
