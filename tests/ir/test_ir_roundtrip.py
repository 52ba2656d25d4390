"""Printing and parsing are inverses for every module that verifies."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from strategies import modules

from kernelwright.ir.errors import DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import verify

GOLDEN = Path(__file__).parents[1] / "golden" / "printer" / "softmax.py"


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(modules())
def test_verified_modules_survive_printing(module: KernelModule) -> None:
    diagnostics = verify(module)
    event("sound" if not diagnostics else diagnostics[0].message[:60])
    if diagnostics:
        return
    text = print_module(module)
    again = parse_module(text)
    assert again == module and repr(again) == repr(module)
    assert print_module(again) == text
    compile(text, "module", "exec")


def test_golden_text_is_reproduced() -> None:
    text = GOLDEN.read_text("utf-8")
    module = parse_module(text)
    assert verify(module) == () and print_module(module) == text
    assert module.level.name == "TUNED" and module.kernels[0].covers == ("aten._softmax",)


def test_numerics_are_printed_where_they_are_not_ieee() -> None:
    text = GOLDEN.read_text("utf-8")
    module = parse_module(text)
    loose = replace(module, reference=replace(module.reference, numerics="torch"))
    assert loose.digest != module.digest and '"numerics": "torch"' in print_module(loose)
    assert parse_module(print_module(loose)) == loose
    with pytest.raises(DialectError, match="numerics is one of ieee, torch, tf32, bf16"):
        parse_module(print_module(loose).replace('"numerics": "torch"', '"numerics": "fp8"'))


def test_printed_modules_run(tmp_path: Path) -> None:
    triton = pytest.importorskip("triton")
    text = print_module(parse_module(GOLDEN.read_text("utf-8")))
    path = tmp_path / "module.py"
    path.write_text(text, "utf-8")
    namespace: dict[str, object] = {"__name__": "module", "__file__": str(path)}
    exec(compile(text, str(path), "exec"), namespace)
    assert isinstance(namespace["row_softmax"], triton.JITFunction) and callable(namespace["forward"])
