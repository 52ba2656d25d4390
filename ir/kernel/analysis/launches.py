"""What launches tell of a kernel: dtypes, shapes and strides of its tensors, its numbers, its grid.

A kernel's text knows none of these. An analysis that is given them reads a stride that the launcher passes as a number.
Block sizes stay unknown, so that they can still be tuned.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.ir.values import Scalar, TensorSpec


@dataclass(frozen=True)
class KernelLaunch:
    """One launch: its grid at the block sizes of the module, and an argument for each parameter but block sizes."""

    grid: tuple[int, ...]
    arguments: Mapping[str, TensorSpec | Scalar]


@dataclass(frozen=True)
class Launches:
    """Every launch of a kernel, at least one; answers hold for all of them."""

    all: tuple[KernelLaunch, ...]

    def argument(self, parameter: str) -> TensorSpec | Scalar | None:
        """The argument of a parameter; None where it is None, differs between launches or is not known."""
        found = [launch.arguments.get(parameter) for launch in self.all]
        first = found[0]
        return first if all(type(one) is type(first) and _same(one, first) for one in found) else None

    def number(self, parameter: str) -> int | None:
        """The integer that a parameter always is."""
        found = self.argument(parameter)
        return found if type(found) is int else None

    def tensors(self, parameter: str) -> Sequence[TensorSpec]:
        """The tensors that a parameter is given; none where a launch gives it something else."""
        found = [launch.arguments.get(parameter) for launch in self.all]
        tensors = [one for one in found if isinstance(one, TensorSpec)]
        return tensors if len(tensors) == len(found) else []

    def dtype(self, parameter: str) -> str | None:
        """The dtype of a parameter's tensors, a key of `DTYPES`; None where it is no tensor, or they differ."""
        found = {spec.dtype for spec in self.tensors(parameter)}
        return found.pop() if len(found) == 1 else None

    def extent(self, parameter: str) -> int | None:
        """The extent of the largest tensor that a parameter is given; None where it is no tensor."""
        return max((spec.extent for spec in self.tensors(parameter)), default=None)

    def is_integer(self, parameter: str) -> bool:
        """Whether a parameter is always an integer, equal ones or not."""
        return all(type(launch.arguments.get(parameter)) is int for launch in self.all)

    def without(self, parameters: Collection[str]) -> "Launches":
        """The launches as if nothing were known of these parameters."""

        def kept(launch: KernelLaunch) -> KernelLaunch:
            return replace(launch, arguments={n: a for n, a in launch.arguments.items() if n not in parameters})

        return Launches(tuple(map(kept, self.all)))

    def programs(self, axis: int) -> int | None:
        """Programs along an axis of the grid; None where launches differ."""
        found = {launch.grid[axis] if axis < len(launch.grid) else 1 for launch in self.all}
        return found.pop() if len(found) == 1 else None


def _same(one: object, other: object) -> bool:
    """Whether arguments are equal, whatever tensors are called."""
    if isinstance(one, TensorSpec) and isinstance(other, TensorSpec):
        return (one.dtype, one.shape, one.strides) == (other.dtype, other.shape, other.strides)
    return one == other
