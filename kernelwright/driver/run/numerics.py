"""What the flags of this process let matrix products and convolutions use."""

import torch

from kernelwright.ir.values import Numerics


def permitted() -> Numerics:
    """What the user's own flags let use TF32. Products without convolutions is none of the three: nothing may then."""
    # Not `allow_tf32`, which cannot be read once the flags that have taken its place were set; these tell either way.
    convolutions = torch.backends.cudnn.conv.fp32_precision == "tf32"  # type: ignore[attr-defined]
    products = torch.backends.cuda.matmul.fp32_precision == "tf32"
    if not convolutions:
        return "ieee"
    return "tf32" if products else "torch"
