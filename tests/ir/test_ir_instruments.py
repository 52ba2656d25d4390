"""Instruments: what they print, write, stamp and stop."""

# ruff: noqa: ARG002 (passes take a context whether or not they use it)

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from kernelwright.ir.errors import PassError
from kernelwright.ir.instruments import (
    Declines,
    Diff,
    Dump,
    PrintIrAfter,
    Reproducer,
    Time,
    VerificationFailed,
    Verify,
)
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context, Declined, Pass
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Level, Reference, TensorSpec

KERNEL = """@triton.jit
def scale(x_ptr, out_ptr, XBLOCK: tl.constexpr):
    index = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tl.store(out_ptr + index, tl.load(x_ptr + index, index < 8) * 3, index < 8)"""
HOST = """def forward(x: "f32[8]"):
    out = torch.empty_strided((8,), (1,), device=x.device, dtype=torch.float32)
    scale[(1,)](x, out, **scale_meta)
    return out"""
X = TensorSpec.contiguous("x", "f32", (8,))
SOURCE = "class Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 3\n"
MODULE = KernelModule("scale", Reference(SOURCE, "Model", (X,), (), (replace(X, name="out"),)))


@dataclass(frozen=True)
class _Lower(Pass):
    """Writes the kernel above, or crashes with `block=0`."""

    name: ClassVar[str] = "i-lower"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TRITON
    block: int = 8

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        if not self.block:
            raise RuntimeError("no block")
        kernel = Kernel("scale", KERNEL, (("XBLOCK", self.block),))
        return replace(module, kernels=(kernel,), launcher=Launcher(HOST))


@dataclass(frozen=True)
class _Same(Pass):
    """Changes nothing, and says why."""

    name: ClassVar[str] = "i-same"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        for why in (Declined("it is fine", "scale"), Declined("it is fine", "scale"), Declined("there is one kernel")):
            ctx.declined(why)
        return module


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for cls in (_Lower, _Same):
        monkeypatch.setitem(REGISTRY, cls.name, cls)
    yield


@dataclass(frozen=True)
class _Verdict:
    ok: bool

    def __str__(self) -> str:
        return "ok@run" if self.ok else "mismatch@run: off by one"


class _Judge:
    """Refuses block sizes above `limit` and counts the modules it saw."""

    def __init__(self, limit: int = 64) -> None:
        self.limit, self.seen = limit, 0

    def evaluate(self, module: KernelModule) -> _Verdict:
        self.seen += 1
        return _Verdict(dict(module.kernels[0].meta)["XBLOCK"] <= self.limit)


def run(spec: str, *instruments: object) -> KernelModule:
    return parse_pipeline(spec).run(MODULE, Context(), instruments)  # type: ignore[arg-type]


def test_reasons_stand_with_the_pass_that_gave_them_each_once() -> None:
    text = io.StringIO()
    declines = Declines(text)
    parse_pipeline("i-lower,i-same,i-lower{block=16}").run(MODULE, Context(declined=declines.take), [declines])
    assert text.getvalue() == "i-same @scale: it is fine\ni-same: there is one kernel\n"


def test_verify_stamps_each_change_once() -> None:
    judge = _Judge()
    verify = Verify(judge)
    result = run("i-lower,i-same,i-lower{block=16}", verify)
    assert [record.verdict for record in result.provenance] == ["ok@run", "ok@run"]
    assert judge.seen == 2 and verify.verdicts[result.digest].ok


def test_verify_stops_at_a_bad_module_and_hands_it_over() -> None:
    with pytest.raises(VerificationFailed, match=r"pass i-lower on @scale.*off by one") as caught:
        run("i-lower,i-lower{block=128},i-lower{block=32}", Verify(_Judge()))
    assert caught.value.module.kernels[0].meta == (("XBLOCK", 128),)
    assert caught.value.module.provenance[-1].verdict == "mismatch@run: off by one"
    assert not caught.value.verdict.ok


def test_print_ir_after_prints_the_named_stages() -> None:
    named, every = io.StringIO(), io.StringIO()
    result = run("i-lower,i-same", PrintIrAfter(("i-same",), named), PrintIrAfter(stream=every))
    heads = [line for line in every.getvalue().splitlines() if line.startswith("# ---- after")]
    assert heads == ["# ---- after i-lower", "# ---- after i-same"]
    assert named.getvalue().startswith("# ---- after i-same\n")
    assert parse_module(named.getvalue().split("\n", 1)[1]) == result


def test_diff_shows_changes_alone() -> None:
    out = io.StringIO()
    run("i-lower,i-lower{block=16},i-same", Diff(out))
    lines = out.getvalue().splitlines()
    assert '-scale_meta = {"XBLOCK": 8}' in lines and '+scale_meta = {"XBLOCK": 16}' in lines
    assert "--- before i-same" not in lines


def test_time_measures_every_pass() -> None:
    clock = Time()
    run("i-lower,i-same", clock)
    assert [name for name, _ in clock.seconds] == ["i-lower", "i-same"]
    assert all(0 <= seconds < 10 for _, seconds in clock.seconds)


def test_dump_writes_every_stage_and_they_parse(tmp_path: Path) -> None:
    result = run("i-lower,i-same,i-lower{block=16}", Verify(_Judge()), Dump(tmp_path / "run"))
    names = ["00-import.py", "01-i-lower.py", "02-i-same.py", "03-i-lower.py"]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == names
    assert parse_module((tmp_path / "run" / names[0]).read_text()) == MODULE
    assert parse_module((tmp_path / "run" / names[3]).read_text()) == result


def test_dump_keeps_a_refused_module(tmp_path: Path) -> None:
    with pytest.raises(VerificationFailed):
        run("i-lower{block=128}", Verify(_Judge()), Dump(tmp_path))
    refused = parse_module((tmp_path / "01-i-lower-refused.py").read_text())
    assert refused.kernels[0].meta == (("XBLOCK", 128),)


def test_reproducer_writes_the_input_and_the_command(tmp_path: Path) -> None:
    with pytest.raises(PassError):
        run("i-lower,i-lower{block=0}", Reproducer(tmp_path, ["target=h100"]))
    script = (tmp_path / "reproduce.sh").read_text()
    assert "# pass i-lower on @scale: RuntimeError: no block" in script
    assert "kernelwright opt reproduce.py -p 'i-lower{block=0}' target=h100" in script
    module = parse_module((tmp_path / "reproduce.py").read_text())
    assert module.level is Level.TRITON and len(module.provenance) == 1
    with pytest.raises(PassError, match="no block"):
        Pipeline((_Lower(0),)).run(module, Context())


def test_reproducer_of_a_refusal_verifies(tmp_path: Path) -> None:
    with pytest.raises(VerificationFailed):
        run("i-lower{block=128}", Verify(_Judge()), Reproducer(tmp_path))
    assert "-p 'i-lower{block=128}' --verify\n" in (tmp_path / "reproduce.sh").read_text()
