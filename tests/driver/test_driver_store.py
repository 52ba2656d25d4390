"""`kernelwright store`: what it prints and does, and one clear line for what it cannot do."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import sample_modules

from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.driver.cli import main
from kernelwright.frontend.swap.key import read
from kernelwright.frontend.swap.replacement import replacement
from kernelwright.frontend.swap.stored import recorded_of, why_not_inductors
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

#: As Inductor writes it.
SOURCE = """
@triton_heuristics.pointwise(
    size_hints={'x': 128},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32',
                               'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cpu'), 'constants': {},
                 'configs': []},
    inductor_meta={'grid_type': 'Grid1D', 'mutated_arg_names': []},
)
@triton.jit
def triton_poi_fused_add_relu_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xnumel = 96
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % 24)
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tmp0 + tmp1
    tmp3 = tl.full([1], 0, tl.int32)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tl.store(out_ptr0 + (x2), tmp4, xmask)
"""


def with_inputs_alone(module: KernelModule) -> KernelModule:
    """The module whose weight is an input, as in what is recorded of a compile."""
    x, bias, out = module.reference.inputs[0], module.reference.state[0].tensor, module.reference.outputs[0]
    return replace(module, reference=sample_modules.reference("torch.relu(x + bias)", [x, bias], out))


MODULE = with_inputs_alone(sample_modules.add_relu(4, 24, 32, 1))
ENTRY = Entry(
    key=read(SOURCE).key,
    target="interpreter",
    versions=Versions.installed(),
    kind="replacement",
    module=print_module(MODULE),
    replacement="# replaced below",
    form="kernel",
    arguments=(("in_ptr0", 0, -1), ("in_ptr1", 1, -1), ("out_ptr0", -1, 0)),
    certificate={"speedup": 1.25},
    name="triton_poi_fused_add_relu_0",
    source=SOURCE,
)


def made(entry: Entry, module: KernelModule = MODULE) -> Entry:
    """The entry with the module, and with what the module gives to run."""
    found = replacement(recorded_of(entry, module), module)
    return replace(entry, module=print_module(module), replacement=found.text, form=found.form, order=found.order)


ENTRY = made(ENTRY)
OLD = replace(ENTRY, replacement="# an earlier one")
STALE = replace(ENTRY, versions=Versions("2.0.0", "2.0.0"), name="stale")
FINDING = Entry("ab" * 32, "interpreter", Versions.installed(), "wrong", operation="aten.gelu")

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The user's store, empty; files are written to the current folder."""
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return Store.open()


def run(*argv: str) -> int:
    return main(["store", *argv])


def test_the_list_says_what_is_used_and_what_is_not(store: Store, capsys: Captured) -> None:
    assert run("list") == 0 and capsys.readouterr().out == f"the kernel store in {store.folder} is empty\n"
    waiting = replace(ENTRY, key="cd" * 32, origin="shared.zip", trusted=False)
    for one in (OLD, ENTRY, STALE, FINDING, replace(ENTRY, key=FINDING.key), waiting):
        store.put(one)
    assert run("list", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["state"] for row in rows] == [
        "replaced",
        "in use",
        "other versions",
        "in use",
        "not used",
        "not judged",
    ]
    assert rows[1]["certificate"] == {"speedup": 1.25} and "module" not in rows[1]
    assert run("list") == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{store.folder}: 2 in use, ") and ENTRY.digest[:12] in out and "aten.gelu is wrong" in out


def test_replacements_for_different_sizes_are_in_use_side_by_side(store: Store, capsys: Captured) -> None:
    for sizes in ((8, 9), (64, 65), (8, 12)):
        store.put(replace(ENTRY, sizes=(("xnumel", sizes),)))
    assert run("list", "--json") == 0
    assert [row["state"] for row in json.loads(capsys.readouterr().out)] == ["replaced", "in use", "in use"]


def test_an_entry_is_shown_by_its_digest_or_its_key(store: Store, capsys: Captured) -> None:
    store.put(OLD)
    store.put(ENTRY)
    assert run("show", ENTRY.digest[:6]) == 0
    out = capsys.readouterr().out
    assert (
        "state: in use" in out
        and "triton_heuristics.fixed_config" in out
        and "def add_relu(" in out
        and "# an earlier one" not in out
    )
    assert run("show", ENTRY.key[:8], "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["replacement"] for row in shown] == ["# an earlier one", ENTRY.replacement]


def test_entries_are_removed(store: Store, capsys: Captured) -> None:
    for one in (OLD, ENTRY, STALE):
        store.put(one)
    assert run("remove", OLD.digest[:12]) == 0 and list(store.entries()) == [ENTRY, STALE]
    assert run("remove", ENTRY.key) == 0 and list(store.entries()) == []
    assert capsys.readouterr().out.splitlines()[-1] == f"{store.folder}: 2 removed"


def test_gc_removes_entries_for_other_versions(store: Store, capsys: Captured) -> None:
    store.put(STALE)
    store.put(ENTRY)
    assert run("gc") == 0 and run("gc", "days=0") == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "0 files removed" in first and "1 files removed" in second and list(store.entries()) == [ENTRY]


def without_floor(module: KernelModule) -> KernelModule:
    """A module that gives something else."""
    kernel = replace(module.kernels[0], source=module.kernels[0].source.replace("0.0", "0.5"))
    return replace(module, kernels=(kernel, *module.kernels[1:]))


def of(source: str) -> Entry:
    """The entry for another kernel of Inductor's."""
    return made(replace(ENTRY, source=source, key=read(source).key))


#: What is wrong with an entry, and why it is refused.
REFUSED = {
    "its module": (made(ENTRY, without_floor(MODULE)), "its module is refused: mismatch"),
    "its key": (replace(ENTRY, key="ef" * 32), "its key is not that of Inductor's kernel in it"),
    "what runs": (replace(ENTRY, replacement=ENTRY.replacement.replace("rectify(x", "rectify(-x")), "what runs is not"),
    "its reference": (of(SOURCE.replace("tmp0 + tmp1", "tmp0 - tmp1")), "Inductor's kernel in it does not compute"),
    "its arguments": (replace(ENTRY, arguments=()), "it cannot be judged: the entry does not say which argument"),
    "no kernel": (replace(ENTRY, source="x = 1"), "Inductor's kernel in it is not one that is replaced"),
    "its header": (of(f"import os\n{SOURCE}"), "Inductor does not write such a kernel: it has `import os`"),
}


@pytest.mark.slow
def test_what_is_exported_is_imported_elsewhere_and_judged_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """A right entry is used from then on; the others are removed, or wait for a GPU."""
    gpu = replace(ENTRY, target="sm_90")
    wrong = [one for one, _ in REFUSED.values()]
    for one in (ENTRY, *wrong, gpu, FINDING):
        store.put(one)
    assert run("export", "to=shared.zip") == 0
    assert capsys.readouterr().out == f"shared.zip: {len(wrong) + 3} entries\n"

    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path / "other"))
    other = Store.open()
    assert run("import", "shared.zip") == 0
    said = capsys.readouterr().out
    assert said.startswith(f"shared.zip: {len(wrong) + 2} imported, 0 there already, 1 findings left out")
    assert other.find(ENTRY.key, "interpreter", ENTRY.versions) is None
    assert run("verify") == 1
    out, err = capsys.readouterr()
    assert out == f"1 sound, 1 not judged, 0 damaged, {len(wrong)} refused\n"
    for one, reason in REFUSED.values():
        imported = replace(one, origin="shared.zip", trusted=False)
        assert f"{imported.digest[:12]}: {reason}" in err
    assert "is not judged: it is for sm_90, and this machine has" in err
    found = other.find(ENTRY.key, "interpreter", ENTRY.versions)
    assert found is not None and found.pick == ENTRY.pick and found.origin == "shared.zip"
    assert found.certificate["speedup"] == 1.25 and "interpret" in found.certificate["judged again"]["rungs"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("filename=__file__", "filename=open('/tmp/x', 'w')"),
        ("DeviceProperties(type='cpu')", "DeviceProperties(type=print(1))"),
        ("xnumel, XBLOCK", "xnumel: print(1), XBLOCK"),
        ("tl.constexpr):", "tl.constexpr, *more: print(1)):"),
        ("@triton.jit", "@triton.jit\n@print"),
        ("\n@triton_heuristics", "\nfrom os import system as DeviceProperties\n@triton_heuristics"),
        ("\n@triton_heuristics", "\nfrom triton.knobs import env as DeviceProperties\n@triton_heuristics"),
        ("\n@triton_heuristics", "\nx = print(1)\n@triton_heuristics"),
    ],
)
def test_a_text_that_runs_other_code_when_it_is_loaded_is_none_of_inductors(old: str, new: str) -> None:
    assert why_not_inductors(SOURCE) == "" and old in SOURCE
    assert why_not_inductors(SOURCE.replace(old, new, 1))


def test_packages_and_folders_for_kernels_are_exported(store: Store, tmp_path: Path, capsys: Captured) -> None:
    """What they do is in the tests of the exports."""
    for one in (OLD, ENTRY, STALE, FINDING):
        store.put(one)
    assert run("export", "as=package", "to=my-kernels") == 0
    assert run("export", ENTRY.digest[:8], "as=kernels", "to=folder", "name=mine") == 0
    assert capsys.readouterr().out == "my-kernels: 1 kernels\nfolder: 1 kernels\n"
    assert (tmp_path / "my-kernels" / "my_kernels" / "__init__.py").exists()
    assert (tmp_path / "folder" / "build" / "torch-cpu" / "metadata.json").exists()


BAD = {
    "nothing": ([], "store takes list, show, verify, export, import, gc, remove, got nothing"),
    "another word": (["lst"], "store takes list, show,"),
    "json": (["gc", "--json"], "store gc has no --json"),
    "a word too many": (["list", "some"], "store list takes no ENTRY, got some"),
    "no entry": (["show"], "store show takes an ENTRY"),
    "short": (["show", "ab"], "ab: give at least four characters"),
    "unknown entry": (["remove", "0123456789"], "0123456789: there is no such entry in"),
    "unknown key": (["gc", "hours=3"], "store gc has no key 'hours'; it takes days=…"),
    "no days": (["gc", "days=many"], "days=many: give a number of days"),
    "no place": (["export"], "to=PLACE is missing"),
    "unknown form": (["export", "as=wheel", "to=x"], "as='wheel': choose from archive, package, kernels"),
    "nothing to export": (["export", "to=x.zip", "target=sm_80"], "there is no entry to export"),
    "no package name": (["export", "as=package", "to=Möbius"], "a package's name has small letters"),
    "no file": (["import"], "store import takes one FILE, got none"),
    "missing file": (["import", "gone.zip"], "gone.zip: No such file or directory"),
    "no archive": (["import", "notes.txt"], "notes.txt is no archive of kernels"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_status_2(case: str, store: Store, tmp_path: Path, capsys: Captured) -> None:
    store.put(ENTRY)
    (tmp_path / "notes.txt").write_text("hello")
    argv, message = BAD[case]
    assert run(*argv) == 2
    out, err = capsys.readouterr()
    assert message in err and err.startswith("kernelwright: error: ") and err.count("\n") == 1 and out == ""


def test_a_damaged_entry_is_told_in_one_line(store: Store, capsys: Captured) -> None:
    store.put(ENTRY)
    (path,) = store.folder.glob("entries/*/*.json")
    path.write_text("{}")
    assert run("list") == 0
    out, err = capsys.readouterr()
    assert "is empty" in out and err.startswith(f"kernelwright: {path} is damaged") and err.count("\n") == 1


def test_a_store_that_cannot_be_written_is_one_clear_line(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    store.put(ENTRY)
    assert run("export", "to=shared.zip") == 0
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path / "file"))
    for argv in (["verify"], ["gc"], ["import", "shared.zip"]):
        capsys.readouterr()
        assert run(*argv) == 2
        line = capsys.readouterr().err
        assert line.startswith("kernelwright: error: ") and "cannot be written to" in line and line.count("\n") == 1
