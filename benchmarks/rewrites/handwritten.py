"""Try the mid-end's rewrites on programs that people wrote, and see whether they find the known ways to be faster.

    python -m benchmarks.rewrites.handwritten --out benchmarks/results/rewrites/handwritten_cpu.json
    python -m benchmarks.rewrites.handwritten --modules FOLDER --large

The programs are those of `benchmarks/handwritten`, the evaluator's honest candidates, and right answers of the shipped
adapter. Every rewrite that `search` would try is run alone, then all of them one after another. The judge checks each
result that differs from the program. A way counts as found if a rewrite for its kind changed the program, the result is
`ok`, no row is still loaded twice, and no index of an element is still divided by a number that the compiler does not
know. The file gets every row as it is found, and the same command goes on from there; rows of other versions of the
code or of a program are made again.

The second command writes each program of `benchmarks/handwritten` as a module instead, which `kernelwright opt` and
`kernelwright compile` read. With `--large` its sizes are those for a GPU.
"""

import argparse
import hashlib
import json
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.row_lines import code_digest, write_result
from kernelwright.agent.evaluator import Rung
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.config.discovery import discover
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import DialectError, UserError
from kernelwright.ir.exploration import places
from kernelwright.ir.kernel.analysis.forms import Leaf
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context, Declined
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.midend.search.space import Step, explored, rewrites, run_step, tried

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "handwritten"
RUNGS = (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET)
#: The rewrites that find a way of each kind.
FINDS: Mapping[str, frozenset[str]] = {
    "extra-pass": frozenset({"persistent-rows"}),
    "chain": frozenset({"fuse-epilogue", "fuse-flip", "fuse-prologue"}),
    "epilogue": frozenset({"fuse-epilogue", "fuse-reduction"}),
    "index-math": frozenset({"strength-reduce"}),
    "width": frozenset({"align-rows", "join-pairs", "join-programs"}),
}
#: A line at the start of a program or a reference.
_HEADER = re.compile(r"# (reference|way|faster|large): (.*)")


@dataclass(frozen=True)
class Program:
    """One program: its text, its reference's, and the kind of way to be faster that is known, or ""."""

    corpus: str
    name: str
    text: str
    reference: str
    way: str = ""
    faster: str = ""

    @property
    def digest(self) -> str:
        """Of both texts."""
        return hashlib.sha256(f"{self.text}\0{self.reference}".encode()).hexdigest()[:16]

    def module(self) -> KernelModule:
        """The program as it is written. Raises DialectError for one that the dialect refuses."""
        return parse_module(self.text, reference=self.imported(), name=self.name.replace("/", "_"))

    def imported(self) -> Reference:
        """What it is to compute."""
        return import_source(self.reference, self.name, shrink="never").reference


def header(text: str) -> dict[str, str]:
    """The lines `# key: value` at the start of a text."""
    found = {}
    for line in text.splitlines():
        match = _HEADER.fullmatch(line)
        if match is None:
            break
        found[match[1]] = match[2].strip()
    return found


def handwritten(*, large: bool = False) -> Iterator[Program]:
    """The programs of `benchmarks/handwritten`, by style and name.

    Raises UserError, naming the file, for a header that is not as the folder's README says.
    """
    for path in sorted((FOLDER / "programs").glob("*/*.py")):
        text = path.read_text("utf-8")
        found = header(text)
        references = list(FOLDER.glob(f"references/*/{found.get('reference', '')}.py"))
        if len(references) != 1:
            raise UserError(f"{path}: its first line names {len(references)} programs of references/, not one")
        way = found.get("way", "")
        if way and (way not in FINDS or "faster" not in found):
            raise UserError(f"{path}: `way` is one of {', '.join(FINDS)}, and `faster` says how")
        given = references[0].read_text("utf-8")
        name = f"{path.parent.name}/{path.stem}"
        yield Program("handwritten", name, text, enlarged(given) if large else given, way, found.get("faster", ""))


def enlarged(reference: str) -> str:
    """A reference with its sizes for a GPU."""
    for part in header(reference)["large"].split(", "):
        key, _, number = part.partition("=")
        reference, changed = re.subn(rf"(?m)^{key} = \d+$", f"{key} = {number}", reference)
        if changed != 1:
            raise UserError(f"`{key}` of the line `# large` is no size of the program\n{reference}")
    return reference


def honest() -> Iterator[Program]:
    """The evaluator's honest candidates that the dialect is expected to take."""
    sys.path.insert(0, str(ROOT / "tests" / "suite"))
    from cases import load_cases

    for case in load_cases("honest"):
        if not case.refused:
            yield Program("honest", case.name, case.text, case.reference_text)


def answers() -> Iterator[Program]:
    """Answers of the shipped adapter that the judge verified; the folder's README says how they were made."""
    for line in (FOLDER / "answers.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield Program("answers", row["problem"], row["after"], parse_module(row["before"]).reference.source)


def specs() -> tuple[str, ...]:
    """Every rewrite with the options that `search` tries, in the order of a chain."""
    names = rewrites()
    place = places({name: explored(name) for name in names})
    return tuple(spec for name in sorted(names, key=lambda name: (place[name], name)) for spec in tried(name))


def row(program: Program, evaluator: LocalEvaluator) -> dict[str, Any]:
    """What the rewrites do with a program."""
    about = {"corpus": program.corpus, "way": program.way, "faster": program.faster, "digest": program.digest}
    try:
        module = program.module()
    except DialectError as error:
        return about | {"parsed": False, "hint": error.first}
    given = evaluator.evaluate(module, RUNGS)
    about |= {"parsed": True, "as_written": str(given.status), "kernels": len(module.kernels)}
    verdicts: dict[str, Any] = {module.digest: given}
    changes, declined = [], dict[str, list[str]]()
    for names, made in (*alone(module, declined), chained(module)):
        if isinstance(made, str):
            changes.append({"passes": names, "failed": made})
        elif made.digest != module.digest:
            if made.digest not in verdicts:
                verdicts[made.digest] = evaluator.evaluate(made, RUNGS)
            verdict = verdicts[made.digest]
            change = {"passes": names, "kernels": len(made.kernels), "status": str(verdict.status)}
            change |= {"reads_again": True} if reads_again(made) else {}
            change |= {"divides": True} if divides(made) else {}
            changes.append(change if verdict.ok else change | {"detail": verdict.detail[:300]})
    good = {name for one in changes if one.get("status") == "ok" for name in one["passes"]}
    about |= {"changes": changes, "fired": sorted(good), "declined": declined}
    return about | ({"found": any(finds(program.way, one) for one in changes)} if program.way else {})


def finds(way: str, change: Mapping[str, Any]) -> bool:
    """Whether a change is right and goes the way: rows that are loaded once leave no address that is loaded twice, and
    simpler indices no division by a number that the compiler does not know."""
    right = change.get("status") == "ok" and not FINDS[way].isdisjoint(change["passes"])
    left = {"extra-pass": "reads_again", "index-math": "divides"}.get(way, "")
    return right and not change.get(left)


def reads_again(module: KernelModule) -> bool:
    """Whether a kernel of a module loads from one address by two loads."""
    for function in kernel_functions(module).values():
        pointers = [one.get("pointer") for one in function.walk() if one.kind == "load"]
        if len(set(pointers)) < len(pointers):
            return True
    return False


def divides(module: KernelModule) -> bool:
    """Whether a kernel of a module divides integers of a tensor by a number that is not known as it is compiled."""
    for function in kernel_functions(module).values():
        indices = Indices(function)
        pairs = zip(function.body.arguments, function.parameters, strict=True)
        known = {value for value, one in pairs if one.is_constexpr}
        for one in function.walk():
            divisor = indices.form(one.operands[1]) if one.kind in ("floordiv", "mod") else None
            if divisor is not None and indices.shapes.of(one.result) and divisor.leaves - set(map(Leaf, known)):
                return True
    return False


def alone(module: KernelModule, declined: dict[str, list[str]]) -> Iterator[tuple[list[str], KernelModule | str]]:
    """What each rewrite makes of a module, or why it failed; `declined` gets why rewrites left kernels as they were."""
    for spec in specs():
        said: list[Declined] = []
        made = run_step(Step(module, spec), Context(declined=said.append))
        if said:
            declined[spec] = list(dict.fromkeys(one.reason for one in said))
        yield [bare(spec)], made.failed if made.module is None else made.module


def chained(module: KernelModule) -> tuple[list[str], KernelModule | str]:
    """What all rewrites make of a module, each at its defaults after those before it; and which changed something."""
    changed = []
    for name in dict.fromkeys(map(bare, specs())):
        made = run_step(Step(module, name), Context())
        if made.module is not None and made.module is not module:
            module, changed = made.module, [*changed, name]
    return changed, module


def bare(spec: str) -> str:
    """The name in a spec."""
    return spec.partition("{")[0]


def summary(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows say in all."""
    written = [one for one in rows.values() if one["corpus"] == "handwritten"]
    ways = {name: one for name, one in rows.items() if one["way"]}
    found = Counter(one["way"] for one in ways.values() if one.get("found"))
    known = Counter(one["way"] for one in ways.values())
    bad = [name for name, one in rows.items() if any(c.get("status", "ok") != "ok" for c in one.get("changes", ()))]
    return {
        "programs": len(written),
        "parsed": sum(one["parsed"] for one in written),
        "ok_as_written": sum(one.get("as_written") == "ok" for one in written),
        "ways": {kind: {"found": found[kind], "known": known[kind]} for kind in FINDS},
        "ways_found": sum(found.values()),
        "ways_known": sum(known.values()),
        "missed": {
            kind: [n for n, one in ways.items() if one["way"] == kind and not one.get("found")] for kind in FINDS
        },
        "missed_because": {kind: reasons(kind, ways.values()) for kind in FINDS},
        "any_fired": sum(bool(one.get("fired")) for one in written),
        **fired(rows.values(), "honest"),
        **fired(rows.values(), "answers"),
        "by_pass": dict(Counter(name for one in rows.values() for name in one.get("fired", ())).most_common()),
        "not_verified": bad,
        "failed": {
            name: failed
            for name, one in rows.items()
            if (failed := [f"{c['passes'][0]}: {c['failed']}"[:200] for c in one.get("changes", ()) if "failed" in c])
        },
    }


def fired(rows: Iterable[Mapping[str, Any]], corpus: str) -> dict[str, int]:
    """How many programs a corpus has, and how many of them some rewrite changes and keeps right: any, and any but
    `specialize`, which changes nearly all that take a size as an argument."""
    found = [set(one.get("fired", ())) for one in rows if one["corpus"] == corpus]
    others = [one - {"specialize"} for one in found]
    return {
        corpus: len(found),
        f"{corpus}_any_fired": sum(map(bool, found)),
        f"{corpus}_fired_beside_specialize": sum(map(bool, others)),
    }


def reasons(kind: str, ways: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """What the rewrites for a kind of way say of the programs in which they do not find it, the most frequent first."""
    missed = (one for one in ways if one["way"] == kind and not one.get("found"))
    said = (f"{name}: {why}" for one in missed for name in sorted(FINDS[kind]) for why in one["declined"].get(name, ()))
    return dict(Counter(said).most_common())


def write(out: Path, caliber: Mapping[str, Any], rows: Mapping[str, Any]) -> None:
    """Replace the file."""
    write_result(out, {"caliber": caliber, "summary": summary(rows), "rows": rows})


def caliber_of(seeds: int) -> dict[str, Any]:
    """What results depend on: the machine, the judge's settings, and the code, by the trees of its folders."""
    code = code_digest("ir", "midend", "backend", "kernelwright")
    return machine() | {"rungs": list(map(str, RUNGS)), "seeds": seeds, "strength": "default", "code": code}


def measure(programs: Iterable[Program], out: Path, seeds: int) -> int:
    """Make the rows that the file lacks; 0 if every program and every change of one is right."""
    caliber = caliber_of(seeds)
    before = json.loads(out.read_text("utf-8")) if out.is_file() else {}
    known: dict[str, Any] = before["rows"] if before.get("caliber") == caliber else {}
    rows: dict[str, Any] = {}
    with LocalEvaluator(seeds=seeds, seed=0, use_gpu=False) as evaluator:
        for program in programs:
            name = f"{program.corpus}/{program.name}"
            kept = known.get(name)
            rows[name] = kept if kept and kept["digest"] == program.digest else row(program, evaluator)
            write(out, caliber, rows)
            print(name, json.dumps({key: rows[name].get(key) for key in ("way", "found", "fired")}), flush=True)
    found = summary(rows)
    wrong = found["not_verified"] or found["failed"] or found["ok_as_written"] < found["programs"]
    return 1 if wrong else 0


def write_modules(folder: Path, *, large: bool) -> None:
    """A module for each program."""
    for program in handwritten(large=large):
        path = folder / f"{program.name}.kw.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(print_module(program.module()), encoding="utf-8")
        print(path, flush=True)


def main() -> int:
    """Measure, or write modules."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/rewrites/handwritten.json"))
    parser.add_argument("--seeds", type=int, default=2, help="draws of inputs as given")
    parser.add_argument("--only", default="", help="programs with this in their names")
    parser.add_argument("--modules", type=Path, help="write modules into this folder instead")
    parser.add_argument("--large", action="store_true", help="modules with sizes for a GPU")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*make_block_ptr is deprecated")
    discover()
    if arguments.modules is not None:
        write_modules(arguments.modules, large=arguments.large)
        return 0
    programs = (*handwritten(), *honest(), *answers())
    wanted = (one for one in programs if arguments.only in f"{one.corpus}/{one.name}")
    return measure(wanted, arguments.out, arguments.seeds)


if __name__ == "__main__":
    sys.exit(main())
