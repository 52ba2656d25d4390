"""Fill in the figures that README and the documentation quote, from benchmarks/results, and the code of the example.

usage: python -m benchmarks.pages.quote [--check]

A text has `<!-- figures: NAME -->` and `<!-- end of figures -->` on lines of their own; the figures of that name
replace the lines between them. --check writes nothing, and exits with status 1 where a text differs from the results.
"""

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.pages.figures import agents, judge, kernelbench, models, searching
from benchmarks.pages.figures.formats import ROOT

REGION = re.compile(r"(<!-- figures: ([\w-]+) -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)


def main() -> int:
    """Write every text that quotes figures, or tell which ones differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check, stale = parser.parse_args().check, []
    for path in texts():
        before = path.read_text("utf-8")
        after = filled(before)
        if after != before:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(after, encoding="utf-8")
    if stale:
        print(f"{'other figures than the results' if check else 'filled in'}: {', '.join(stale)}")
    return 1 if stale and check else 0


def texts() -> list[Path]:
    """README and every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def filled(text: str) -> str:
    """The text with the figures of each region; KeyError for a name that no figures have."""
    return REGION.sub(lambda found: f"{found[1]}{FIGURES[found[2]]()}\n{found[4]}", text)


def _quoted(name: str) -> Callable[[], str]:
    """A file of the example package, whose own tests run it."""
    language = {".py": "py", ".yaml": "yaml", ".toml": "toml"}[Path(name).suffix]
    return lambda: f"```{language}\n{(ROOT / 'examples/plugin' / name).read_text('utf-8').rstrip()}\n```"


FIGURES: dict[str, Callable[[], str]] = {
    "code-pass": _quoted("kernelwright_example/passes.py"),
    "code-reward": _quoted("kernelwright_example/rewards.py"),
    "code-algorithm": _quoted("kernelwright_example/algorithms.py"),
    "code-problems": _quoted("kernelwright_example/problems.py"),
    "code-recipe": _quoted("kernelwright_example/conf/recipe/example.yaml"),
    "code-entry-points": _quoted("pyproject.toml"),
    "gain": lambda: f"{kernelbench.gain()}\n{models.gain()}",
    "kernelbench": kernelbench.kernelbench,
    "kernelbench-fastest": kernelbench.kernelbench_fastest,
    "kernelbench-more": kernelbench.kernelbench_more,
    "agents": agents.agents,
    "midend-agents": agents.midend_agents,
    "evaluator": judge.evaluator,
    "cost-model": searching.cost_model,
    "coverage": kernelbench.coverage,
    "handwritten": searching.handwritten,
    "handwritten-speed": searching.handwritten_speed,
    "search": searching.search,
    "search-memory": searching.search_with_memory,
    "search-first": searching.first_candidates,
    "search-on-cpu": searching.search_on_cpu,
    "learner": agents.learner,
    "spelling": searching.spelling,
    "models": models.models,
    "real-models": models.real_models,
    "optimized": models.optimized,
    "other-sizes": models.other_sizes,
    "ceilings": models.ceilings,
}


if __name__ == "__main__":
    raise SystemExit(main())
