"""How long one thread of a kernel keeps its multiprocessor's lanes, counted from its PTX where that has no loop."""

import re

#: Lanes that an instruction takes for a clock, by its name; others take one. Special functions have a quarter of the
#: lanes, a division is a reciprocal and what rounds it. A move is a new name, and an address is the same in each space.
_LANES = {
    **dict.fromkeys(("ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"), 4),
    **dict.fromkeys(("mov", "cvta", "ret", "bra", "pragma"), 0),
    "div": 6,
}
_LABEL = re.compile(r"(\$?\w+):")
_INSTRUCTION = re.compile(r"(?:@!?%p\d+ )?([a-z][\w.]*)\s[^;]*;")
_TARGET = re.compile(r"bra(?:\.uni)?\s+(\$?\w+);")


def lanes_of(ptx: str) -> float | None:
    """Lanes, each for a clock, that one thread takes from the kernel's start to its end; None where there is a loop."""
    total, passed = 0.0, set[str]()
    for line in map(str.strip, ptx[ptx.find(".entry") :].splitlines()):
        if label := _LABEL.match(line):
            passed.add(label[1])
        elif found := _INSTRUCTION.match(line):
            target = _TARGET.search(line)
            if target and target[1] in passed:
                return None
            kind, *kinds = found[1].split(".")
            if "param" not in kinds:
                total += _LANES.get(kind, 1)
    return total
