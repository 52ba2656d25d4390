"""Identities of algebra on a program's graph: the same values from fewer operations, rounded otherwise.

`averages.py` says when an average moves inwards, `products.py` and `convolutions.py` what becomes of it there,
`moments.py` how the mean and the variance of the same values are shared. `extrema.py` only leaves out what nobody asks
for, and `fills.py` gives memory that is read before it is written a value: both round nothing. `quotients.py` divides
and `sums.py` counts as eager code does; `places.py` finds numbers that no symbol of 32 bits holds. `written_out.py`
says products and convolutions as plain sums.
"""

from torch.fx import Graph

from kernelwright.frontend.algebra.averages import pull_averages
from kernelwright.frontend.algebra.extrema import drop_places
from kernelwright.frontend.algebra.fills import fill_empty
from kernelwright.frontend.algebra.moments import share_moments
from kernelwright.frontend.algebra.places import outgrow_symbols, start_at_zero
from kernelwright.frontend.algebra.quotients import divide_as_eager
from kernelwright.frontend.algebra.sums import count_constants
from kernelwright.frontend.algebra.written_out import write_out_products

__all__ = [
    "count_constants",
    "divide_as_eager",
    "drop_places",
    "fill_empty",
    "outgrow_symbols",
    "reassociate",
    "start_at_zero",
    "write_out_products",
]


def reassociate(graph: Graph) -> bool:
    """Rewrite a graph of aten operators, each with its value in `meta["val"]`; whether anything was found."""
    found = pull_averages(graph)
    found |= share_moments(graph)
    if found:
        graph.eliminate_dead_code()
        graph.lint()
    return found
