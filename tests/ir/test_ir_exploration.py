"""Where passes stand in a chain, by what each says of itself."""

import pytest

from kernelwright.driver.config.discovery import discover
from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Phase, places
from kernelwright.ir.passes import REGISTRY
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.spec import pass_options


def test_passes_stand_behind_what_they_come_after() -> None:
    found = places(
        {
            "a": Exploration(Phase.FINISH, after=("c", "absent")),
            "b": Exploration(Phase.FINISH),
            "c": Exploration(Phase.FINISH, after=("b",)),
            "d": Exploration(),
            "e": Exploration(),
            "f": Exploration(Phase.TEMPLATE),
        }
    )
    assert sorted(found, key=lambda name: (found[name], name)) == ["f", "d", "e", "b", "c", "a"]
    assert found["d"] == found["e"]


def test_passes_that_come_after_one_another_are_named() -> None:
    with pytest.raises(UserError, match=r"passes come after one another: (x -> y -> x|y -> x -> y); mend `after`"):
        places({"x": Exploration(Phase.FINISH, after=("y",)), "y": Exploration(Phase.FINISH, after=("x",))})


def test_passes_say_of_themselves_only_what_there_is() -> None:
    discover()
    explored = {name: cls.explore for name, cls in REGISTRY.items() if cls.explore is not None}
    assert {"cache-hints", "lower-inductor", "tune"} <= set(explored) and "search" not in explored
    for name, explore in explored.items():
        assert {explored[one].phase for one in explore.after} <= {explore.phase}, name
        assert {option for option, _ in (*explore.fixed, *explore.most)} <= set(pass_options(REGISTRY[name])), name
        for variant in explore.variants:
            assert parse_pipeline(f"{name}{{{variant.options}}}").passes, name
