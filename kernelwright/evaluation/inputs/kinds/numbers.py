"""Numbers among the inputs that are no tensors, such as a share: others than those that `get_inputs` gives."""

import random
from collections.abc import Sequence

from kernelwright.backend.tensors import Value
from kernelwright.ir.values import ScalarSpec, TensorSpec

#: The kind, and by what numbers are multiplied at least and at most; those between 0 and 1 stay there.
NUMBERS, _LEAST, _MOST = "numbers", 0.3, 2.5


def may_vary(spec: TensorSpec | ScalarSpec) -> bool:
    """Whether an input is a floating number; integers decide sizes."""
    return isinstance(spec, ScalarSpec) and isinstance(spec.value, float)


def other_numbers(specs: Sequence[TensorSpec | ScalarSpec], values: Sequence[Value], seed: int) -> list[Value]:
    """Inputs with other floating numbers, which follow from the seed."""
    numbers = random.Random(seed)
    return [
        _other(spec.value, numbers) if isinstance(spec, ScalarSpec) and isinstance(spec.value, float) else value
        for spec, value in zip(specs, values, strict=True)
    ]


def _other(number: float, numbers: random.Random) -> float:
    by = numbers.uniform(_LEAST, 0.8) if numbers.random() < 1 / 2 else numbers.uniform(1.25, _MOST)
    if 0 <= number <= 1:
        return 1 - (1 - number) * min(by, 1 / by) if number < 1 / 2 else number * min(by, 1 / by)
    return number * by
