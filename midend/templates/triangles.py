"""Which triangle of a product is all that is kept of it."""

import ast

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.values import KernelModule
from kernelwright.midend.analysis.launches import find_launches, names_in
from kernelwright.midend.analysis.stored import stored
from kernelwright.midend.templates.products import Product

#: What is kept -> the test by which Inductor's kernels for `tril` and `triu` keep it, of a matrix with n columns.
_TESTS = {
    "lower": "xindex % {n} + -1 * (xindex // {n}) <= 0",
    "upper": "xindex % {n} + -1 * (xindex // {n}) >= 0",
}


def kept_half(module: KernelModule, trace: HostTrace, product: Product) -> str:
    """`lower` or `upper` where the only use of a product is to keep that triangle, main diagonal included; else ""."""
    batches, rows, columns, _ = product.sizes
    name = product.operands[3]
    users = [s for s in trace.statements if name in names_in(s) and not isinstance(s, ast.Delete)]
    readers = [launch for launch in find_launches(module, trace) if launch.index > product.index]
    readers = [launch for launch in readers if list(launch.given.values()).count(name) == 1]
    dense = product.out.strides[1:] == (columns, 1)
    # It is made, computed and read.
    if batches > 1 or rows != columns or not dense or not name.isidentifier() or len(users) != 3 or len(readers) != 1:
        return ""
    read_as = next(key for key, value in readers[0].given.items() if value == name)
    _, value = stored(readers[0].kernel)
    for half, test in _TESTS.items():
        if value == f"tl.where({test.format(n=columns)}, tl.load({read_as} + xindex), 0.0)":
            return half
    return ""
