"""Verdicts as JSON, and the cache of them: what is kept, found again, and left out."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from broken_kernels import DOUBLE, GOOD, ROWS, Broken, vector_host

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluation.judge.cache import VerdictCache, decode_verdict, encode_verdict, is_lasting, verdict_key
from kernelwright.evaluation.pools.pool import Item, LocalOptions, LocalWorker
from kernelwright.evaluation.protocol.answers import Machine
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.values import Record, Resources

OK = Verdict(Status.OK, Rung.INTERPRET, rungs=(Rung.PARSE, Rung.INTERPRET))
FULL = Verdict(
    status=Status.MISMATCH,
    rung=Rung.RUN,
    detail='output out[0]: "1" is not ü\n',
    rungs=(Rung.PARSE, Rung.COMPILE),
    diagnostics=(Diagnostic("m", 3, 4, "x @ y", "write tl.dot", "k"), Diagnostic("n", 1, 0)),
    errors={"rms": 0.1, "max": float("inf")},
    resources={"k": Resources(32, 0, 1024)},
    times_ms={"eager": 3.0, "candidate": 1.5},
    shrunken=True,
    caliber={"device": "interpreter", "passes": 4, "tf32": False, "notes": ["a"], "capability": [9, 0]},
)
KEYS = ["status", "rung", "detail", "diagnostics", "errors", "times", "speedup", "ci", "caliber", "rungs", "resources"]


TIMED = replace(FULL, caliber={"timing": {"speedup": {"eager": 1.2}, "ci": {"eager": [1.1, 1.3]}}})


@pytest.mark.parametrize("verdict", [OK, FULL, TIMED], ids=str)
def test_verdicts_survive_json(verdict: Verdict) -> None:
    content = encode_verdict(verdict)
    assert list(content) == [*KEYS, "shrunken"]
    assert decode_verdict(json.loads(json.dumps(content, allow_nan=False))) == verdict


def test_what_json_says() -> None:
    content = encode_verdict(FULL)
    assert (content["status"], content["rung"], content["rungs"]) == ("mismatch", "run", ["parse", "compile"])
    assert content["diagnostics"][0] == {
        "message": "m",
        "line": 3,
        "column": 4,
        "text": "x @ y",
        "hint": "write tl.dot",
        "kernel": "k",
    }
    assert content["errors"] == {"rms": 0.1, "max": "inf"}
    assert (content["speedup"], content["ci"]) == (2.0, None)
    assert (encode_verdict(OK)["speedup"], encode_verdict(OK)["ci"]) == (None, None)
    assert (encode_verdict(TIMED)["speedup"], encode_verdict(TIMED)["ci"]) == (1.2, [1.1, 1.3])
    nan = decode_verdict(encode_verdict(replace(OK, errors={"rms": float("nan")})))
    assert nan.errors["rms"] != nan.errors["rms"]


@pytest.mark.parametrize(
    ("verdict", "lasting"),
    [
        (OK, True),
        (Verdict(Status.UNPARSED, Rung.PARSE), True),
        (Verdict(Status.MISMATCH, Rung.INTERPRET), True),
        (Verdict(Status.CHEAT, Rung.RUN), True),
        (Verdict(Status.COMPILE_ERROR, Rung.COMPILE, diagnostics=(Diagnostic("m", 1, 0),)), True),
        (Verdict(Status.RUNTIME_ERROR, Rung.INTERPRET, "the program was ended by SIGKILL"), False),
        (Verdict(Status.TIMEOUT, Rung.INTERPRET), False),
        (Verdict(Status.UNSUPPORTED, Rung.INTERPRET, "the reference failed"), False),
        (replace(OK, times_ms={"candidate": 1.0}), False),
        (replace(OK, rung=Rung.TIME), False),
        (replace(OK, rungs=(Rung.PARSE, Rung.PROFILE)), False),
    ],
    ids=str,
)
def test_only_what_another_run_would_find_is_kept(verdict: Verdict, lasting: bool, tmp_path: Path) -> None:
    assert is_lasting(verdict) is lasting
    cache = VerdictCache(tmp_path)
    cache.put("ab" * 32, verdict)
    assert cache.get("ab" * 32) == (verdict if lasting else None)


def test_keys_tell_apart_all_that_matters_and_nothing_else() -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    settings, machine = asdict(LocalOptions()), Machine(False, {"torch": "2.13.0", "triton": "3.7.1"})
    base = ("text", DOUBLE, None, settings, machine)
    others = [
        ("text ", *base[1:]),
        (module, *base[1:]),
        (replace(module, name="other"), *base[1:]),
        ("text", ROWS, *base[2:]),
        ("text", replace(DOUBLE, shrunken=True), *base[2:]),
        ("text", replace(DOUBLE, numerics="torch"), *base[2:]),
        ("text", DOUBLE, (Rung.PARSE,), *base[3:]),
        ("text", DOUBLE, None, asdict(LocalOptions(seeds=4)), machine),
        ("text", DOUBLE, None, asdict(LocalOptions(dialect=False)), machine),
        ("text", DOUBLE, None, settings, Machine(True, machine.facts)),
        ("text", DOUBLE, None, settings, Machine(False, {"torch": "2.14.0", "triton": "3.7.1"})),
    ]
    keys = [verdict_key(*given) for given in (base, *others)]
    assert len(set(keys)) == len(keys)
    stamped = replace(module, provenance=(Record("tune", parent="x", seconds=1.0),))
    assert verdict_key(stamped, *base[1:]) == verdict_key(module, *base[1:])
    rungs = [(Rung.PARSE, Rung.INTERPRET), (Rung.INTERPRET, Rung.PARSE)]
    assert len({verdict_key("text", DOUBLE, order, settings, machine) for order in rungs}) == 1
    assert verdict_key("\ud800", *base[1:]) not in keys  # no UTF-8 has it


@pytest.mark.parametrize("spoilt", [b"", b"{", b"[]", b'{"status": "ok"}', b"\xff\xfe", b'{"status": "good"}', b"null"])
def test_a_spoilt_entry_is_not_there_and_is_mended(spoilt: bytes, tmp_path: Path) -> None:
    cache, key = VerdictCache(tmp_path), "cd" * 32
    cache.put(key, OK)
    (entry,) = tmp_path.rglob("*.json")
    entry.write_bytes(spoilt)
    assert cache.get(key) is None
    cache.put(key, OK)
    assert cache.get(key) == OK
    assert list(tmp_path.rglob("*.json")) == [entry] and not list(tmp_path.rglob("*tmp*"))


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = VerdictCache(tmp_path / "file")
    cache.put("ab" * 32, OK)
    assert cache.get("ab" * 32) is None


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    size = len(json.dumps(encode_verdict(OK)))
    cache = VerdictCache(tmp_path, max_bytes=10 * size)
    keys = [f"{i:02x}" * 32 for i in range(11)]
    for age, key in enumerate(keys[:10]):
        cache.put(key, OK)
        os.utime(tmp_path / key[:2] / f"{key}.json", ns=(age, age))
    assert cache.get(keys[0]) == OK  # used: now the newest
    cache.put(keys[10], OK)
    left = [key for key in keys if cache.get(key) is not None]
    assert left == [keys[0], *keys[3:]]
    for number in range(40):
        cache.put(f"{number:02d}" * 32, OK)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.json")) <= 10 * size


class _Evaluator:
    """Counts what it is asked."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict, self.asked = verdict, 0
        self.machine = Machine(False, {"torch": "2"})
        self.worker_pid = None

    def evaluate_text(self, *_: object) -> Verdict:
        self.asked += 1
        return self.verdict

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("item", "verdict", "asked"),
    [
        (Item("text", DOUBLE, (Rung.PARSE,)), OK, 1),
        (Item("text", DOUBLE, (Rung.PARSE,)), Verdict(Status.TIMEOUT, Rung.PARSE), 3),
        (Item("text", DOUBLE, (Rung.RUN, Rung.TIME)), OK, 3),
    ],
    ids=["lasting", "timeout", "timed"],
)
def test_a_worker_asks_once(
    item: Item, verdict: Verdict, asked: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluator = _Evaluator(verdict)
    monkeypatch.setattr(LocalOptions, "build", lambda *_: evaluator)
    for _ in range(3):
        assert LocalWorker(LocalOptions(), VerdictCache(tmp_path)).judge(item) == verdict
    assert evaluator.asked == asked
    LocalWorker(LocalOptions()).judge(item)
    assert evaluator.asked == asked + 1


def test_what_was_found_while_jobs_were_killed_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator = _Evaluator(Verdict(Status.MISMATCH, Rung.INTERPRET))
    monkeypatch.setattr(LocalOptions, "build", lambda *_: evaluator)
    worker = LocalWorker(LocalOptions(), VerdictCache(tmp_path))
    worker.interrupt()
    worker.judge(Item("text", DOUBLE))
    assert not list(tmp_path.rglob("*.json"))
