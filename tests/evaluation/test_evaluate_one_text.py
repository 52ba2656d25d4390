"""What is judged is what runs: no character makes two readers of a program see two programs."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.text import BREAKS, one_reading, text_lines

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(100)]\n\n\ndef get_init_inputs():\n    return []\n",
    "double",
).reference

BREAK_NAMES = {"\v": "vt", "\f": "ff", "\x1c": "fs", "\x1d": "gs", "\x1e": "rs", "\x85": "nel"} | {
    "\u2028": "ls",
    "\u2029": "ps",
}


def program(above: str = "", inside: str = "", after: str = "", factor: str = "2.0") -> str:
    """A program that doubles, with text above its kernel, as a line of it, and at the end of another line."""
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl

{above}
@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
{inside}
    tl.store(y_ptr + i, x * 2.0, mask=i < n){after}
    tl.store(y_ptr + i, x * {factor}, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        k[(2,)](x, y, x.numel(), BLOCK=64)
        return y
"""


DECOY = '''NOTE = """{breaks}(
@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2.0, mask=i < n)
"""'''


@pytest.fixture(scope="module")
def any_python() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False
    ) as evaluator:
        yield evaluator


@pytest.fixture(scope="module")
def closed() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False) as evaluator:
        yield evaluator


@pytest.mark.parametrize("mark", sorted(BREAKS), ids=lambda mark: BREAK_NAMES[mark])
def test_in_a_comment_such_a_character_hides_no_statement(mark: str, closed: LocalEvaluator) -> None:
    """The kernel's last line makes it wrong, and is cut off where the comment's character counts as the end of a
    line."""
    wrong = closed.evaluate_text(program(inside=f"    # a note{mark}", factor="3.0"), REFERENCE, RUNGS)
    assert wrong.status is Status.MISMATCH, wrong
    module = parse_module(program(after=f"  # a note{mark}"), reference=REFERENCE)
    assert BREAKS.isdisjoint(module.kernels[0].source)


@pytest.mark.parametrize("mark", sorted(BREAKS), ids=lambda mark: BREAK_NAMES[mark])
def test_in_a_string_such_a_character_is_refused(mark: str) -> None:
    with pytest.raises(DialectError, match="take for the end of a line"):
        parse_module(program(above=DECOY.format(breaks=mark * 10)), reference=REFERENCE)
    escaped = program(above=f"NOTE = {'a' + mark + 'b'!a}")
    assert parse_module(escaped, reference=REFERENCE).constants


@pytest.mark.parametrize("mark", ["\f", "\u2028"], ids=["ff", "ls"])
def test_without_the_dialect_the_kernel_that_was_parsed_runs(mark: str, any_python: LocalEvaluator) -> None:
    """A string holds a right kernel of that name, as many lines above the wrong one as it has such characters."""
    hidden = program(above=DECOY.format(breaks=mark * 9), factor="3.0")
    assert any_python.evaluate_text(hidden, REFERENCE, RUNGS).status is Status.MISMATCH
    cut = program(inside=f"    # a note{mark}", factor="3.0")
    assert any_python.evaluate_text(cut, REFERENCE, RUNGS).status is Status.MISMATCH


def test_page_breaks_between_definitions_are_harmless(any_python: LocalEvaluator, closed: LocalEvaluator) -> None:
    text = program(above="\f\n\n\f", inside="    # kept\f", after="  \f").replace("class", "\fclass")
    for evaluator in (any_python, closed):
        verdict = evaluator.evaluate_text(text, REFERENCE, RUNGS)
        assert verdict.ok, verdict


def test_other_line_ends_are_those_of_the_parser(closed: LocalEvaluator) -> None:
    for end in ("\r\n", "\r"):
        wrong = program(inside="    # a note", factor="3.0").replace("\n", end)
        assert closed.evaluate_text(wrong, REFERENCE, RUNGS).status is Status.MISMATCH
        assert (
            parse_module(wrong, reference=REFERENCE).kernels
            == parse_module(wrong.replace(end, "\n"), reference=REFERENCE).kernels
        )


def test_lines_are_cut_as_syntax_trees_count_them() -> None:
    text = "a\fb\nc\u2028d\r\ne\x85\rf"
    assert text_lines(text) == ["a\fb", "c\u2028d", "e\x85", "f"]
    assert "".join(text_lines(text, keep_ends=True)) == text
    assert text_lines("a\n", keep_ends=True) == ["a\n"]
    assert text_lines("a\n") == ["a", ""]


def test_the_first_reading_is_the_only_one() -> None:
    assert one_reading("x = 1  # \f\n  \fy = 2\n") == ("x = 1  #  \ny = 2\n", None)
    assert one_reading("x = 1\ny = 'a\u2028'\n") == ("x = 1\ny = 'a\u2028'\n", (2, 6))
    assert one_reading("x = (\f\n")[1] is not None  # no tokens: all of it is code
    assert one_reading("x = '\u2029'")[1] == (1, 5)


@pytest.mark.parametrize("digits", [20, 3600, 20000])
@pytest.mark.parametrize("place", ["inside", "above"])
def test_numbers_longer_than_any_integer_of_a_tensor_are_refused(digits: int, place: str) -> None:
    number = "0x" + "f" * digits
    line = f"    z = {number}" if place == "inside" else f"BIG = {number}"
    with pytest.raises(DialectError, match=f"a number of {4 * digits} bits"):
        parse_module(program(**{place: line}), reference=REFERENCE)


def test_the_longest_number_of_a_tensor_is_taken() -> None:
    assert parse_module(program(above="MOST = 0xffffffffffffffff"), reference=REFERENCE).constants
