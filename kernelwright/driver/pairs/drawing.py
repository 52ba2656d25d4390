"""Which generated program a seed stands for: one of a difficulty, or one of a family of problems."""

from dataclasses import dataclass
from typing import Any

from kernelwright.driver.pairs.settings import ALL, MIXED, PairSettings
from kernelwright.frontend import families, generate
from kernelwright.frontend.difficulties import MIXED_LEVELS
from kernelwright.ir.errors import check_choice
from kernelwright.rl.data.normal_form import normal_digest


@dataclass(frozen=True)
class Drawing:
    """Programs by seed. Where there are several families, or levels, they take turns."""

    difficulty: str
    families: tuple[str, ...]

    @classmethod
    def of(cls, settings: PairSettings) -> "Drawing":
        """What the settings ask for. Raises UserError for a family that there is not."""
        if not settings.families:
            return cls(settings.difficulty, ())
        known = families.family_names()
        if settings.families == (ALL,):
            return cls(settings.difficulty, known)
        for name in settings.families:
            check_choice("families", name, known)
        return cls(settings.difficulty, settings.families)

    def kind(self, seed: int) -> str | int:
        """The family of a seed's program, or its level."""
        if self.families:
            return self.families[seed % len(self.families)]
        return MIXED_LEVELS[seed % len(MIXED_LEVELS)] if self.difficulty == MIXED else int(self.difficulty)

    def name(self, seed: int) -> str:
        """The id of a seed's program."""
        return f"generated/{self.kind(seed)}/{seed}"

    def source(self, seed: int) -> str:
        """The program."""
        kind = self.kind(seed)
        return families.family_program(kind, seed) if isinstance(kind, str) else generate.generate_program(seed, kind)

    def provenance(self, seed: int, source: str) -> dict[str, Any]:
        """What says which program it is; of a family's also which normal form it has."""
        kind = self.kind(seed)
        if isinstance(kind, str):
            normal = normal_digest(source)
            return {"seed": seed, "family": kind, "generator": families.VERSION, "normal_form": normal}
        return {"seed": seed, "difficulty": kind, "generator": generate.VERSION}

    def made_with(self) -> dict[str, Any]:
        """What programs follow from besides their seed."""
        if self.families:
            return {"families": list(self.families), "generator": families.VERSION}
        return {"generator": generate.VERSION, "difficulty": self.difficulty}
