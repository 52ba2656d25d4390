"""What PyTorch, Dynamo and Inductor refuse, in words about the program: why, at which line, and what to do."""

import linecache
import re

from kernelwright.frontend.problem import line_in_text
from kernelwright.ir.errors import LoweringError

_SPLIT = "write its steps as tensor operations, or compile the rest of the model without it"
#: What a library's text holds -> what that means, and the way out.
_REASONS = {
    "RNN, GRU, or LSTM": ("a recurrent layer (nn.RNN, nn.GRU or nn.LSTM) is not lowered", _SPLIT),
    "Data-dependent branching": (
        "which way the program goes depends on the values of a tensor",
        "compute both sides and choose with torch.where",
    ),
    "DynamicOutputShapeException": (
        "the size of a result depends on the values of a tensor",
        "keep sizes fixed, for example with a mask and torch.where",
    ),
    "DataDependentOutputException": (
        "the program reads a number out of a tensor (.item(), int(…) or the like)",
        "keep that number a tensor",
    ),
}
_OTHER = ("the program does more than one graph of tensor operations can hold", _SPLIT)
_PLACE = re.compile(
    r'File "(?P<file><kernelwright reference #\d+>|beside_[^"]+)", line (?P<line>\d+), in (?P<function>\w+)\n'
    r"\s*(?P<code>[^\n]*)"
)

#: How PyTorch tells that memory is lacking, on a CPU and on a GPU.
_ALLOCATION = re.compile(r"tried to allocate (?P<bytes>\d+) bytes|Tried to allocate (?P<told>[\d.]+ .iB)")


def too_large(error: BaseException, name: str) -> LoweringError | None:
    """PyTorch's error in our words, where memory is lacking; else None."""
    found = _ALLOCATION.search(str(error))
    if found is None:
        return None
    size = found["told"] or f"{int(found['bytes']) / 2**30:.1f} GB"
    return LoweringError(
        f"{name}: the program asks for a tensor of {size}, more memory than is free; make the sizes in it smaller "
        "(import.shrink=always does that for the sizes in get_inputs and get_init_inputs)"
    )


def refusal(error: BaseException, library: str) -> LoweringError:
    """The error in our words, the library's first line below."""
    text = str(error)
    told = f"{type(error).__name__} {type(getattr(error, 'inner_exception', None)).__name__} {text}"
    reason, way_out = next((said for mark, said in _REASONS.items() if mark in told), _OTHER)
    first = next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)
    return LoweringError(f"the program cannot be lowered: {reason}{_place(text)}; {way_out}\n  {library}: {first}")


def _place(text: str) -> str:
    """Where in the program that is, as far as the library tells."""
    places = list(_PLACE.finditer(text))
    if not places:
        return ""
    last = places[-1]
    file, line = last["file"], int(last["line"])
    name = "" if file.startswith("<") else f" of {file.partition('/')[2]}"
    return f" (line {line_in_text(line, linecache.getlines(file))}{name}, {last['function']}: `{last['code'].strip()}`)"
