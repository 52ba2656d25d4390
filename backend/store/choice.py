"""A configuration of one of Inductor's templates for products, as an entry of kind `choice` has it."""

import json
from dataclasses import asdict, dataclass, fields

#: Inductor's templates that may be chosen, by the names that Inductor has them under.
TEMPLATES = ("mm", "bmm", "mm_persistent_tma")


@dataclass(frozen=True)
class TemplateChoice:
    """One template with its tile sizes in elements, the tiles whose order is changed together, and what Triton is told.

    Raises ValueError for a template that may not be chosen, and for numbers below 1.
    """

    template: str
    block_m: int
    block_n: int
    block_k: int
    group_m: int
    num_stages: int
    num_warps: int

    def __post_init__(self) -> None:
        if self.template not in TEMPLATES:
            raise ValueError(f"template {self.template!r} is none of {', '.join(TEMPLATES)}")
        numbers = {name: value for name, value in asdict(self).items() if name != "template"}
        if wrong := [name for name, value in numbers.items() if type(value) is not int or value < 1]:
            raise ValueError(f"{wrong[0]}={numbers[wrong[0]]!r}: give a whole number above 0")

    @property
    def text(self) -> str:
        """The choice as JSON; equal choices have equal texts."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def parse(cls, text: str) -> "TemplateChoice":
        """Read `text`; raises ValueError for anything else."""
        content = json.loads(text)
        if not isinstance(content, dict) or content.keys() != {one.name for one in fields(cls)}:
            raise ValueError("it is no choice of a template")
        return cls(**content)

    def __str__(self) -> str:
        tile = f"{self.block_m} x {self.block_n} x {self.block_k}"
        return f"{self.template} in tiles of {tile}, {self.num_warps} warps, {self.num_stages} stages"
