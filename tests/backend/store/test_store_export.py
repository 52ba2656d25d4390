"""Kernels for use elsewhere: packages that run without the project, and archives that are refused where damaged."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sample_modules

from kernelwright.backend.store.archive import read_archive, write_archive
from kernelwright.backend.store.entry import FORMAT, Entry, Versions, digest_of
from kernelwright.backend.store.package import functions, write_hub_folder, write_package
from kernelwright.ir.errors import UserError
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

VERSIONS = Versions("2.13.0", "3.7.1")


def entry(module: KernelModule, name: str, **given: object) -> Entry:
    key = hashlib.sha256(name.encode()).hexdigest()
    made = Entry(key, "interpreter", VERSIONS, "replacement", print_module(module), "# a text", "kernel", name=name)
    return replace(made, **given)


#: One has a name that its own kernel has as well, a weight and a helper; the other a name that is no Python name.
_SUM = sample_modules.column_sum(8, 40, 16, 8)
ENTRIES = (
    entry(sample_modules.add_relu(4, 24, 32, 1), "add_relu", certificate={"quoted": 'a """ and a \\'}),
    entry(replace(_SUM, reference=replace(_SUM.reference, returns="tuple")), "column.sum"),
)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A package and a folder for `kernels`."""
    place = tmp_path_factory.mktemp("exported")
    made = functions(ENTRIES)
    write_package(made, place / "package", "some_kernels")
    write_hub_folder(made, place / "folder", "some_kernels")
    yield place / "package", place / "folder"


def without_the_project(folder: Path) -> Path:
    """A folder of everything that is installed here but the project."""
    folder.mkdir()
    for place in map(Path, sys.path):
        if place.name in ("site-packages", "dist-packages"):
            for one in place.iterdir():
                ours = "kernelwright" in one.name.lower() or one.name.startswith("__editable__")
                if not ours and one.suffix != ".pth" and not (folder / one.name).exists():
                    (folder / one.name).symlink_to(one)
    return folder


def test_what_is_exported_runs_without_the_project(exported: tuple[Path, Path], tmp_path: Path) -> None:
    """In the environment of `CLEAN_PYTHON`, as `make exports` names one; without it, in this one less the project."""
    other = os.environ.get("CLEAN_PYTHON")
    command = [other, "-I"] if other else [sys.executable, "-I", "-S"]
    installed = tmp_path / "none" if other else without_the_project(tmp_path / "installed")
    given = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command += [str(Path(__file__).parent / "use_exports.py"), *map(str, exported), str(installed)]
    done = subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    *refused, kernelized = done.stdout.splitlines()
    assert refused == [
        "x: the kernel takes torch.float32 of shape (4, 24), and this is torch.float64 of shape (4, 24)",
        "x: the kernel takes torch.float32 of shape (4, 24), and this is torch.float32 of shape (2, 24)",
        "x: the kernel takes strides (24, 1), and these are (1, 4)",
        "x: the kernel has no gradient; call it under torch.no_grad(), or detach the tensor",
    ]
    assert kernelized in ("kernelize runs the layer", "the package kernels is not installed")


def test_the_folder_says_what_its_files_hold(exported: tuple[Path, Path]) -> None:
    """As `kernels` checks it: the digest of every file but that of the metadata, which has the fields it asks for."""
    for backend in ("cpu", "cuda"):
        variant = exported[1] / "build" / f"torch-{backend}"
        metadata = json.loads((variant / "metadata.json").read_text())
        files = {path.name: path.read_bytes() for path in variant.glob("*.py")}
        digests = {name: base64.b64encode(hashlib.sha256(text).digest()).decode() for name, text in files.items()}
        assert metadata["digest"] == {"algorithm": "sha256", "files": digests}
        assert metadata["backend"] == {"type": backend} and metadata["name"] == "some-kernels"
        assert metadata.keys() >= {"id", "version", "license", "python-depends"} and metadata["id"].isidentifier()


def test_kernels_for_a_gpu_are_for_cuda_and_its_architecture(tmp_path: Path) -> None:
    write_hub_folder(functions([replace(ENTRIES[0], target="sm_90")]), tmp_path / "folder", "some_kernels")
    (variant,) = (tmp_path / "folder" / "build").iterdir()
    metadata = json.loads((variant / "metadata.json").read_text())
    assert variant.name == "torch-cuda" and metadata["backend"] == {"type": "cuda", "archs": ["9.0"]}


def test_two_kernels_of_one_name_are_two_functions() -> None:
    twice = [
        ENTRIES[0],
        replace(ENTRIES[0], certificate={}),
        replace(ENTRIES[0], name=""),
        replace(ENTRIES[1], name="check"),
    ]
    names = [one.name for one in functions(twice)]
    assert names == ["add_relu", "add_relu_2", f"kernel_{ENTRIES[0].key[:8]}", "check_2"]


FINDING = Entry("0123456789abcdef", "sm_90", VERSIONS, "wrong", operation="aten.gelu")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "there is no kernel to export"),
        ([FINDING], "says that aten.gelu is wrong; there is no kernel to export"),
        ([replace(ENTRIES[0], trusted=False)], "imported and not judged"),
    ],
)
def test_what_cannot_be_exported_is_refused(given: list[Entry], message: str) -> None:
    with pytest.raises(UserError, match=message):
        functions(given)


def test_a_place_that_cannot_be_written_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    made = functions(ENTRIES)
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("")
    for place, message in (("there", "is there already"), ("file/package", "cannot be written")):
        with pytest.raises(UserError, match=message):
            write_package(made, tmp_path / place, "some_kernels")
    with pytest.raises(UserError, match=r"name=Some-Kernels: a package's name has small letters"):
        write_package(made, tmp_path / "new", "Some-Kernels")
    with pytest.raises(UserError, match="the kernels are for interpreter and sm_90; name one of them with target="):
        write_hub_folder(functions([ENTRIES[0], replace(ENTRIES[1], target="sm_90")]), tmp_path / "new", "some_kernels")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "there"]


# Archives ----------------------------------------------------------------------------------------------------


def test_an_archive_gives_back_entries_that_say_where_they_came_from_and_are_not_trusted(tmp_path: Path) -> None:
    path, again = tmp_path / "shared.zip", tmp_path / "again.zip"
    given = (*ENTRIES, replace(ENTRIES[1], origin="earlier.zip", trusted=True))
    assert write_archive(given, path) == 2 and write_archive(reversed(given), again) == 2
    assert path.read_bytes() == again.read_bytes()
    wanted = {replace(one, origin="shared.zip", trusted=False) for one in ENTRIES}
    assert set(read_archive(path)) == wanted


OTHER_FORMAT = json.dumps(json.loads(ENTRIES[0].text) | {"versions": {"format": FORMAT + 1}})
OTHER_KIND = json.dumps(json.loads(ENTRIES[0].text) | {"kind": "choice"})


def rewritten(path: Path, change: dict[str, bytes]) -> None:
    """The archive with other files of these names."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()} | change
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({f"{ENTRIES[0].digest}.json": ENTRIES[0].text.replace("add_relu", "add_r3lu").encode()}, "is damaged"),
        ({f"{ENTRIES[0].digest}.json": b"\xff\xfe"}, "is damaged"),
        ({f"{hashlib.sha256(b'{}').hexdigest()}.json": b"{}"}, "is damaged"),
        ({f"{digest_of(OTHER_FORMAT)}.json": OTHER_FORMAT.encode()}, f"is of format {FORMAT + 1}, and this release"),
        ({f"{digest_of(OTHER_KIND)}.json": OTHER_KIND.encode()}, "is of kind 'choice', which this release"),
        ({"../../evil.json": b"{}"}, "is no archive of kernels"),
        ({"notes.txt": b"hello"}, "is no archive of kernels"),
    ],
)
def test_an_archive_with_anything_else_in_it_is_refused_whole(
    tmp_path: Path, change: dict[str, bytes], message: str
) -> None:
    path = tmp_path / "shared.zip"
    write_archive(ENTRIES, path)
    rewritten(path, change)
    with pytest.raises(UserError, match=message) as told:
        read_archive(path)
    assert str(path) in str(told.value) and "\n" not in str(told.value)


def test_a_damaged_archive_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "shared.zip"
    with pytest.raises(UserError, match="No such file"):
        read_archive(path)
    write_archive(ENTRIES, path)
    content = path.read_bytes()
    for damaged in (content[:100], b"", content[:60] + bytes([content[60] ^ 1]) + content[61:]):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match=r"^[^\n]*shared\.zip[^\n]*damaged[^\n]*$"):
            read_archive(path)
    with pytest.raises(UserError, match="there is no entry to export"):
        write_archive([], path)
    with pytest.raises(UserError, match="cannot be written"):
        write_archive(ENTRIES, tmp_path / "gone" / "shared.zip")
