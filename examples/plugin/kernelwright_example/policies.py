"""A policy without a model: it answers the frontend's prompts about one elementwise function by a rule."""

import re
from collections.abc import Sequence
from pathlib import Path

from kernelwright.agent.policy import Completion, Prompt, Sampling

#: What a program returns -> the same in Triton.
RULES = {
    "torch.relu(x)": "tl.maximum(x, 0.0)",
    "torch.neg(x)": "-x",
    "torch.square(x)": "x * x",
}
_RETURNED = re.compile(r"return (torch\.\w+\(x\))")
_ANSWER = """Each element by itself:
```python
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def elementwise(x_ptr, out_ptr, total, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < total
    x = tl.load(x_ptr + index, mask=mask, other=0.0)
    tl.store(out_ptr + index, {expression}, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        total = x.numel()
        grid = (triton.cdiv(total, {block}),)
        elementwise[grid](x, out, total, BLOCK={block}, num_warps=4)
        return out
```
"""


class RulePolicy:
    """Writes kernels of `block` elements for what it has a rule for, and says so where it has none."""

    def __init__(self, block: int = 1024) -> None:
        self.block = block

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        """The same answer `sampling.n` times for each prompt."""
        del adapter
        return [[Completion(self._answer(prompt), "stop", "rules@1")] * sampling.n for prompt in prompts]

    def load_adapter(self, adapter: str, folder: Path) -> None:
        """There is nothing that could learn; rules are the same under any name."""

    def close(self) -> None:
        """There is nothing to give back."""

    def _answer(self, prompt: Prompt) -> str:
        asked = _RETURNED.findall(prompt[-1].content)
        if not asked or asked[-1] not in RULES:
            return "I have no rule for this program."
        return _ANSWER.format(expression=RULES[asked[-1]], block=self.block)
