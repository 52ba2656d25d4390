"""Inputs that are lists, tuples and dictionaries of tensors: each tensor is drawn and compared by itself."""

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError
from kernelwright.ir.host.nesting import arguments_of, takes_of

_REFERENCE = """\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, {takes}):
{forward}

def get_inputs():
    return {inputs}
"""
_CANDIDATE = """\
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * a, mask=i < n)


def scaled(x, a, y):
    k[(triton.cdiv(x.numel(), 32),)](x, y, x.numel(), a, BLOCK=32)
    return y


class ModelNew(nn.Module):
    def forward(self, {takes}):
{forward}
"""
_LIST = ("xs", "[[torch.randn(10), torch.randn(4, 5)]]")
_DICT = ("x, given", "[torch.randn(6), {'w': torch.randn(9), 'more': ([torch.randn(3)], 2.5)}]")
_NEW = "torch.empty_like"
#: Arguments of forward and its inputs; what the reference gives; what a right candidate does, and a wrong one.
TABLE = {
    "list": (
        *_LIST,
        "return [x * 3 for x in xs]",
        f"ys = []\nfor x in xs:\n    ys.append(scaled(x, 3.0, {_NEW}(x)))\nreturn ys",
        f"ys = []\nfor x in xs:\n    ys.append(scaled(xs[0], 3.0, {_NEW}(x)))\nreturn ys",
    ),
    "one of a list": (
        *_LIST,
        "return xs[1] * 2",
        f"return scaled(xs[1], 2.0, {_NEW}(xs[1]))",
        f"return scaled(xs[0], 2.0, {_NEW}(xs[1]))",
    ),
    "in place": (
        *_LIST,
        "xs[0].mul_(2)\nreturn xs[1] * 2",
        f"scaled(xs[0], 2.0, xs[0])\nreturn scaled(xs[1], 2.0, {_NEW}(xs[1]))",
        f"return scaled(xs[1], 2.0, {_NEW}(xs[1]))",
    ),
    "left alone": (
        *_LIST,
        "return xs[1] * 2",
        f"return scaled(xs[1], 2.0, {_NEW}(xs[1]))",
        "return scaled(xs[1], 2.0, xs[1])",
    ),
    "dictionary": (
        *_DICT,
        "a = given['more'][1]\nreturn x * a, given['w'] * a, given['more'][0][0] * a",
        f"w, (rest, a) = given['w'], given['more']\n"
        f"return scaled(x, a, {_NEW}(x)), scaled(w, a, {_NEW}(w)), scaled(rest[0], a, {_NEW}(rest[0]))",
        f"w, (rest, a) = given['w'], given['more']\n"
        f"return scaled(x, a, {_NEW}(x)), scaled(w, a, {_NEW}(w)), scaled(rest[0], 2.0, {_NEW}(rest[0]))",
    ),
}


def _text(template: str, takes: str, forward: str, inputs: str = "") -> str:
    lines = "".join(f"        {line}\n" for line in forward.split("\n"))
    return template.format(takes=takes, forward=lines, inputs=inputs)


@pytest.mark.parametrize("dialect", ["on", "off"])
@pytest.mark.parametrize("name", TABLE)
def test_programs_of_nested_inputs_are_told_apart(name: str, dialect: str) -> None:
    takes, inputs, forward, right, wrong = TABLE[name]
    reference = import_source(_text(_REFERENCE, takes, forward, inputs), "nested", shrink="never").reference
    rungs = (Rung.PARSE, Rung.INTERPRET)
    with LocalEvaluator(seed=5, seeds=1, dialect=dialect == "on") as evaluator:
        verdict = evaluator.evaluate_text(_text(_CANDIDATE, takes, right), reference, rungs)
        assert verdict.ok, verdict
        refused = evaluator.evaluate_text(_text(_CANDIDATE, takes, wrong), reference, rungs)
        assert refused.status is Status.MISMATCH, refused


def test_tensors_have_names_and_are_put_together() -> None:
    takes, inputs = _DICT
    source = _text(_REFERENCE, takes, "return x * given['w'].sum()", inputs)
    found = import_source(source, "nested", shrink="never").reference
    names = [spec.name for spec in found.inputs]
    assert names == ["x", "given_w", "given_more_0_0"]
    nested = takes_of(found.source)
    assert dict(zip(nested, arguments_of(nested, "abc"), strict=True)) == {
        "x": "a",
        "given": {"w": "b", "more": (["c"], 2.5)},
    }
    assert import_source(found.source, "again", shrink="never").reference == found


def test_what_holds_something_else_is_refused() -> None:
    source = _text(_REFERENCE, "xs", "return xs[0] * 2", "[[torch.randn(3), object()]]")
    with pytest.raises(UserError, match=r"an input of get_inputs\(\) holds a object; make it of lists"):
        import_source(source, "nested")
