"""Options of settings: bounds and choices are refused with what is allowed, and listed for a reference."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from kernelwright.ir.errors import UserError
from kernelwright.ir.options import check_options, listed, option


@dataclass
class Inner:
    share: float = option(0.5, "a share", at_least=0, below=1)


@dataclass
class Outer:
    count: int = option(1, at_least=1)
    most: int | None = option(None, above=0, at_most=8)
    kind: Literal["a", "b"] = "a"
    names: list[str] = option(["one"], choices=("one", "two"))
    sizes: list[int] = option([], at_least=1)
    on: bool = False
    inner: Inner = field(default_factory=Inner)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Outer(count=0), "x.count=0: out of range, at least 1"),
        (Outer(count=1.5), "x.count=1.5: a whole number is expected"),  # type: ignore[arg-type]
        (Outer(count=True), "x.count=True: a number is expected"),
        (Outer(most=9), "x.most=9: out of range, above 0, at most 8"),
        (Outer(kind="c"), "x.kind=c: choose from a, b"),  # type: ignore[arg-type]
        (Outer(names=["tow"]), "x.names=[tow]: did you mean 'two'? choose from one, two"),
        (Outer(names=[]), "x.names=[]: choose from one, two"),
        (Outer(sizes=[2, 0]), "x.sizes=[2,0]: out of range, at least 1"),
        (Outer(on=1), "x.on=1: true or false is expected"),  # type: ignore[arg-type]
        (Outer(inner=Inner(1.0)), "x.inner.share=1.0: out of range, at least 0, below 1"),
        (Outer(inner=Inner(float("nan"))), "x.inner.share=nan: a finite number is expected"),
    ],
)
def test_what_a_field_does_not_allow_is_refused(wrong: Outer, message: str) -> None:
    with pytest.raises(UserError) as refused:
        check_options(wrong, "x.")
    assert str(refused.value) == message


def test_what_it_allows_passes_and_is_listed() -> None:
    check_options(Outer(count=3, most=8, kind="b", sizes=[1, 2]))
    found = {one.key: one for one in listed(Outer, "x.", {"x.count": "how many"})}
    assert (found["x.count"].kind, found["x.count"].default, found["x.count"].meaning) == (
        "whole number",
        1,
        "how many",
    )
    assert found["x.most"].allowed == "above 0, at most 8" and found["x.most"].kind == "whole number or null"
    assert found["x.kind"].allowed == "a, b" and found["x.names"].default == ["one"]
    assert found["x.inner.share"].allowed == "at least 0, below 1" and found["x.inner.share"].meaning == "a share"
