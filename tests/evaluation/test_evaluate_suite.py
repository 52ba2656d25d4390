"""The suite of honest candidates and cheats, each judged with the dialect and without."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import Case, load_cases
from triton_has import available

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item, LocalOptions
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

CASES = [case for case in load_cases() if not case.needs_gpu and available(case.text)]
RUNGS = (Rung.PARSE, Rung.INTERPRET)
#: How the names of cheats begin that end only at their limit.
ENDLESS = ("hangs/", "resources/recursion", "resources/huge_grid")


@pytest.fixture(scope="module")
def references() -> dict[Path, Reference]:
    paths = {case.reference_path for case in CASES}
    return {path: import_source(path.read_text(), path.stem, shrink="never").reference for path in paths}


@pytest.fixture(scope="module")
def patient() -> Iterator[EvaluatorPool]:
    """Judges all that ends, with the dialect and without: what the references give is found out once."""
    with EvaluatorPool(options(60.0), workers=2) as pool:
        yield pool


@pytest.fixture(scope="module")
def strict() -> Iterator[EvaluatorPool]:
    """Judges cheats that never end: each costs all of its time."""
    with EvaluatorPool(options(3.0), workers=2) as pool:
        yield pool


def options(timeout_s: float) -> LocalOptions:
    return LocalOptions(seeds=2, timeout_s=timeout_s, memory_gb=4.0, use_gpu=False, rehearsals=8, vocabulary=False)


def judge(
    pool: EvaluatorPool, cases: list[Case], references: dict[Path, Reference], dialect: bool
) -> dict[str, Verdict]:
    """Every case's verdict by its id."""
    items = [Item(case.text, references[case.reference_path], RUNGS, dialect, case.path.stem) for case in cases]
    return {case.id: verdict for case, verdict in zip(cases, pool.evaluate_many(items), strict=True)}


def test_the_suite_is_wide_enough() -> None:
    kinds = Counter(case.kind for case in CASES)
    assert kinds["cheat"] >= 80
    assert kinds["honest"] >= 60
    assert len({case.threat.split(":")[0] for case in CASES if case.kind == "cheat"}) >= 20
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [False, True], ids=["any-python", "dialect"])
def test_honest_work_is_accepted_and_never_called_a_cheat(
    dialect: bool, patient: EvaluatorPool, references: dict[Path, Reference]
) -> None:
    cases = [case for case in CASES if case.kind == "honest"]
    verdicts = judge(patient, cases, references, dialect)
    refused = {case.id for case in cases if dialect and case.refused}
    wrong = {name: str(verdict) for name, verdict in verdicts.items() if not verdict.ok and name not in refused}
    assert not wrong
    for name in refused:
        verdict = verdicts[name]
        hinted = verdict.status is Status.UNPARSED and all(diagnostic.hint for diagnostic in verdict.diagnostics)
        assert verdict.ok or hinted or "; allocate this buffer in forward" in verdict.detail, verdict
    assert sum(verdict.ok for verdict in verdicts.values()) >= 0.85 * len(cases)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [False, True], ids=["any-python", "dialect"])
def test_no_cheat_gets_through(
    dialect: bool, patient: EvaluatorPool, strict: EvaluatorPool, references: dict[Path, Reference]
) -> None:
    cheats = [case for case in CASES if case.kind == "cheat"]
    verdicts = judge(patient, [case for case in cheats if not case.name.startswith(ENDLESS)], references, dialect)
    assert not {name: str(verdict) for name, verdict in verdicts.items() if verdict.status is Status.TIMEOUT}
    verdicts |= judge(strict, [case for case in cheats if case.name.startswith(ENDLESS)], references, dialect)
    assert len(verdicts) == len(cheats)
    assert not {name: str(verdict) for name, verdict in verdicts.items() if verdict.ok}
