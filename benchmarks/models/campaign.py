"""Models one after another, or some at a time, each in processes of its own: options, a journal, and one result."""

import argparse
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.caliber import add_commit, caliber_of, with_caliber
from benchmarks.row_lines import command_line, read_json, write_result
from kernelwright.driver.run.journal import Journal, first_difference
from kernelwright.ir.errors import UserError

Row = Mapping[str, Any]
#: What rows by name say in all.
Summing = Callable[[Mapping[str, Row]], dict[str, Any]]


def options(description: str | None, out: str, limit: float) -> argparse.ArgumentParser:
    """The options of every such command; OUT and the seconds for one process by default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(out))
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no more models after so many seconds")
    parser.add_argument("--limit", type=float, default=limit, help="seconds for one process of a model")
    parser.add_argument("--jobs", type=int, default=1, help="models at a time")
    parser.add_argument("--only", default="", help="models with one of these in their names, in this order")
    parser.add_argument("--tiny", action="store_true", help="small models")
    parser.add_argument("--merge", type=Path, nargs="+", help="measure nothing; join results made alike into OUT")
    add_commit(parser)
    return parser


def status_of(main: Callable[[], int]) -> int:
    """The exit status of a command: 2, and one line on stderr, for bad input."""
    try:
        return main()
    except UserError as error:
        Console(stderr=True).print(str(error), style="red", markup=False)
        return 2


def campaign(
    arguments: argparse.Namespace,
    names: Sequence[str],
    row_of: Callable[[str, float, Row | None], Row],
    is_open: Callable[[Row], bool],
    summary_of: Summing,
    told: Callable[[Row], object],
    made_with: Mapping[str, Any] | None = None,
    **caliber: Any,
) -> dict[str, Any]:
    """Write OUT, and return what it says in all.

    `row_of` is given a name, the seconds that are left, and the row that is open, if there is one. OUT.journal gets
    every row as it is found, and the same command goes on from there, or from OUT alone: rows that are open are made
    again. OUT keeps its caliber, and rows that come later say what theirs has otherwise; one that was partly there says
    so in its last `again`. `told` is what is said of a row; `made_with` and `caliber` tell conditions beside the device
    and the commit. Raises UserError for rows that were made under other conditions. With --merge rows are those of
    other results, which were made under the same conditions.
    """
    if arguments.merge:
        return _write(arguments.out, _merged(arguments.merge, names, summary_of))
    console, began = Console(stderr=True), time.monotonic()
    known = caliber_of(arguments.commit, **caliber)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    conditions = {"device": known["device"], "commit": known["commit"], "tiny": arguments.tiny, **(made_with or {})}
    written = _written(arguments.out, conditions)
    first: Row = written.get("caliber", known)
    with Journal(arguments.out.with_name(f"{arguments.out.name}.journal"), conditions) as journal:
        for name, row in written.get("rows", {}).items():
            if name not in journal.results:
                journal.add(name, row)

        def work(name: str) -> None:
            left, before = arguments.seconds - (time.monotonic() - began), journal.results.get(name)
            if left > 0 and (before is None or is_open(before)):
                journal.add(name, _with_own_caliber(row_of(name, left, before), known, first))
                seconds = time.monotonic() - began
                console.print(f"{seconds:.0f} s {name}: {told(journal.results[name])}", highlight=False)

        chosen = dict.fromkeys(name for one in arguments.only.split(",") for name in names if one in name)
        with ThreadPoolExecutor(arguments.jobs) as threads:
            list(threads.map(work, chosen))
        rows = {name: dict(journal.results[name]) for name in names if name in journal.results}
    made = {"command": written.get("command", command_line()), "conditions": conditions, "caliber": first}
    return _write(arguments.out, {**made, "summary": summary_of(rows), "rows": rows})


def _write(out: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Write a result, and return its summary, which is printed."""
    write_result(out, content)
    print(json.dumps(content["summary"], indent=1))
    return dict(content["summary"])


def _merged(paths: Sequence[Path], names: Sequence[str], summary_of: Summing) -> dict[str, Any]:
    """The first of some results with the rows of all; what another's `caliber` has otherwise stands in its rows. Raises
    UserError for one that was made otherwise."""
    contents = [read_json(path, "--merge") for path in paths]
    rows: dict[str, Any] = {}
    first = contents[0]
    for path, content in zip(paths, contents, strict=True):
        if not isinstance(content, dict) or "conditions" not in content:
            raise UserError(f"--merge {path}: no result of such a command; name the OUT of one")
        if content["conditions"] != first["conditions"]:
            apart = first_difference(first["conditions"], content["conditions"])
            raise UserError(f"--merge {path}: made otherwise than {paths[0]}: {apart}; merge what was made alike")
        rows |= {name: with_caliber(row, content["caliber"], first["caliber"]) for name, row in content["rows"].items()}
    ordered = {name: rows[name] for name in names if name in rows}
    return {**first, "summary": summary_of(ordered), "rows": ordered}


def _with_own_caliber(row: Row, caliber: Row, first: Row) -> dict[str, Any]:
    """A row that was measured with a caliber, among those of the first one."""
    if not row.get("again"):
        return with_caliber(row, caliber, first)
    *earlier, last = row["again"]
    return {**row, "again": [*earlier, with_caliber(last, caliber, first)]}


def _written(out: Path, conditions: Mapping[str, Any]) -> dict[str, Any]:
    """A result that was made under these conditions; {} where there is none that tells its own."""
    content = read_json(out, "--out") if out.is_file() else {}
    before = content.get("conditions")
    if before is not None and before != conditions:
        raise UserError(f"{out}: made with {first_difference(before, conditions)}; name another file with --out")
    return content if before is not None else {}
