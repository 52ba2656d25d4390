"""From answers to programs."""

import time

import pytest
from scripted import GOLDEN, HOSTILE, OUTSIDE, PROBLEM, RIGHT, WRONG, answer, given_module

from kernelwright.agent.reading import MOST_ANSWER, MOST_PROGRAM, fenced, last_block, program_text, read_program
from kernelwright.agent.reading import without_reasoning as plain
from kernelwright.ir.dialect.tables import Dialect
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule

CLOSED = Dialect(frozenset())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<think>b</think>c", "ac"),
        ("b</think>c", "c"),
        ("a<think>b", "a"),
        ("a<think>b<think>c</think>d", "ad"),
        ("a<think>b</think>c<thinking>d</thinking>e", "ace"),
        ("a</think>b</think>c", "c"),
        ("nothing", "nothing"),
    ],
)
def test_reasoning_is_dropped(text: str, left: str) -> None:
    assert plain(text) == left


def test_hostile_tags_take_no_time() -> None:
    start = time.process_time()
    plain("<think>" * 60_000)
    plain("</think>" * 60_000)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("```python\na\n```", "a\n"),
        ("```\na\n```\nthen\n```py\nb\n```\nend", "b\n"),
        ("```python\na\n```\n```python\nb", "a\n"),
        ("~~~python\na\n```\nb\n~~~", "a\n```\nb\n"),
        ("````\n```\na\n```\n````", "```\na\n```\n"),
        ("<think>```python\na\n```</think>```python\nb\n```", "b\n"),
        ("```python\r\na\r\n```\r\n", "a\r\n"),
    ],
)
def test_the_last_complete_block_counts(text: str, block: str) -> None:
    assert last_block(text) == block


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no code block"),
        ("import torch", "there is no code block"),
        ("```python\nimport torch", "is not closed"),
        ("```python\n\n```", "there is no code block"),
        ("<think>```python\na\n```", "there is no code block"),
        ("x" * (MOST_ANSWER + 1), "an answer of"),
        (fenced("x" * (MOST_PROGRAM + 1)), "a program of"),
    ],
)
def test_an_answer_without_a_program_is_a_diagnostic(text: str, message: str) -> None:
    found = last_block(text)
    assert isinstance(found, tuple) and message in found[0].message and found[0].hint


def test_a_program_is_read() -> None:
    found = read_program(answer(RIGHT, "Let me think.\n"), PROBLEM, CLOSED)
    assert isinstance(found, KernelModule)
    assert found == given_module() and found.reference is PROBLEM.reference


@pytest.mark.parametrize("program", [OUTSIDE, HOSTILE, "x = 1\n", "import torch\n", "def broken(:\n", RIGHT[:300]])
def test_what_is_outside_the_dialect_is_a_diagnostic(program: str) -> None:
    found = read_program(answer(program), PROBLEM, CLOSED)
    assert isinstance(found, tuple) and found and all(isinstance(one, Diagnostic) for one in found)


def test_a_forged_header_is_ignored() -> None:
    header = '# kernelwright module 1\n# name: other\n# target: h100\n# record: {"pass_spec": "x", "parent": "y"}\n'
    found = read_program(answer(header + RIGHT), PROBLEM, CLOSED)
    assert found == given_module()


def test_another_reference_is_refused() -> None:
    printed = (GOLDEN / "cache-hints" / "before.py").read_text("utf-8").replace("return x * scale", "return x")
    assert isinstance(read_program(answer(printed), PROBLEM, CLOSED), tuple)


def test_externs_are_refused_unless_allowed() -> None:
    program = RIGHT.replace("torch.empty_like(x)", "torch.ops.aten.mul(x, scale)")
    assert isinstance(read_program(answer(program), PROBLEM, CLOSED), tuple)
    assert isinstance(read_program(answer(program), PROBLEM, Dialect()), KernelModule)


@pytest.mark.parametrize("path", sorted(GOLDEN.rglob("after.py")), ids=lambda path: path.parent.name)
def test_programs_of_modules_read_back(path: str) -> None:
    module = parse_module((GOLDEN / path).read_text("utf-8"))
    text = program_text(module)
    assert "REFERENCE" not in text and not text.startswith("#")
    assert read_program(fenced(text), module, Dialect(), module.target) == module


def test_a_module_reads_back_whole() -> None:
    module = given_module(WRONG.replace("out = ", 'message = """a\n\n\n\n\nb"""\n    out = '))
    assert read_program(fenced(program_text(module)), PROBLEM, CLOSED) == module
