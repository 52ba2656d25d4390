"""Look after the kernels that torch.compile uses in the place of Inductor's.

usage: kernelwright store list [--json]
       kernelwright store show ENTRY [--json]
       kernelwright store verify
       kernelwright store export [ENTRY …] [as=archive|package|kernels] to=PLACE [name=NAME] [target=TARGET]
       kernelwright store import FILE
       kernelwright store gc [days=30]
       kernelwright store remove ENTRY …

The store is the folder `store` in $KERNELWRIGHT_CACHE_DIR (~/.cache/kernelwright). ENTRY is the beginning of an entry's
digest or of a kernel's key, at least four characters of it; `list` prints both. A key names all entries of the kernel.

`list` prints the entries with their states. `in use`: torch.compile takes it. `replaced`: it takes a later entry of the
same kernel. `other versions`: the entry was made with another torch or Triton. `not judged`: it was imported.
`not used`: there is a finding for the kernel. A finding says that Inductor's own kernel is wrong; graphs with such a
kernel run eager. `show` prints all that is known of an entry, with its kernels.

`verify` reads every file. A damaged one goes to the folder `quarantine`. Imported entries are judged on this machine:
right ones are used from then on, and wrong ones are removed. An entry for a GPU waits until there is one.

`export` writes entries, all of them if none is named. as=archive writes a file for `store import`. as=package writes a
Python package that needs only torch and Triton: `pip install PLACE`, then each kernel is a function on tensors.
as=kernels writes a folder that Hugging Face's library `kernels` loads: `get_local_kernel(PLACE)`, or `kernelize` with
a LocalLayerRepository. name=NAME is the package's name; target=TARGET chooses the entries for one target.

`import` reads an archive. It imports nothing from a damaged one. What it brings is not used until `verify` has judged
it. Findings are not imported: every machine makes its own.

`gc` removes entries that were not used for so many days, if they are replaced or for other versions; old files in
quarantine; and files that killed processes left.

  kernelwright store export as=archive to=kernels.zip
  kernelwright store export 3f2a91 as=package to=my_kernels

Exit status: 0 done, 1 `verify` found damaged or wrong entries, 2 bad usage or input, 130 interrupted, 143 terminated.
"""

import json
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

from kernelwright.backend.store.archive import read_archive, write_archive
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.package import check_name, functions, write_hub_folder, write_package
from kernelwright.backend.store.store import Store
from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.frontend.swap.running import side_by_side
from kernelwright.ir.errors import UserError, check_choice

FLAGS = (Flag("--json"),)
#: What is left out of a list of entries: texts.
_TEXTS = ("module", "replacement", "source")
_FORMS = ("archive", "package", "kernels")


def run(arguments: Arguments) -> int:
    """Do what the first word says."""
    action, *words = arguments.positional or ("",)
    actions = {
        "list": _list, "show": _show, "verify": _verify, "export": _export,
        "import": _import, "gc": _gc, "remove": _remove,
    }  # fmt: skip
    if action not in actions:
        raise UserError(f"store takes {', '.join(actions)}, got {action or 'nothing'}; see `kernelwright store --help`")
    if "--json" in arguments.flags and action not in ("list", "show"):
        raise UserError(f"store {action} has no --json; list and show have it")
    told: list[str] = []
    store = Store.open(tell=told.append)
    try:
        return actions[action](store, words, arguments)
    except UserError as error:
        told = [line for line in told if not (store.trouble and store.trouble in str(error))]
        raise
    finally:
        for line in told:
            _tell(f"kernelwright: {line}")


def _list(store: Store, words: Sequence[str], arguments: Arguments) -> int:
    _refuse("list", words)
    _keys(arguments, "list", ())
    entries = list(store.entries())
    states = _states(entries)
    if "--json" in arguments.flags:
        rows = [_facts(entry) | {"state": states[entry.digest]} for entry in entries]
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
        return 0
    if not entries:
        sys.stdout.write(f"the kernel store in {store.folder} is empty\n")
        return 0
    from rich.console import Console  # late, as its modules take a while

    from kernelwright.driver.run.tables import print_rows

    headings = ("kernel", "entry", "key", "target", "kind", "state")
    kinds = [f"{one.operation} is wrong" if one.kind == "wrong" else one.form for one in entries]
    table = [
        (one.name or "-", one.digest[:12], one.key[:12], one.target, kind, states[one.digest])
        for one, kind in zip(entries, kinds, strict=True)
    ]
    counts = Counter(states.values())
    title = f"{store.folder}: {', '.join(f'{count} {state}' for state, count in counts.most_common())}"
    print_rows(Console(), title, headings, table, words=len(headings))
    return 0


def _show(store: Store, words: Sequence[str], arguments: Arguments) -> int:
    _keys(arguments, "show", ())
    chosen = _chosen(store, words, "show")
    states = _states(list(store.entries()))
    if "--json" in arguments.flags:
        rows = [asdict(entry) | {"digest": entry.digest, "state": states[entry.digest]} for entry in chosen]
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
        return 0
    for entry in chosen:
        for name, value in (_facts(entry) | {"state": states[entry.digest]}).items():
            if value not in ("", [], {}):
                shown = value if isinstance(value, str) else json.dumps(value)
                sys.stdout.write(f"{name}: {shown}\n")
        for name in _TEXTS:
            if text := getattr(entry, name):
                sys.stdout.write(f"\n# {name} {'-' * 80}\n{text.rstrip()}\n")
        sys.stdout.write("\n")
    return 0


def _verify(store: Store, words: Sequence[str], arguments: Arguments) -> int:
    _refuse("verify", words)
    _keys(arguments, "verify", ())
    found = store.verify()
    if found.untrusted:
        from kernelwright.driver.judging.stored import StoredJudge  # late: it needs torch

        damaged = found.damaged
        with StoredJudge(_tell) as judge:
            found = store.verify(judge)
        found.damaged |= damaged
    for digest, reason in (found.damaged | found.refused).items():
        _tell(f"{digest[:12]}: {reason}")
    sys.stdout.write(
        f"{len(found.sound)} sound, {len(found.untrusted)} not judged, {len(found.damaged)} damaged, "
        f"{len(found.refused)} refused\n"
    )
    return 1 if found.damaged or found.refused else 0


def _export(store: Store, words: Sequence[str], arguments: Arguments) -> int:
    given = _keys(arguments, "export", ("as", "to", "name", "target"))
    form, place = given.get("as", "archive"), Path(given.get("to", ""))
    check_choice("as", form, _FORMS)
    if not given.get("to"):
        raise UserError("store export: to=PLACE is missing; it names the file or folder to write")
    name = given.get("name", place.name.lower().replace("-", "_"))
    if form != "archive":
        check_name(name)
    elif "name" in given:
        raise UserError("store export: name=NAME goes with as=package and as=kernels; an archive has no name")
    if words:
        entries = _chosen(store, words, "export")
    else:  # what is in use, once each, and for an archive no less
        states = _states(every := list(store.entries()))
        entries = [one for one in every if form == "archive" or states[one.digest] == "in use"]
        entries = [one for one in entries if form == "archive" or one.kind == "replacement"]
    entries = [one for one in entries if given.get("target", one.target) == one.target]
    if form == "archive":
        count = write_archive(entries, place)
    else:
        made = functions(entries)
        (write_package if form == "package" else write_hub_folder)(made, place, name)
        count = len(made)
    sys.stdout.write(f"{place}: {count} {'entries' if form == 'archive' else 'kernels'}\n")
    return 0


def _import(store: Store, words: Sequence[str], arguments: Arguments) -> int:
    _keys(arguments, "import", ())
    if len(words) != 1:
        raise UserError(f"store import takes one FILE, got {' '.join(words) or 'none'}")
    entries = read_archive(Path(words[0]))
    known = {(one.key, one.target, one.versions, one.pick) for one in store.entries()}
    findings = [one for one in entries if one.kind == "wrong"]
    new = [one for one in entries if one.kind != "wrong" and (one.key, one.target, one.versions, one.pick) not in known]
    for entry in new:
        if not store.put(entry):
            raise UserError(f"{words[0]} is not all imported: {store.trouble}")
    there = len(entries) - len(findings) - len(new)
    sys.stdout.write(
        f"{words[0]}: {len(new)} imported, {there} there already, {len(findings)} findings left out; "
        "`kernelwright store verify` judges what was imported\n"
    )
    return 0


def _gc(store: Store, words: Sequence[str], arguments: Arguments) -> int:
    _refuse("gc", words)
    text = _keys(arguments, "gc", ("days",)).get("days", "30")
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not days >= 0:
        raise UserError(f"days={text}: give a number of days, 0 or more")
    removed, size = store.gc(Versions.installed(), days)
    sys.stdout.write(f"{store.folder}: {removed} files removed, {size / 1024:.1f} KiB\n")
    return 0


def _remove(store: Store, words: Sequence[str], arguments: Arguments) -> int:
    _keys(arguments, "remove", ())
    chosen = _chosen(store, words, "remove")
    for entry in chosen:
        store.remove(entry)
    sys.stdout.write(f"{store.folder}: {len(chosen)} removed\n")
    return 0


# What is asked for -------------------------------------------------------------------------------------------


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _refuse(action: str, words: Sequence[str]) -> None:
    if words:
        raise UserError(f"store {action} takes no ENTRY, got {' '.join(words)}")


def _keys(arguments: Arguments, action: str, known: Collection[str]) -> dict[str, str]:
    """The key=value arguments; UserError for others than the action takes."""
    given = dict(item.partition("=")[::2] for item in arguments.overrides)
    if unknown := given.keys() - set(known):
        takes = ", ".join(f"{key}=…" for key in known) or "none"
        raise UserError(f"store {action} has no key {min(unknown)!r}; it takes {takes}")
    return given


def _chosen(store: Store, words: Sequence[str], action: str) -> list[Entry]:
    """The entries that are named; UserError for a name of none."""
    if not words:
        raise UserError(f"store {action} takes an ENTRY; `kernelwright store list` lists them")
    entries, chosen = list(store.entries()), dict[str, Entry]()
    for word in words:
        if len(word) < 4:
            raise UserError(f"{word}: give at least four characters of an entry's digest, or of a kernel's key")
        found = [one for one in entries if one.digest.startswith(word) or one.key.startswith(word)]
        if not found:
            raise UserError(f"{word}: there is no such entry in {store.folder}; `kernelwright store list` lists them")
        chosen |= {one.digest: one for one in found}
    return list(chosen.values())


def _states(entries: Sequence[Entry]) -> dict[str, str]:
    """Digest -> the state, in words."""
    versions, states = Versions.installed(), {}
    known: dict[tuple[str, str, str], list[Entry]] = {}
    for one in reversed(entries):
        if one.trusted and one.versions == versions:
            known.setdefault((one.key, one.target, one.kind), []).append(one)
    used = {one.digest for some in known.values() for one in side_by_side(some)}
    for entry in entries:
        if not entry.trusted:
            state = "not judged"
        elif entry.versions != versions:
            state = "other versions"
        elif (entry.key, entry.target, "wrong") in known and entry.kind != "wrong":
            state = "not used"  # the graph runs in eager mode
        else:
            state = "in use" if entry.digest in used else "replaced"
        states[entry.digest] = state
    return states


def _facts(entry: Entry) -> dict[str, object]:
    """All but the texts."""
    facts = {name: value for name, value in asdict(entry).items() if name not in _TEXTS}
    return {"digest": entry.digest, "pick": entry.pick} | facts | {"versions": str(entry.versions)}
