"""What a context carries for searches."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class SearchServices:
    """Where searches keep what they find out, and what their verdicts depend on.

    `journals` is the folder; None for one in the cache. `judging` are settings of the evaluator: what was found under
    other settings is not used.
    """

    journals: Path | None = None
    judging: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
