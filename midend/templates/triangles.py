"""Which part of a square matrix a condition leaves, and whether a triangle is all that is kept of a product."""

from collections.abc import Iterator

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.kernel.analysis.accesses import Access, only_accessed
from kernelwright.ir.kernel.analysis.counters import Counters
from kernelwright.ir.kernel.analysis.digits import Index
from kernelwright.ir.kernel.analysis.forms import Form
from kernelwright.ir.kernel.merging.reading import Part, UnfitError, conjuncts
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Operand, Operation, Value
from kernelwright.ir.values import DTYPES, KernelModule
from kernelwright.midend.analysis.launches import HostLaunch, find_launches, users
from kernelwright.midend.kernel_pass import part_of
from kernelwright.midend.templates.products import Product

_INTEGERS = (Constant("tl.int32"), Constant("tl.int64"))
#: A comparison -> the sign with which it takes a difference, and how large that may be: below so much.
_COMPARED = {"lt": (1, 0), "le": (1, 1), "gt": (-1, 0), "ge": (-1, 1), "eq": (1, 1)}


class SquareKernel:
    """A kernel that is given a square matrix without gaps, with so many columns, as a parameter.

    Casts of what it counts by say nothing here: no index is as long as 32 bits.
    """

    def __init__(self, part: Part, parameter: str, columns: int) -> None:
        edits = Rewriting(part.function)
        kinds = Counters(part.function, part.launches, part.blocks).indices.kinds
        for one in part.function.walk():
            if one.kind == "cast" and one.get("dtype") in _INTEGERS and kinds.is_integer(one.get("input")):
                edits.replace(one.result, one.operands[0])
        self.function, self.columns = edits.done(), columns
        self.counters = Counters(self.function, part.launches, part.blocks)
        self.definitions = self.counters.indices.definitions
        self.all = {id(one.operation): one for one in self.counters.axes.accesses.all}
        matrix = self.function.argument(parameter)
        #: How the kernel accesses the matrix; None where it does something else with it.
        found = only_accessed(self.function, matrix)
        self.accesses = None if found is None else [self.all[id(one)] for one in found]
        self._uses = self.function.uses()

    def place(self, element: Form | None) -> tuple[Index, Index] | None:
        """The row and the column of the element with this index; None where they are no sums of digits."""
        index = self.counters.index(element) if element is not None else None
        return index.divided(self.columns) if index is not None else None

    def left(self, element: Form | None, condition: Operand) -> str:
        """What a condition leaves of the matrix: `lower` or `upper`, main diagonal included, `diagonal`, or ""."""
        found = {self._compared(element, one) for one in conjuncts(condition, self.definitions)} - {""}
        return found.pop() if len(found) == 1 else ""

    def _compared(self, element: Form | None, condition: Operand) -> str:
        made, place = self.definitions.get(condition) if isinstance(condition, Value) else None, self.place(element)
        if made is None or place is None or element is None or made.kind not in _COMPARED:
            return ""
        one, other = (self.counters.indices.form(operand) for operand in made.operands)
        if one is None or other is None or not _in_one_dimension(element, one, other):
            return ""
        sign, end = _COMPARED[made.kind]
        found = self.counters.index(Form().plus(one.plus(other, -1), sign))
        row, column = place
        for part, (high, low) in {"lower": (column, row.scaled(-1)), "upper": (row, column.scaled(-1))}.items():
            wanted = Index.sum((*high.terms, *low.terms), high.offset + low.offset + end - 1)
            if found is not None and set(found.terms) == set(wanted.terms) and found.offset == wanted.offset:
                return "diagonal" if made.kind == "eq" else part
        return ""

    def kept(self, load: Access) -> Iterator[str]:
        """What is kept of the matrix by each operation that uses a loaded element."""
        values: list[Operand] = [load.operation.result]
        for value in values:  # which grows meanwhile
            for one in self._uses.get(value, ()):
                if one.kind == "cast":
                    values.append(one.result)
                elif (
                    one.kind == "where" and one.get("x") == value and value not in (one.get("condition"), one.get("y"))
                ):
                    yield self.left(load.index, one.operands[0])
                else:
                    yield ""

    def uncast(self, value: Operand | None, dtype: str) -> Operation | None:
        """The operation that gives a value, casts to fp32 and to the dtype that is loaded and stored left out."""
        made = self.definitions.get(value) if isinstance(value, Value) else None
        types = [Constant("tl.float32"), Constant(f"tl.{DTYPES[dtype][0]}")]
        while made is not None and made.kind == "cast" and made.get("dtype") in types:
            inner = made.operands[0]
            made = self.definitions.get(inner) if isinstance(inner, Value) else None
        return made


def _in_one_dimension(*forms: Form) -> bool:
    """Whether each value that the forms are made of lies along the same dimensions in all of them."""
    leaves = {leaf for form in forms for leaf in form.leaves}
    return len({leaf.value for leaf in leaves}) == len(leaves)


def kept_half(module: KernelModule, trace: HostTrace, product: Product) -> str:
    """`lower` or `upper` where the only use of a product is to keep that triangle, main diagonal included; else ""."""
    batches, rows, columns, _ = product.sizes
    name = product.operands[3]
    readers = [one for one in find_launches(module, trace) if one.index > product.index]
    readers = [one for one in readers if list(one.given.values()).count(name) == 1]
    dense = product.out.strides[1:] == (columns, 1)
    # It is made, computed and read.
    if batches > 1 or rows != columns or not dense or not name.isidentifier() or len(users(trace, name)) != 3:
        return ""
    halves = _halves(module, readers[0], name, columns) if len(readers) == 1 else set()
    return halves.pop() if len(halves) == 1 and halves <= {"lower", "upper"} else ""


def _halves(module: KernelModule, reader: HostLaunch, name: str, columns: int) -> set[str]:
    """What a launched kernel keeps of a square matrix; "" among it where it keeps more than a triangle."""
    read_as = next(key for key, value in reader.given.items() if value == name)
    try:
        kernel = SquareKernel(part_of(module, reader), read_as, columns)
    except UnfitError:
        return {""}
    accesses = kernel.accesses if kernel.accesses is not None else []
    if kernel.accesses is None or any(one.operation.kind != "load" for one in accesses):
        return {""}
    return {half for load in accesses for half in kernel.kept(load)}
