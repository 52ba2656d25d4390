"""A program in another precision: its weights and inputs cast once, as KernelBench's own option does it."""

#: What is appended to a program's text. The class keeps its name, so that all else about the program stays true.
_IN_BF16 = """

import torch

_inputs_as_written = get_inputs


class Model(Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.to(torch.bfloat16)


def get_inputs():
    floating = (torch.float32, torch.float64)
    return [x.to(torch.bfloat16) if getattr(x, "dtype", None) in floating else x for x in _inputs_as_written()]
"""


def in_bf16(source: str) -> str:
    """A KernelBench-format program with its model's floating tensors, and its fp32 and fp64 inputs, in bf16."""
    return f"{source.rstrip()}\n{_IN_BF16}"
