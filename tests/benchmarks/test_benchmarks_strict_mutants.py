"""What counts as killed, and the corpora that mutants are drawn from."""

from dataclasses import replace
from itertools import islice
from types import ModuleType

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.ir.errors import Diagnostic

BENCHMARK = "strict_mutants"


def test_mutants_come_from_the_suite_the_examples_and_fourteen_models(benchmark: ModuleType) -> None:
    found = {corpus: [name for name, _ in make()] for corpus, make in benchmark.CORPORA.items()}
    assert len(found["suite"]) > 50 and "row_softmax" in found["examples"]
    assert len(found["models"]) == 28 and {"unet_bf16", "unet_fp32"} <= set(found["models"])
    kernels = benchmark.CORPORA["models"]()
    modules = dict(kernels)["convnext_bf16"]()
    assert len(modules) == 3 and all(module.launcher is not None for module in modules)


def test_a_seed_draws_the_same_mutants_from_each_corpus_in_turn(benchmark: ModuleType) -> None:
    first, again = (list(islice(benchmark.drawn(3, ["suite", "examples"]), 4)) for _ in range(2))
    assert [one.name for one in first] == [one.name for one in again]
    assert [one.name.partition("/")[0] for one in first] == ["suite", "examples"] * 2
    assert all(one.mutant.module != one.module for one in first)


def test_a_crash_and_a_time_out_kill_nothing_and_equal_ttir_is_no_survivor(benchmark: ModuleType) -> None:
    (one,) = islice(benchmark.drawn(3, ["examples"]), 1)
    same = replace(one, mutant=replace(one.mutant, module=one.module))
    ok = Verdict(Status.OK, Rung.INTERPRET)
    assert benchmark.fate(same, ok, 8) == ("equivalent", "the same TTIR")
    for status, diagnostics, wanted in (
        (Status.MISMATCH, (), "killed"),
        (Status.RUNTIME_ERROR, (Diagnostic("load past the end", 1, 0),), "killed"),
        (Status.RUNTIME_ERROR, (), "no verdict"),
        (Status.TIMEOUT, (), "no verdict"),
        (Status.COMPILE_ERROR, (), "invalid"),
    ):
        verdict = Verdict(status, Rung.INTERPRET, diagnostics=diagnostics)
        assert benchmark.fate(one, verdict, 8)[0] == wanted, status
    rows = {f"suite/{at}": {"fate": fate} for at, fate in enumerate(["killed"] * 3 + ["no verdict", "equivalent"])}
    assert benchmark.summary(rows)["score"] == 0.75
