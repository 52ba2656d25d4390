"""How long the program takes before it works: help, errors of arguments, `import kernelwright`; and what that is of
`python -c pass` and `import torch`, which are measured in turn with them.

    python -m benchmarks.program.startup                       # writes benchmarks/results/program/startup_cpu.json

Each is a fresh process; medians of 20 in one run. The modules' bytecode is there, as pip leaves it: a round that is not
counted writes it. Wall clock is compared: run it on a machine that does nothing else.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks.row_lines import write_result

RESULT = Path(__file__).parents[1] / "results/program/startup_cpu.json"
PASS, TORCH = "python -c pass", "import torch"
#: What may take how many times as long as what.
BOUNDS = {"help": (PASS, 4.0), "error": (TORCH, 0.3), "import": (TORCH, 0.1)}
PROGRAM = "class Model:\n    pass\n"
#: Errors of arguments, of every kind and over the verbs.
ERRORS = {
    "no such file": "compile nope.py",
    "unknown flag": "compile program.py --emitt=ptx",
    "unknown form": "compile program.py --emit=cuda",
    "unknown pass": "compile program.py -p lower-inductr",
    "option of a pass": "opt program.py -p tune{trials=0}",
    "option without its group": "compile program.py h100",
    "unknown key": "compile program.py targt=h100",
    "unknown option of a group": "compile program.py target=h1000",
    "out of range": "train algorithm.gamma=3",
    "wrong type": "sft pairs=program.py epochs=many",
    "no such batch": "evaluate batch=nope.jsonl",
    "missing word": "data",
}


def commands() -> dict[str, list[str]]:
    """What is measured, by name."""
    program = shutil.which("kernelwright", path=str(Path(sys.executable).parent)) or "kernelwright"
    errors = {f"error: {name}": [program, *line.split()] for name, line in ERRORS.items()}
    return {
        PASS: [sys.executable, "-c", "pass"],
        TORCH: [sys.executable, "-c", "import torch"],
        "import kernelwright": [sys.executable, "-c", "import kernelwright"],
        "help: kernelwright --help": [program, "--help"],
        "help: kernelwright train --help": [program, "train", "--help"],
        **errors,
    }


def measure(runs: int) -> dict[str, list[float]]:
    """Seconds of each command, one of each in turn; a warm-up of each comes before."""
    seconds: dict[str, list[float]] = {name: [] for name in commands()}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.py").write_text(PROGRAM)
        for round_ in range(runs + 1):
            for name, command in commands().items():
                start = time.perf_counter()
                done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
                taken = time.perf_counter() - start
                expected = 2 if name.startswith("error") else 0
                if done.returncode != expected:
                    raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
                if round_:
                    seconds[name].append(taken)
    return seconds


def report(seconds: dict[str, list[float]], runs: int) -> dict[str, object]:
    """Medians, what they are of what they are compared with, and under which circumstances."""
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    rows = {}
    for name, median in medians.items():
        against, most = BOUNDS.get(name.split(":")[0].split()[0], ("", 0.0)) if name not in (PASS, TORCH) else ("", 0.0)
        rows[name] = {"median_ms": round(1e3 * median, 1), "fastest_ms": round(1e3 * min(seconds[name]), 1)}
        if against:
            ratio = median / medians[against]
            rows[name] |= {"of": against, "ratio": round(ratio, 3), "at_most": most, "holds": ratio <= most}
    return {
        "caliber": {
            "command": f"python -m benchmarks.program.startup --runs {runs}",
            "runs": runs,
            "order": "one of each in turn",
            "bytecode": "there, written by a round before",
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "load": [round(one, 2) for one in os.getloadavg()],
            "platform": platform.platform(),
            "python": platform.python_version(),
            **{name: version(name) for name in ("torch", "triton", "hydra-core", "omegaconf")},
        },
        "results": rows,
    }


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--out", type=Path, default=RESULT)
    given = parser.parse_args()
    found = report(measure(given.runs), given.runs)
    write_result(given.out, found)
    print(json.dumps(found["results"], indent=1))


if __name__ == "__main__":
    main()
