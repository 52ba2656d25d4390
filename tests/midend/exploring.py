"""Searches that try less than they could, so that tests are quick."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kernelwright.ir.passes import REGISTRY


def keep_variants(monkeypatch: pytest.MonkeyPatch, kept: Mapping[str, tuple[str, ...]]) -> None:
    """Let passes have only the variants with these options."""
    for name, cls in list(REGISTRY.items()):
        if cls.explore is not None:
            variants = tuple(one for one in cls.explore.variants if one.options in kept.get(name, ()))
            monkeypatch.setattr(cls, "explore", replace(cls.explore, variants=variants))
