"""Make the modules of an earlier measurement of mid-end agents again, with the lowering of the code as it is now.

    python -m benchmarks.agents.midend_modules RESULT.json mid.jsonl --target h200

RESULT.json comes from `benchmarks/agents/midend_agents.py`, whose modules bear the seeds of their generated programs;
only these names are read. The programs are lowered as on a machine without a GPU, and mid.jsonl holds them as pairs
without answers, of the split `test`. So an adapter is measured on the programs that were held out when it was trained:
`kernelwright data pairs` holds out other programs since it goes by normal forms.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from kernelwright.driver.config.discovery import discover
from kernelwright.driver.run.build import resolve_target
from kernelwright.frontend.generate import VERSION, generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.rl.data.rows import MIDEND, TEST, Pair, Problem, write_rows

LOWERING = "lower-inductor"


def names_of(result: Path) -> list[str]:
    """The modules of a result, `generated/LEVEL/SEED/START`, each once."""
    rows = json.loads(result.read_text("utf-8"))["attempts"]
    return list(dict.fromkeys(row["module"] for row in rows))


def made(name: str, target: str) -> Pair:
    """The module of that name as it is lowered now. Raises LoweringError for a program that cannot be lowered."""
    _, level, seed, _ = name.split("/")
    source = generate_program(int(seed), int(level))
    facts = {"seed": int(seed), "difficulty": int(level), "generator": VERSION}
    problem = Problem(name.rpartition("/")[0], source, facts, TEST)
    given = import_source(source, "module", shrink="never")
    lowered = parse_pipeline(LOWERING).run(given, Context(target, lowering_device="cpu"))
    pair = Pair.unanswered(name, problem, MIDEND, lowered)
    return replace(pair, provenance={**pair.provenance, "start": LOWERING})


def main() -> int:
    """Write the file, with progress on stderr."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--target", default="auto")
    given = parser.parse_args()
    discover()
    target, pairs = resolve_target(given.target), list[Pair]()
    names = names_of(given.result)
    for name in names:
        pairs.append(made(name, target))
        sys.stderr.write(f"\r{len(pairs)} of {len(names)} modules")
    sys.stderr.write("\n")
    write_rows(given.out, pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
