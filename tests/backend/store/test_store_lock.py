"""The lock of kernels: read as it was written, refused where it is damaged, compared kernel by kernel."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kernelwright.backend.store.entry import Versions
from kernelwright.backend.store.lock import INDUCTORS, Lock, differences, read_lock, write_lock
from kernelwright.ir.errors import UserError

VERSIONS = Versions("2.13.0", "3.7.1")
LOCK = Lock("sm_90", VERSIONS, {"aa11": "5" * 64, "bb22": INDUCTORS})


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "kernelwright.lock"
    path.write_text("an earlier one")
    write_lock(path, LOCK)
    assert read_lock(path) == LOCK and read_lock(path).digest == LOCK.digest
    assert path.stat().st_mode & 0o777 == 0o644 and [*tmp_path.iterdir()] == [path]


def test_the_order_of_picks_makes_no_difference() -> None:
    assert replace(LOCK, picks=dict(reversed(LOCK.picks.items()))).text == LOCK.text
    assert replace(LOCK, picks={}).digest != LOCK.digest


def changed(**new: object) -> str:
    return json.dumps(json.loads(LOCK.text) | new)


@pytest.mark.parametrize(
    "text",
    [
        LOCK.text[:60],
        "[]",
        "{}",
        changed(format=2),
        changed(picks={"aa11": "short"}),
        changed(picks={"aa11": f"{'5' * 64} short"}),
        changed(picks={"../x": INDUCTORS}),
        changed(picks=["aa11"]),
        changed(versions={"torch": "2.13.0"}),
        changed(picks={"aa11": None}),
        b"\xff\xfe",
    ],
)
def test_what_is_no_lock_is_refused_in_one_line(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "kernelwright.lock"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=f"^{re.escape(str(path))} is no lock of kernels: [^\n]+$"):
        read_lock(path)


def test_a_file_that_is_missing_or_cannot_be_written_is_named(tmp_path: Path) -> None:
    for attempt in (lambda path: read_lock(path), lambda path: write_lock(path, LOCK)):
        with pytest.raises(UserError, match=r"gone/kernelwright\.lock: No such file"):
            attempt(tmp_path / "gone" / "kernelwright.lock")


def test_a_lock_says_whom_it_is_for() -> None:
    assert LOCK.why_not("sm_90", VERSIONS) == ""
    assert LOCK.why_not("sm_80", VERSIONS) == "it is for sm_90, and this is sm_80"
    assert "torch 2.14.0" in LOCK.why_not("sm_90", replace(VERSIONS, torch="2.14.0"))


def test_a_kernel_whose_sizes_may_change_has_several_picks(tmp_path: Path) -> None:
    lock = replace(LOCK, picks={"aa11": f"{'5' * 64} {'6' * 64}"})
    write_lock(tmp_path / "a.lock", lock)
    assert read_lock(tmp_path / "a.lock") == lock
    told = "replacements 555555555555 666666666666, and replacement 555555555555"
    assert differences(lock, replace(LOCK, picks={"aa11": "5" * 64})) == [f"aa11: {told}"]


def test_locks_are_compared_kernel_by_kernel() -> None:
    assert differences(LOCK, replace(LOCK)) == []
    other = replace(LOCK, picks={"aa11": "6" * 64, "cc33": INDUCTORS})
    assert differences(LOCK, other) == [
        "aa11: replacement 555555555555, and replacement 666666666666",
        "bb22: Inductor's kernel, and no pick",
        "cc33: no pick, and Inductor's kernel",
    ]
    assert differences(LOCK, replace(LOCK, target="sm_80")) == ["it is for sm_90, and this is sm_80"]
