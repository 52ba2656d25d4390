"""What can go wrong inside a kernel: errors that name the kernel, the line and the tensor."""

from dataclasses import dataclass

from kernelwright.ir.errors import KernelwrightError


@dataclass(frozen=True)
class Place:
    """Where in a kernel. `line` is 1-based in the source of `function`, the kernel or a helper it calls."""

    kernel: str
    function: str
    line: int
    text: str
    program: tuple[int, int, int]

    def __str__(self) -> str:
        inside = "" if self.function == self.kernel else f" of @{self.function}"
        return f"kernel @{self.kernel}, line {self.line}{inside}, program {self.program}: `{self.text}`"


class KernelFault(KernelwrightError):  # noqa: N818 (base of errors and limits alike)
    """A kernel did something wrong; `place` says where."""

    def __init__(self, place: Place, message: str) -> None:
        self.place, self.message = place, message
        self.kernel, self.line = place.kernel, place.line
        super().__init__(f"{place}: {message}")


class KernelError(KernelFault):
    """Code that Triton refuses or that raises: wrong types, shapes or arguments."""


class UnsupportedByInterpreter(KernelFault):
    """A language feature that only a compiled kernel can use; says nothing about the kernel's correctness."""


class AccessError(KernelFault):
    """An access outside a tensor's storage, or not aligned to its element.

    `tensor` is the kernel's parameter ("" for a pointer that belongs to none), `offset` the first bad element
    relative to the tensor's own first element, `access` "load", "store", "atomic" or, where nothing uses the old
    value, "atomic store", and `extent` the legal offsets [low, high).
    """

    def __init__(
        self, place: Place, tensor: str, offset: int, access: str, extent: tuple[int, int], message: str
    ) -> None:
        self.tensor, self.offset, self.access, self.extent = tensor, offset, access, extent
        super().__init__(place, message)


class UninitialisedReadError(AccessError):
    """A load of an element that nothing has written since the host code allocated it."""
