"""How a tensor lies in memory: sizes and strides, in elements."""

from collections.abc import Sequence


def span(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How many elements of memory a tensor reaches over, from its first to its last."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True)) if all(shape) else 0


def shares_elements(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two places of a tensor may be one element of memory, as in an expanded tensor or a sliding window."""
    if not all(shape):
        return False
    reached = 0
    for step, size in sorted((step, size) for step, size in zip(strides, shape, strict=True) if size > 1):
        if step <= reached:
            return True
        reached += (size - 1) * step
    return False
