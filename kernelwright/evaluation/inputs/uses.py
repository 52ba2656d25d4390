"""What a program does with its integer inputs: places alone may come in any order, and more than once."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from kernelwright.backend.tensors import Value
from kernelwright.backend.torch_private import TorchDispatchMode, tree_map_only

#: Operations that read or add up at places, and which arguments hold the places. What they give depends on no order
#: of the places, but for rounding; `index_put` has to add, as it says itself.
PLACES = {
    "aten.index.Tensor": (1,),
    "aten.index_select.default": (2,),
    "aten.gather.default": (2,),
    "aten.embedding.default": (1,),
    "aten.index_add.default": (2,),
    "aten.index_add_.default": (2,),
    "aten.scatter_add.default": (2,),
    "aten.scatter_add_.default": (2,),
    "aten.index_put.default": (1,),
    "aten.index_put_.default": (1,),
    "aten.bincount.default": (0,),
}
#: Operations that leave values as they are.
_SAME_VALUES = frozenset(
    "aten._to_copy.default aten.clone.default aten.contiguous.default aten.detach.default aten.alias.default".split()
)
#: Operations that need numbers in order.
_SEARCHES = frozenset(("searchsorted", "bucketize"))


class PlacesWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Around a run: notes which of the tensors given are anything but places, in `others`, by number, and in `used`
    which are used at all; and whether anything `searches` in numbers that are in order."""

    searches = False

    def __init__(self, given: Mapping[int, Value]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._known = {
            tensor.untyped_storage()._cdata: number for number, tensor in given.items() if isinstance(tensor, Tensor)
        }
        self._alive: list[Tensor] = []
        self.used: set[int] = set()
        self.others: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result, name = func(*args, **(kwargs or {})), str(func)
        self.searches |= func.overloadpacket.__name__ in _SEARCHES
        found = set().union(*map(self._numbers, args), self._numbers(kwargs or {}))
        if not found:
            return result
        self.used |= found
        if name in _SAME_VALUES and isinstance(result, Tensor):
            self._alive.append(result)  # its memory is no other's while this lasts
            self._known[result.untyped_storage()._cdata] = min(found)
        elif not func.is_view:
            adds = not name.startswith("aten.index_put") or (len(args) > 3 and bool(args[3]))
            places = PLACES.get(name, ()) if adds else ()
            for position, value in enumerate((*args, kwargs or {})):
                self.others |= set() if position in places else self._numbers(value)
        return result

    def _numbers(self, value: Any) -> set[int]:
        numbers: set[int] = set()

        def note(tensor: Tensor) -> None:
            number = self._known.get(tensor.untyped_storage()._cdata)
            if number is not None:
                numbers.add(number)

        tree_map_only(Tensor, note, value)
        return numbers
