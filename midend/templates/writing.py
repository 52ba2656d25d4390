"""Index arithmetic as text, with what adds nothing left out."""


def total(*terms: tuple[int, str]) -> str:
    """`4 * a + b + 7` of `(4, "a"), (1, "b"), (7, "")`; terms of size zero vanish, and "0" is the empty sum."""
    texts: list[str] = []
    for factor, name in terms:
        if factor == 0:
            continue
        size = abs(factor)
        text = str(size) if not name else (name if size == 1 else f"{size} * {name}")
        sign = "-" if factor < 0 else "+"
        texts.append(f"{sign} {text}" if texts else (f"-{text}" if factor < 0 else text))
    return " ".join(texts) or "0"


def together(*conditions: str) -> str:
    """The conditions that are not empty, joined by `&`; "" where there is none."""
    return " & ".join(condition for condition in conditions if condition)


def masked(pointer: str, mask: str, other: str = "0.0") -> str:
    """A load, masked where there is a mask."""
    return f"tl.load({pointer}, {mask}, other={other})" if mask else f"tl.load({pointer})"
