"""The evaluator's own suite: candidates that must be accepted and candidates that must not.

Files are data: `references/KIND/NAME.py` are KernelBench programs, `honest/CLASS/NAME.py` and `cheats/CLASS/NAME.py`
candidates for them. A candidate starts with comment lines of the form `# key: value`:

- `reference`: the reference's name; every candidate has it
- `class`: what a cheat tries
- `needs`: `gpu` where the candidate works, or can be told from honest work, on a CUDA device alone
- `dialect`: `refused` for honest work that the closed dialect does not express
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SUITE = Path(__file__).parent
_KEYS = frozenset({"reference", "class", "needs", "dialect"})

Kind = Literal["honest", "cheat"]


@dataclass(frozen=True)
class Case:
    """One candidate.

    `name` is `folder/stem`, unique within its kind. `threat` is what a cheat tries, "" for honest work; `refused` says
    that the dialect is expected to refuse it, which is no fault; `needs_gpu` that it means nothing without CUDA.
    """

    name: str
    kind: Kind
    path: Path
    text: str
    reference_path: Path
    needs_gpu: bool = False
    threat: str = ""
    refused: bool = False

    @property
    def id(self) -> str:
        """Name for reports, unique in the suite."""
        return f"{self.kind}/{self.name}"

    @property
    def reference_text(self) -> str:
        """Source of the program that the candidate claims to compute."""
        return self.reference_path.read_text("utf-8")


def read_case(path: Path, kind: Kind) -> Case:
    """Read one candidate. Raises ValueError, naming the file, for a header that does not say enough."""
    text = path.read_text("utf-8")
    header = _header(text)
    if unknown := sorted(header.keys() - _KEYS):
        raise ValueError(f"{path}: unknown header key {unknown[0]!r}")
    references = list(SUITE.glob(f"references/*/{header.get('reference', '')}.py"))
    if len(references) != 1:
        raise ValueError(f"{path}: its header names {len(references)} references of {SUITE / 'references'}, not one")
    if (kind == "cheat") != bool(header.get("class")):
        raise ValueError(f"{path}: cheats, and only they, name their class")
    return Case(
        name=f"{path.parent.name}/{path.stem}",
        kind=kind,
        path=path,
        text=text,
        reference_path=references[0],
        needs_gpu=header.get("needs") == "gpu",
        threat=header.get("class", ""),
        refused=header.get("dialect") == "refused",
    )


def load_cases(kind: Kind | None = None) -> tuple[Case, ...]:
    """Every candidate, honest ones first, in the order of their paths; of one kind where that is given."""
    folders: Mapping[Kind, str] = {"honest": "honest", "cheat": "cheats"}
    wanted: tuple[Kind, ...] = (kind,) if kind else ("honest", "cheat")
    return tuple(read_case(path, one) for one in wanted for path in sorted((SUITE / folders[one]).glob("*/*.py")))


def _header(text: str) -> dict[str, str]:
    """The `# key: value` lines at the start."""
    found = {}
    for line in text.splitlines():
        key, separator, value = line.removeprefix("# ").partition(": ")
        if not (line.startswith("# ") and separator):
            break
        found[key] = value.strip()
    return found
