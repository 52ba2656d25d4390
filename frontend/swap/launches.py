"""The adapter of Inductor's private names by which launches of its kernels are seen, and what they must do is known.

`versions.TRIED` has the releases that it was tried with.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from kernelwright.backend.versions import adapting, parameters
from kernelwright.frontend.swap.hooks import Generated

with adapting("profiling kernels", "torch", "triton"):
    from torch._inductor.codegen.triton import TritonKernel
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    from torch._inductor.scheduler import BaseSchedulerNode

    parameters(CachingAutotuner.run, "stream")
    parameters(TritonKernel.estimate_kernel_num_bytes, "self")
    parameters(BaseSchedulerNode.estimate_flops, "self")

#: What a launch happens within, by the kernel's name and the arguments of the launch.
Around = Callable[[str, Sequence[Any]], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Work:
    """What one launch must do, as Inductor reckons it: bytes that it reads and writes, each once, and the
    floating-point operations of the products in it."""

    bytes: int = 0
    flops: int = 0


def work_of(generated: Generated) -> Work:
    """Asked while Inductor writes the kernel: its graph knows the sizes only then."""
    flops = 0
    if "tl.dot(" in generated.source:  # an elementwise kernel behind a product has the product's origin, too
        nodes = [node for node in generated.node_schedule if isinstance(node, BaseSchedulerNode)]
        flops = sum(int(node.estimate_flops() or 0) for node in nodes)
    return Work(int(generated.kernel.estimate_kernel_num_bytes()), flops)


@contextmanager
def launching(around: Around) -> Iterator[None]:
    """Within it, all kernels of Inductor's that this process launches are launched within `around(name, arguments)`."""
    before: Any = CachingAutotuner.run

    def run(self: Any, *arguments: Any, **options: Any) -> Any:
        with around(str(self.inductor_meta.get("kernel_name") or self.fn.__name__), arguments):
            return before(self, *arguments, **options)

    CachingAutotuner.run = run  # type: ignore[method-assign]
    try:
        yield
    finally:
        CachingAutotuner.run = before  # type: ignore[method-assign]
