"""Judge the fresh attacks and the honest candidates, and print a table.

    python tests/fresh/judge_fresh.py [--set FOLDER] [--kind attacks|honest] [--workers N] [--out FILE.jsonl] [NAME ...]

An attack with the status `ok` is a fault of the judge, and so is an honest candidate without it. With --out the
verdicts go to a file, one line for each program, and the same command resumes a stopped run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def rows(where: Path, kind: str, names: list[str]) -> list[dict]:
    """Return a row of a batch for each folder of a kind, in the dialect of its `meta.json`; in both without one."""
    found = []
    for folder in sorted(one.parent for one in (where / kind).glob("*/meta.json")):
        said = json.loads((folder / "meta.json").read_text()).get("dialect")
        files = {one: str((folder / f"{one}.py").resolve()) for one in ("reference", "candidate")}
        if not names or folder.name in names:
            found += [
                {"id": f"{kind}/{folder.name}/{d}", **files, "dialect": d} for d in ([said] if said else ["on", "off"])
            ]
    return found


def judged(batch: list[dict], workers: int, out: Path) -> list[dict]:
    """Judge the rows with `kernelwright evaluate`, and return its verdicts."""
    file = out.with_suffix(".batch.jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in batch))
    command = [sys.executable, "-m", "kernelwright.driver.cli", "evaluate", f"batch={file.resolve()}"]
    subprocess.run([*command, f"out={out.resolve()}", f"workers={workers}", "device=cpu", "cache=false"], check=False)
    file.unlink()
    return [json.loads(line) for line in out.read_text().splitlines()]


def table(batch: list[dict], verdicts: list[dict]) -> str:
    """Return a line for each kind and dialect: how many, how many of each status, and the names of the faults."""
    status = {one["id"]: one["status"] for one in verdicts}
    lines = []
    for kind in ("attacks", "honest"):
        for dialect in ("on", "off"):
            some = [row["id"] for row in batch if row["id"].startswith(kind + "/") and row["dialect"] == dialect]
            found = [status.get(name, "missing") for name in some]
            if some:
                counts = ", ".join(f"{found.count(one)} {one}" for one in sorted(set(found)))
                lines.append(f"{kind}, dialect={dialect}: {len(some)}: {counts}")
                faults = [name for name in some if (status.get(name) == "ok") == (kind == "attacks")]
                lines += [f"    {'wrong ok' if kind == 'attacks' else status.get(name)}: {name}" for name in faults]
    return "\n".join(lines)


def main() -> int:
    """Judge what the command line names, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, default=HERE, help="the folder of attacks and honest candidates")
    parser.add_argument("--kind", choices=["attacks", "honest"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    kinds = [asked.kind] if asked.kind else ["attacks", "honest"]
    batch = [row for kind in kinds for row in rows(asked.set, kind, asked.names)]
    with tempfile.TemporaryDirectory() as folder:
        verdicts = judged(batch, asked.workers, asked.out or Path(folder) / "verdicts.jsonl")
    print(table(batch, verdicts))  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
