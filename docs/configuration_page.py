"""Write docs/configuration.md: every key of the configuration with its type, default, range and meaning.

usage: python docs/configuration_page.py [--check]

Types and ranges come from the settings' dataclasses; defaults and meanings come from the files of conf/. --check
writes nothing, and exits with status 1 where the page differs.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from kernelwright.agent.rewards import REWARDS
from kernelwright.driver.ablation.settings import AblateSchema
from kernelwright.driver.benchmarking.settings import BenchSchema, RolloutsSchema
from kernelwright.driver.config.policies import PolicySettings
from kernelwright.driver.config.settings import (
    CompileSchema,
    EvaluateSchema,
    EvaluatorSettings,
    ImportSettings,
    TargetSettings,
)
from kernelwright.driver.config.train_settings import (
    CanarySettings,
    HeldOutSettings,
    ProblemSettings,
    RolloutSettings,
    SftSchema,
    TrainerSettings,
    TrainSchema,
)
from kernelwright.driver.pairs.settings import PairSchema
from kernelwright.ir.options import Listed, listed
from kernelwright.rl.algorithms.algorithm import Algorithm

PAGE = Path(__file__).with_name("configuration.md")
CONF = Path(__file__).parents[1] / "conf"
#: Each verb with the file of its configuration and its schema.
VERBS: tuple[tuple[str, str, Any], ...] = (
    ("compile and opt", "config", CompileSchema),
    ("evaluate", "evaluate", EvaluateSchema),
    ("data pairs", "data", PairSchema),
    ("data rollouts", "rollouts", RolloutsSchema),
    ("sft", "sft", SftSchema),
    ("train", "train", TrainSchema),
    ("ablate", "ablate", AblateSchema),
    ("bench", "bench", BenchSchema),
)
#: Groups with the schema that their options share, and the file that has the comments.
GROUPS: dict[str, tuple[Any, str]] = {
    "target": (TargetSettings, "auto"),
    "evaluator": (EvaluatorSettings, "default"),
    "import": (ImportSettings, "default"),
    "policy": (PolicySettings, "none"),
    "problems": (ProblemSettings, "generated"),
    "rollout": (RolloutSettings, "default"),
    "algorithm": (Algorithm, "grpo"),
    "trainer": (TrainerSettings, "default"),
}
INTRODUCTION = """# Configuration

The verbs below take `key=value`. A group is a folder of `conf/`: `target=h100` takes `conf/target/h100.yaml`, and
`evaluator.seeds=5` sets one key of a group. `python docs/configuration_page.py` writes this page from the code.

Kernelwright uses Hydra, and Hydra's options work as usual:

- `--cfg job` prints the configuration of a command instead of running it.
- `--info` shows where each part of the configuration comes from.
- `-m` sweeps over values, such as `seed=1,2,3`.
- `+key=value` adds a key, and `~key` removes a key.
- `--config-dir FOLDER` and `hydra.searchpath=[file://FOLDER]` add a folder of your own options.
- `hydra.run.dir=FOLDER` is another name for `out=FOLDER`.
"""


@dataclass(frozen=True)
class Said:
    """What a file says of a key: its value as text, and the comment."""

    value: str
    meaning: str


_KEY = re.compile(r"(?P<indent> *)(?P<key>\w+):(?P<value>[^#]*)(?:#\s*(?P<comment>.*))?$")


def main() -> int:
    """Write the page, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    text = "\n".join([INTRODUCTION, *_verbs(), *_groups()]).rstrip("\n") + "\n"
    if not parser.parse_args().check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text("utf-8") != text:
        sys.stdout.write("docs/configuration.md differs from the code: python docs/configuration_page.py\n")
        return 1
    return 0


def _verbs() -> Iterator[str]:
    yield "## Verbs\n"
    for verb, file, schema in VERBS:
        text = (CONF / f"{file}.yaml").read_text("utf-8")
        groups = re.findall(r"^  - (?:override /)?(\w+): ", text, re.MULTILINE)
        named = ", ".join(f"[`{group}`](#{group})" for group in groups if (CONF / group).is_dir())
        yield f"### {verb}\n\nGroups: {named}.\n"
        yield from _table(_own(schema, _read(text)))
        if schema is TrainSchema:
            yield "Held-out problems are answered while the run trains, and never learnt from.\n"
            yield from _table(_rows(HeldOutSettings, "held_out.", _read(text)))
            yield "The canary asks, before the first step, whether the policy has the trainer's weights.\n"
            yield from _table(_rows(CanarySettings, "canary.", _read(text)))


def _rows(schema: Any, prefix: str, said: Mapping[str, Said]) -> list[Listed]:
    """A schema's keys as the file has them: its defaults, and its comments as meanings."""
    found = listed(schema, prefix, {key: one.meaning for key, one in said.items()})
    return [replace(row, default=said[row.key].value) if row.key in said else row for row in found]


def _own(schema: Any, said: Mapping[str, Said]) -> list[Listed]:
    """The keys of a verb outside of its groups, those included that are no part of the schema."""
    nested = {name for name, kind in get_type_hints(schema).items() if is_dataclass(kind)}
    rows = {row.key: row for row in _rows(schema, "", said) if row.key.partition(".")[0] not in nested}
    for key, one in said.items():
        if key not in rows and "." not in key and key not in nested and key != "defaults":
            rows[key] = Listed(key, "text", one.value, "", one.meaning)
    return [rows[key] for key in dict.fromkeys((*said, *rows)) if key in rows]


def _groups() -> Iterator[str]:
    yield "## Groups\n"
    for folder in sorted(path for path in CONF.iterdir() if path.is_dir() and any(path.glob("*.yaml"))):
        group = folder.name
        yield f"### {group}\n"
        yield from ("| option | meaning |", "| --- | --- |")
        yield from (f"| `{group}={path.stem}` | {_head(path)} |" for path in sorted(folder.glob("*.yaml")))
        yield ""
        if group in GROUPS:
            schema, file = GROUPS[group]
            yield from _table(
                _rows(schema, f"{group}.", _read((folder / f"{file}.yaml").read_text("utf-8"), f"{group}."))
            )
        if group == "reward":
            yield from _rewards(folder)


def _rewards(folder: Path) -> Iterator[str]:
    for name, cls in sorted(REWARDS.items()):
        path = folder / f"{name}.yaml"
        if path.is_file():
            rows = _rows(cls, "reward.", _read(path.read_text("utf-8"), "reward."))
            yield f"Keys of `reward={name}`:\n"
            yield from _table([row for row in rows if not row.kind.startswith("any")])


def _table(rows: Sequence[Listed]) -> Iterator[str]:
    yield from ("| key | type | default | allowed | meaning |", "| --- | --- | --- | --- | --- |")
    for row in rows:
        if row.key.rpartition(".")[2] != "plugin":
            cells = (f"`{row.key}`", row.kind, f"`{_spelt(row.default)}`", row.allowed, row.meaning)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def _spelt(value: Any) -> str:
    """A default as YAML spells it."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_spelt, value)) + "]"
    known = {"None": "null", "True": "true", "False": "false"}
    return known.get(str(value), str(value))


def _head(path: Path) -> str:
    """The comment at the top of a file, in one line."""
    lines = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        if "@package" not in line:
            lines.append(line.lstrip("# ").strip())
    return " ".join(lines).replace("|", "\\|")


def _read(text: str, prefix: str = "") -> dict[str, Said]:
    """Each key of a file, dotted, with its value and the comment behind it, which the next lines may go on with."""
    found: dict[str, Said] = {}
    above, last = "", ""
    for line in text.splitlines():
        match = _KEY.fullmatch(line)
        if match is None:
            if last in found and re.match(r" {8,}#", line):
                one = found[last]
                found[last] = Said(one.value, f"{one.meaning} {line.strip().lstrip('# ')}".strip())
            elif last in found and (item := re.fullmatch(r"  - (.*)", line)):
                found[last] = Said(f"{found[last].value}, {item[1]}".lstrip(", "), found[last].meaning)
            continue
        above = above if match["indent"] else match["key"]
        last = f"{prefix}{above}.{match['key']}" if match["indent"] else f"{prefix}{match['key']}"
        found[last] = Said(match["value"].strip(), (match["comment"] or "").strip())
    return found


if __name__ == "__main__":
    raise SystemExit(main())
