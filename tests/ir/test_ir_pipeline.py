"""Pipelines: spellings that convert into one another, errors with carets, and the checks of a run."""

# ruff: noqa: ARG002 (passes take a context whether or not they use it)

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelwright.ir.errors import PassError, SpecError, UserError
from kernelwright.ir.instruments import Instrument
from kernelwright.ir.passes import REGISTRY, Context, Pass
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.ir.spec import pass_options
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Level, Record, Reference, TensorSpec

KERNEL = """@triton.jit
def double(x_ptr, out_ptr, XBLOCK: tl.constexpr):
    index = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tl.store(out_ptr + index, tl.load(x_ptr + index, index < 64) * 2, index < 64)"""
HOST = """def forward(x: "f32[64]"):
    out = torch.empty_strided((64,), (1,), device=x.device, dtype=torch.float32)
    double[(1,)](x, out, **double_meta)
    return out"""
SOURCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.rand(64)]


def get_init_inputs():
    return []
"""
X = TensorSpec.contiguous("x", "f32", (64,))
MODULE = KernelModule("double", Reference(SOURCE, "Model", (X,), (), (replace(X, name="out"),)))


@dataclass(frozen=True)
class _Lower(Pass):
    """Writes the kernel above."""

    name: ClassVar[str] = "t-lower"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TRITON
    symbol: str = "double"
    block: int = 64
    scale: float = 1.0
    fast: bool = False

    def __post_init__(self) -> None:
        if self.block == 13:
            raise UserError("block must not be 13")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        kernel = Kernel(self.symbol, KERNEL, (("XBLOCK", self.block),))
        return replace(module, kernels=(kernel,), launcher=Launcher(HOST))


@dataclass(frozen=True)
class _Block(Pass):
    """Changes the block size; with `block=0`, nothing."""

    name: ClassVar[str] = "t-block"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    block: int = 0

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        if not self.block:
            return replace(module, provenance=(*module.provenance, Record("noise", "")))
        return replace(module, kernels=(replace(module.kernels[0], meta=(("XBLOCK", self.block),)),))


@dataclass(frozen=True)
class _Bad(Pass):
    """Breaks the rules in one way or another."""

    name: ClassVar[str] = "t-bad"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    way: str = "raise"

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        assert module.launcher is not None
        match self.way:
            case "raise":
                raise RuntimeError("boom")
            case "reference":
                return replace(module, reference=replace(module.reference, entry="Other"))
            case "level":
                return replace(module, kernels=(), launcher=None)
            case _:
                return replace(module, launcher=Launcher(HOST.replace("double[", "missing[")))


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    for cls in (_Lower, _Block, _Bad):
        monkeypatch.setitem(REGISTRY, cls.name, cls)


VALUES = {
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False),
    str: st.text(),
}


def passes(names: tuple[str, ...] = ("t-lower", "t-block", "t-bad")) -> st.SearchStrategy[Pass]:
    classes = {"t-lower": _Lower, "t-block": _Block, "t-bad": _Bad}
    options = {name: {key: VALUES[kind] for key, (kind, _) in pass_options(classes[name]).items()} for name in names}
    chosen = st.sampled_from(names).flatmap(
        lambda name: st.fixed_dictionaries({}, optional=options[name]).map(lambda given: (name, given))
    )
    return chosen.filter(lambda c: c[1].get("block") != 13).map(lambda c: classes[c[0]](**c[1]))


@given(st.lists(passes(), min_size=1, max_size=4).map(lambda found: Pipeline(tuple(found))))
def test_three_spellings_convert_into_one_another(pipeline: Pipeline) -> None:
    assert parse_pipeline(str(pipeline)) == pipeline
    assert Pipeline.from_config(pipeline.to_config()) == pipeline
    assert str(parse_pipeline(str(pipeline))) == str(pipeline)


def test_text_reads_types_spaces_and_quotes() -> None:
    text = ' t-lower { block = 32, scale=2, fast=true, symbol="a, {b}=\\"c\\"" } , t-block '
    assert parse_pipeline(text) == Pipeline((_Lower('a, {b}="c"', 32, 2.0, True), _Block()))
    assert str(parse_pipeline("t-lower{symbol=12}")) == "t-lower{symbol=12}"
    assert parse_pipeline("t-lower{scale=-inf}").passes[0] == _Lower(scale=-math.inf)
    assert parse_pipeline("t-lower{},t-block{block=-3}") == Pipeline((_Lower(), _Block(-3)))


def test_defaults_are_left_out() -> None:
    pipeline = Pipeline((_Lower(block=64, scale=0.5), _Block()))
    assert str(pipeline) == "t-lower{scale=0.5},t-block"
    assert pipeline.to_config() == [{"t-lower": {"scale": 0.5}}, "t-block"]


BAD_TEXT = [
    ("", "", "expected the name of a pass"),
    ("t-lower,", "t-lower,", "expected the name of a pass"),
    ("t-lower,,t-block", "t-lower,", "expected the name of a pass"),
    ("t-lower t-block", "t-lower ", "expected `,` between passes"),
    ("t-lower,t-blok", "t-lower,", "unknown pass 't-blok'; did you mean 't-block'?"),
    ("block", "", "unknown pass 'block'; did you mean 't-block'?"),
    ("megafuse", "", "unknown pass 'megafuse' (passes: "),
    ("t-block,t-lower{size=3}", "t-block,t-lower{", "has no option 'size' (options: symbol, block, scale"),
    ("t-block{block=big}", "t-block{block=", "option block takes an integer, not 'big'"),
    ("t-block{block=1.5}", "t-block{block=", "option block takes an integer, not 1.5"),
    ("t-block{block=true}", "t-block{block=", "option block takes an integer, not true"),
    ('t-block{block="3"}', "t-block{block=", "option block takes an integer, not '3'"),
    ("t-lower{fast=1}", "t-lower{fast=", "option fast takes true or false, not 1"),
    ("t-lower{scale=nan}", "t-lower{scale=", "option scale takes a number, not nan"),
    ("t-lower{block=3", "t-lower{block=3", "expected `,` or `}` (the `{` at column 7 is open)"),
    ("t-lower{", "t-lower{", "expected an option of t-lower or `}`"),
    ("t-lower{block}", "t-lower{block", "expected `=` and a value for option block"),
    ("t-lower{block=}", "t-lower{block=", "expected a value for option block"),
    ("t-lower{block=1,block=2}", "t-lower{block=1,", "option 'block' is given twice"),
    ('t-lower{symbol="ab}', "t-lower{symbol=", "a quoted string that does not end"),
    ("t-block,t-lower{block=13}", "t-block,", "pass t-lower: block must not be 13"),
    ("t-lower}", "t-lower", "expected `,` between passes"),
]


@pytest.mark.parametrize(("text", "before", "message"), BAD_TEXT, ids=[text for text, _, _ in BAD_TEXT])
def test_bad_text_puts_a_caret_under_the_bad_part(text: str, before: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_pipeline(text)
    assert message in caught.value.message
    assert str(caught.value).endswith(f"\n  {text}\n  {' ' * len(before)}^")


BAD_CONFIG = [
    ([], "", "at least one pass"),
    ("t-lower", "", "at least one pass"),
    (["t-lower", 3], "t-lower,", "expected the name of a pass"),
    ([{"t-lower": {}, "t-block": {}}], "", "expected the name of a pass"),
    ([{"t-lower": 3}], "t-lower", "options are {option: value}"),
    (["t-lower", {"t-block": {"block": "3"}}], "t-lower,t-block{block=", "takes an integer, not '3'"),
    ([{"t-lower": {"symbol": False}}], "t-lower{symbol=", "takes a string, not false"),
    ([{"t-lower": {"block": None}}], "t-lower{block=", "takes an integer, not None"),
    ([{"t-lower": {"fast": True, "sizes": 3}}], "t-lower{fast=true,", "has no option 'sizes'"),
    (["t-lover"], "", "did you mean 't-lower'?"),
]


@pytest.mark.parametrize(("config", "before", "message"), BAD_CONFIG, ids=[str(c) for c, _, _ in BAD_CONFIG])
def test_bad_config_points_into_its_text_spelling(config: list, before: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        Pipeline.from_config(config)
    assert message in caught.value.message
    assert caught.value.position == len(before) and caught.value.spec.startswith(before)


def test_without_leaves_every_such_pass_out() -> None:
    pipeline = parse_pipeline("t-block,t-lower,t-block{block=2}")
    assert str(pipeline.without("t-block")) == "t-lower"
    with pytest.raises(UserError, match="no pass 'tune' to leave out"):
        pipeline.without("tune")


def test_run_appends_a_record_for_each_change_alone() -> None:
    result = parse_pipeline("t-lower,t-block,t-block{block=32}").run(MODULE, Context(seed=7))
    lowered = _Lower().run(MODULE, Context())
    assert [(r.pass_spec, r.parent, r.seed) for r in result.provenance] == [
        ("t-lower", MODULE.digest, 7),
        ("t-block{block=32}", lowered.digest, 7),
    ]
    assert result.kernels[0].meta == (("XBLOCK", 32),)
    assert Pipeline().run(MODULE, Context()) is MODULE


def test_a_level_too_low_is_the_users_error() -> None:
    with pytest.raises(UserError, match="reads level triton, but the module is at level torch"):
        parse_pipeline("t-block{block=3}").run(MODULE, Context())


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("raise", "pass t-bad on @double: RuntimeError: boom"),
        ("reference", "it changed the reference"),
        ("level", "it should write level triton but wrote torch"),
        ("launch", "it returned an invalid module"),
    ],
)
def test_a_bad_pass_is_named(way: str, message: str) -> None:
    with pytest.raises(PassError, match=message) as caught:
        parse_pipeline(f"t-lower,t-bad{{way={way}}}").run(MODULE, Context())
    assert "pass t-bad on @double" in str(caught.value)


def test_instruments_see_the_failure_and_the_input() -> None:
    class Log(Instrument):
        events: ClassVar[list[tuple[str, str, str]]] = []

        def failed_pass(self, pass_: Pass, module: KernelModule, error: Exception) -> None:
            self.events.append((pass_.name, str(module.level), type(error).__name__))

    with pytest.raises(PassError):
        parse_pipeline("t-lower,t-bad").run(MODULE, Context(), [Log()])
    assert Log.events == [("t-bad", "triton", "PassError")]


def test_a_context_carries_services_by_their_class() -> None:
    @dataclass(frozen=True)
    class Sizes:
        most: int = 3

    ctx = Context(services=("another",))
    assert ctx.service(Sizes) == Sizes(3)
    again = ctx.having(Sizes(5)).having(Sizes(7))
    assert again.service(Sizes) == Sizes(7) and again.services == ("another", Sizes(7))
