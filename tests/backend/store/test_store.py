"""The store: what is kept is found again, and what is damaged never is."""

import json
import logging
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from kernelwright.backend.store.entry import FORMAT, Entry, Versions, digest_of
from kernelwright.backend.store.index import Index, IndexEntry
from kernelwright.backend.store.store import Store

VERSIONS = Versions("2.13.0", "3.7.1")
KEY = "0123456789abcdef"
ENTRY = Entry(
    key=KEY,
    target="sm_90",
    versions=VERSIONS,
    kind="replacement",
    module="# a module",
    replacement="# what runs in its place",
    form="host",
    order=(2, 0, 1),
    arguments=(("in_out_ptr0", 0, 0), ("in_ptr0", 1, -1)),
    certificate={"seeds": 3, "speedup": 1.25},
    name="triton_poi_fused_add_0",
)
FINDING = Entry(key=KEY, target="sm_90", versions=VERSIONS, kind="wrong", operation="aten.gelu")

Logged = pytest.LogCaptureFixture


def found(store: Store, key: str = KEY, **given: str) -> Entry | None:
    return store.find(key, "sm_90", VERSIONS, **given)


def file_of(store: Store, entry: Entry) -> Path:
    (path,) = store.folder.glob(f"entries/*/{entry.digest}.json")
    return path


def warnings(logged: Logged) -> list[str]:
    return [record.getMessage() for record in logged.records if record.levelno >= logging.WARNING]


# What is kept is found ---------------------------------------------------------------------------------------


def test_an_entry_is_found_as_it_was_kept_also_by_another_process_s_store(tmp_path: Path) -> None:
    assert Store.open(tmp_path).put(ENTRY)
    assert found(Store.open(tmp_path)) == ENTRY


@pytest.mark.parametrize(
    "asked",
    [
        ("00000000", "sm_90", VERSIONS),
        (KEY, "sm_80", VERSIONS),
        (KEY, "sm_90", replace(VERSIONS, torch="2.14.0")),
        (KEY, "sm_90", replace(VERSIONS, triton="3.8.0")),
        (KEY, "sm_90", replace(VERSIONS, format=VERSIONS.format + 1)),
    ],
)
def test_an_entry_is_found_for_its_own_key_target_and_versions_alone(
    tmp_path: Path, asked: tuple[str, str, Versions]
) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    assert store.find(*asked) is None


def test_the_replacement_that_was_kept_last_is_found_and_a_pick_finds_its_own(tmp_path: Path) -> None:
    store, other = Store.open(tmp_path), replace(ENTRY, replacement="# another")
    store.put(ENTRY)
    store.put(other)
    assert found(store) == other and found(store, pick=ENTRY.pick) == ENTRY
    store.put(ENTRY)
    assert found(store) == ENTRY and found(store, pick=other.pick) == other
    assert found(store, pick="none of them") is None


def test_a_finding_comes_before_a_replacement(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.put(FINDING)
    store.put(ENTRY)
    assert found(store) == FINDING and list(store.entries()) == [FINDING, ENTRY]


def test_an_entry_that_is_not_trusted_is_not_found(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.put(replace(ENTRY, origin="a.json", trusted=False))
    assert found(store) is None and len(list(store.entries())) == 1


def test_a_removed_entry_is_gone_and_others_stay(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    store.put(FINDING)
    store.remove(FINDING)
    assert found(store) == ENTRY and list(Store.open(tmp_path).entries()) == [ENTRY]


def test_a_pick_is_of_what_runs_not_of_the_certificate() -> None:
    judged_again = replace(ENTRY, certificate={"seeds": 9}, origin="elsewhere.json")
    assert judged_again.pick == ENTRY.pick and judged_again.digest != ENTRY.digest
    assert replace(ENTRY, order=(0, 1, 2)).pick != ENTRY.pick
    assert Entry.parse(ENTRY.text) == ENTRY and Entry.parse(ENTRY.text).digest == ENTRY.digest


@pytest.mark.parametrize(
    "changed", [{"key": "../../etc"}, {"kind": "wrong"}, {"form": ""}, {"replacement": ""}, {"operation": "aten.add"}]
)
def test_what_is_no_entry_is_refused(changed: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        replace(ENTRY, **changed)


# What is damaged never is ------------------------------------------------------------------------------------


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    place = content.index(b"what runs")
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize("damage", [cut, flipped, lambda _: b"", lambda _: b"\xff\xfe", lambda content: content + b" "])
def test_a_damaged_file_goes_to_the_quarantine_with_one_warning(tmp_path: Path, damage, caplog: Logged) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    path = file_of(store, ENTRY)
    path.write_bytes(damage(path.read_bytes()))
    assert found(store) is None and found(store) is None and found(Store.open(tmp_path)) is None
    assert not path.exists() and (tmp_path / "quarantine" / path.name).exists()
    (line,) = warnings(caplog)
    assert line.startswith(f"{path} is damaged") and "\n" not in line and "quarantine" in line
    store.put(ENTRY)
    assert found(store) == ENTRY


def test_the_earlier_replacement_runs_where_the_last_one_is_damaged(tmp_path: Path) -> None:
    store, other = Store.open(tmp_path), replace(ENTRY, replacement="# another")
    store.put(ENTRY)
    store.put(other)
    file_of(store, other).write_text("{}")
    assert found(store) == ENTRY


@pytest.mark.parametrize("opened", [True, False], ids=["while it is open", "before it is opened"])
def test_a_damaged_index_is_made_anew_from_the_files(tmp_path: Path, opened: bool, caplog: Logged) -> None:
    store = Store.open(tmp_path)
    last = replace(ENTRY, replacement="# another")
    store.put(ENTRY)
    store.put(last)
    store.close()
    (tmp_path / "index-3.db").write_bytes(b"no index" * 1000)
    if not opened:
        store = Store.open(tmp_path)
    assert found(store) == last and found(store, pick=ENTRY.pick) == ENTRY
    (line,) = warnings(caplog)
    assert "index" in line and "damaged" in line
    assert store.put(FINDING) and found(Store.open(tmp_path)) == FINDING


def test_a_folder_that_somebody_removes_is_an_empty_store(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store")
    store.put(ENTRY)
    shutil.rmtree(tmp_path / "store")
    assert found(store) is None
    assert store.put(ENTRY) and found(store) == ENTRY and found(Store.open(tmp_path / "store")) == ENTRY


def test_a_removed_index_is_made_anew(tmp_path: Path) -> None:
    store, other = Store.open(tmp_path), replace(ENTRY, key="ff" * 8)
    store.put(ENTRY)
    for path in tmp_path.glob("index-3.db*"):
        path.unlink()
    assert store.put(other) and found(store) == ENTRY
    assert found(Store.open(tmp_path)) == ENTRY and found(Store.open(tmp_path), other.key) == other


@pytest.mark.parametrize("page", range(1, 6))
def test_an_index_with_a_damaged_page_never_gives_a_wrong_entry(tmp_path: Path, page: int) -> None:
    """What SQLite does not notice is a row that does not fit its file; `verify` mends it."""
    store = Store.open(tmp_path)
    entries = [replace(ENTRY, key=f"{number:016x}") for number in range(60)]
    for one in entries:
        store.put(one)
    store.close()
    with (tmp_path / "index-3.db").open("r+b") as file:
        assert file.seek(0, 2) > 6 * 4096
        file.seek(page * 4096 + 2000)
        file.write(b"\x7f" * 1500)
    store = Store.open(tmp_path)
    assert all(found(store, one.key) in (one, None) for one in entries)
    assert set(store.verify().sound) == set(entries)
    store.verify()
    assert all(found(Store.open(tmp_path), one.key) == one for one in entries)


def test_an_entry_of_a_kind_that_is_not_known_is_left_alone(tmp_path: Path, caplog: Logged) -> None:
    store = Store.open(tmp_path)
    store.put(FINDING)
    # As a version wrote it that knew such entries: the file, and a row in the index.
    known = {"key": "ab" * 32, "kind": "choice", "operation": "", "replacement": '{"template": "mm"}'}
    text = json.dumps(json.loads(FINDING.text) | known, sort_keys=True, separators=(",", ":"))
    digest = digest_of(text)
    path = tmp_path / "entries" / digest[:2] / f"{digest}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    row = replace(IndexEntry.of(FINDING), digest=digest, key=known["key"], kind="choice", pick="cd" * 32)
    with closing(Index(tmp_path / f"index-{FORMAT}.db")) as index:
        index.add(row)
    for again in (store, Store.open(tmp_path)):
        assert found(again, known["key"]) is None and not again.candidates(known["key"], "sm_90", VERSIONS)
        assert found(again) == FINDING and list(again.entries()) == [FINDING]
        checked = again.verify()
        assert checked.sound == [FINDING] and not checked.damaged and path.exists()
    for file in tmp_path.glob("index-3.db*"):
        file.unlink()
    again = Store.open(tmp_path)
    assert list(again.entries()) == [FINDING] and again.verify().sound == [FINDING]
    assert path.read_text() == text and not warnings(caplog)


def test_an_entry_of_another_format_is_left_to_the_release_that_wrote_it(tmp_path: Path, caplog: Logged) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    text = json.dumps(json.loads(ENTRY.text) | {"versions": {"format": FORMAT + 1, "torch": "2.13.0"}, "new": 1})
    path = tmp_path / "entries" / "ab" / f"{digest_of(text)}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    for again in (store, Store.open(tmp_path)):
        checked = again.verify()
        assert checked.sound == [ENTRY] and not checked.damaged and path.exists()
    for index in tmp_path.glob("index-3.db*"):
        index.unlink()
    assert list(Store.open(tmp_path).entries()) == [ENTRY] and path.exists() and not warnings(caplog)
