"""Which outputs of a reference are computed from its inputs and weights, and which are views, copies or constants; and
in which of them inputs have a part."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from torch import Tensor

from kernelwright.backend.tensors import Value
from kernelwright.backend.torch_private import TorchDispatchMode, tree_leaves
from kernelwright.evaluation.protocol import operators


class Content(IntEnum):
    """What memory holds, in the order of what counts more."""

    CONSTANT = 0
    GIVEN = 1
    COMPUTED = 2


class Computing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Around one run of a reference on `inputs`: notes what each memory that it makes or writes to holds.

    Memory that comes from outside of the run is an input or a weight. Views and copies hold what their sources hold,
    and results without elements hold nothing.
    """

    def __init__(self, inputs: Sequence[Value]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._found: dict[int, Content] = {}
        self._of_inputs = {_memory(value) for value in inputs if isinstance(value, Tensor)}

    def computed(self, outputs: Sequence[Tensor]) -> list[bool]:
        """For each output of the run, whether it is computed; no kernel has to have a part in the others."""
        return [bool(output.numel()) and self._content(output) is Content.COMPUTED for output in outputs]

    def of_inputs(self, outputs: Sequence[Tensor]) -> list[bool]:
        """For each output of the run, whether inputs have a part in what its memory holds."""
        return [_memory(output) in self._of_inputs for output in outputs]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = [value for value in tree_leaves((args, kwargs or {})) if isinstance(value, Tensor)]
        sources = [self._content(value) for value in given if value.numel()]
        result = func(*args, **(kwargs or {}))
        name = str(func)
        moves = operators.moves(name) or func.is_view or name == "aten._unsafe_view.default"
        content = max(sources, default=Content.CONSTANT)
        if content is Content.GIVEN and not moves:
            content = Content.COMPUTED
        if name in operators.FACTORIES:
            content = Content.CONSTANT
        inside = {_memory(value) for value in given}
        of_inputs = not inside.isdisjoint(self._of_inputs) and name not in operators.FACTORIES
        for value in (value for value in tree_leaves(result) if isinstance(value, Tensor)):
            if _memory(value) not in inside:
                self._found[_memory(value)] = content
                (self._of_inputs.add if of_inputs else self._of_inputs.discard)(_memory(value))
            elif value.numel() and func._schema.is_mutable:
                self._found[_memory(value)] = max(content, self._found.get(_memory(value), Content.GIVEN))
                self._of_inputs |= {_memory(value)} if of_inputs else set()
        return result

    def _content(self, tensor: Tensor) -> Content:
        return self._found.get(_memory(tensor), Content.GIVEN)


def _memory(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
