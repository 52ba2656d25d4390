"""How well searches do for their seconds: what the benchmark makes of the rows of its journal."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.caliber import with_caliber
from benchmarks.search.beside_baselines import FASTER, beside_baselines
from benchmarks.search.curves import by_mode, reached
from benchmarks.search.time_to_quality import (
    COLD,
    SAMPLE,
    Mode,
    due,
    had_after,
    joined,
    kept,
    memory_for,
    remembered,
    summary,
    take_up,
)
from kernelwright.driver.run.journal import Journal
from kernelwright.ir.errors import UserError
from kernelwright.midend.search.memory import Found, Likeness


def row(problem: str, mode: str, us: float, **more: object) -> dict[str, object]:
    curve = [[1.0, 1, 100.0], [4.0, 5, us]]
    return {"problem": problem, "mode": mode, "status": "ok", "plain_us": 100.0, "us": us, "curve": curve, **more}


def rows(*given: dict[str, object]) -> dict[str, dict[str, object]]:
    return {f"{one['problem']} {one['mode']}": one for one in given}


def test_modes_are_read():
    assert Mode.read("15t") == Mode("15t", 15.0, memory=False, timed=True)
    assert Mode.read("5m") == Mode("5m", 5.0, memory=True, timed=False)
    for wrong in ("m", "0", "5x", "5mm", "-3"):
        with pytest.raises(UserError, match="write seconds"):
            Mode.read(wrong)
    assert len(set(SAMPLE)) == 32 and {name[0] for name in SAMPLE[::2]} == {"1"}


def test_a_share_is_of_the_problems_that_have_both():
    found = rows(
        row("a", "60", 25.0), row("a", "15", 50.0), row("b", "60", 50.0), row("b", "15", 50.0), row("c", "60", 9)
    )
    assert kept(found, "15", "60") == {"problems": 2, "share": round(2 / 3, 3)}
    assert kept(found, "5", "60") is None
    failed = rows(row("b", "60", 50.0), {"problem": "b", "mode": "15", "status": "error"}, row("a", "60", 25.0))
    assert kept(failed | rows(row("a", "15", 50.0)), "15", "60") == {"problems": 2, "share": round(1 / 3, 3)}
    assert summary(found)["15_keeps_of_60"]["problems"] == 2


def test_both_searches_of_a_problem_are_compared_with_one_time_of_the_plain_lowering():
    found = rows(row("a", "60", 25.0, plain_us=120.0), row("a", "15", 50.0), row("a", "5", 50.0, plain_us=60.0))
    assert kept(found, "15", "60") == {"problems": 1, "share": 0.5}  # log(100 / 50) of log(100 / 25)


def test_a_search_that_keeps_the_plain_lowering_gains_nothing_however_its_time_is_read():
    found = rows(
        row("a", "60", 25.0), row("a", "15", 130.0, plain_us=130.0), row("b", "60", 50.0), row("b", "15", 50.0)
    )
    assert kept(found, "15", "60") == {"problems": 2, "share": round(1 / 3, 3)}


def test_a_search_from_a_cold_start_is_told_apart():
    found = rows(row("warm-up", COLD, 90.0), row("a", "60", 25.0), row("a", "15", 50.0))
    told = summary(found)
    assert told["first_measured_cold_s"] == [1.0] and told["by_mode"] == {"15": 1, "60": 1}
    assert set(by_mode(list(found.values()))) == {"60", "15"}
    assert set(by_mode(list(found.values()), ["60"])) == {"60"}
    with pytest.raises(UserError, match="no problem"):
        by_mode(list(found.values()), ["60", "5m"])
    assert memory_for("a", found, "h200").found == []


def test_winners_are_told_by_themselves_and_with_the_baselines_that_are_faster():
    found = rows(
        row("1_1", "15t", 25.0, best="fast", speedups={"eager": 4.0, "inductor": 2.0}),
        row("1_2", "15t", 25.0, best="slow", speedups={"eager": 0.8, "inductor": 1.6}),
        row("2_1", "15t", 25.0, best="fast", speedups={"eager": 3.0, "inductor": 0.95}),
        {"problem": "2_2", "mode": "15t", "status": "error", "cause": "none is verified"},
        row("2_3", "15t", 25.0, best="refused", timing="mismatch@time"),
    )
    told = summary(found)["15t_beside_baselines"]
    own, fastest = told["own"]["all"], told["fastest"]["all"]
    assert own["problems"] == 5 and own["winners"] == own["over"][FASTER]["problems"] == 3
    assert own["over"][FASTER]["geomean"] == pytest.approx((2.0 * 0.8 * 0.95) ** (1 / 3), abs=1e-3)
    assert own["over"]["inductor"]["ci"][0] < (2.0 * 1.6 * 0.95) ** (1 / 3) < own["over"]["inductor"]["ci"][1]
    assert own["at_least_0.97"] == 1 and own["below_0.9"] == ["1_2"] and own["slower"] == {"1_2": 0.8, "2_1": 0.95}
    assert own["without"] == {"2_2": "none is verified", "2_3": "mismatch@time"}
    # A baseline is the fastest of two, and where there is no winner nothing is gained.
    assert fastest["results"] == {"eager": 1, "inductor": 1, "candidate": 1}
    assert fastest["over"][FASTER]["geomean"] == pytest.approx(2.0 ** (1 / 5), abs=1e-3)
    assert fastest["over"]["inductor"]["geomean"] == pytest.approx((2.0 * 2.0) ** (1 / 5), abs=1e-3)
    assert told["fastest"]["level 1"]["problems"] == 2 and told["own"]["level 2"]["slower"] == {"2_1": 0.95}
    assert beside_baselines([row("a", "15", 25.0)]) is None


def test_memory_leaves_the_problem_itself_out_and_takes_the_longest_search():
    def remembered(winner: str) -> dict[str, object]:
        return asdict(Found(winner, "h200", Likeness({"load": 2}, (10.0,)), winner, 2.0))

    found = rows(
        row("a", "60", 25.0, found=remembered("of a")),
        row("b", "15", 25.0, found=remembered("short")),
        row("b", "60", 25.0, found=remembered("long")),
        row("c", "5m", 25.0, found=remembered("with memory")),
    )
    assert [one.winner for one in memory_for("a", found, "h200").found] == ["long"]
    assert {one.winner for one in memory_for("c", found, "h200").found} == {"of a", "long"}
    elsewhere = memory_for("c", found, "h100")
    assert elsewhere.all_winners("h100") == ("of a", "long") and not elsewhere.all_winners("h200")


def test_memory_may_be_that_of_other_results(tmp_path: Path):
    told = {"caliber": {"device": "H100", "commit": "abc"}, "results": [{"id": "a 60", **row("a", "60", 25.0)}]}
    path = tmp_path / "other.json"
    path.write_text(json.dumps(told))
    others, said = remembered(path)
    assert list(others) == ["a 60"] and said == {"memory": "other.json: H100, commit abc"}
    assert remembered(None) == ({}, {})
    with pytest.raises(UserError, match="--memory"):
        remembered(tmp_path / "none.json")


def test_a_problem_begins_where_there_is_time_for_all_that_is_due_of_it():
    modes = [Mode.read("5m"), Mode.read("60")]
    assert due("a", modes, [], 98.0) == modes and due("a", modes, [], 97.0) == []
    assert due("a", modes, ["a 5m"], 91.0) == modes[1:] and due("a", modes, ["a 60"], 8.0) == modes[:1]
    assert due("a", modes, ["a 5m", "a 60"], 98.0) == []
    assert due("a", [Mode.read("15t")], ["b 15t"], 44.0) == []


def test_a_run_goes_on_from_its_results_alone(tmp_path: Path):
    out, common = tmp_path / "out.json", {"target": "h200"}
    found = rows(row("a", "60", 25.0), row("a", "15", 50.0))
    told = [{"id": name, **one} for name, one in found.items()]
    out.write_text(json.dumps({"made_with": common, "results": told}))
    with Journal(tmp_path / "journal", common) as journal:
        take_up(out, common, journal)
        take_up(tmp_path / "no such file", common, journal)
        assert {name: {**one, "id": name} for name, one in found.items()} == journal.results
    with Journal(tmp_path / "other", {}) as journal, pytest.raises(UserError, match="was made with"):
        take_up(out, {"target": "h100"}, journal)


def test_what_a_long_search_had_early_is_told():
    found = rows(row("a", "60", 25.0), row("b", "60", 50.0) | {"curve": [[9.0, 1, 100.0], [9.5, 2, 50.0]]})
    assert had_after(found, "60", 1.0) == pytest.approx(1 / 3, abs=1e-3)
    assert had_after(found, "60", 3.0) == 1.0
    assert had_after(found, "15", 3.0) is None


def test_curves_are_of_the_problems_that_every_mode_has():
    lines = by_mode([row("a", "60", 25.0), row("b", "60", 25.0), row("a", "15", 50.0)])
    assert {mode: len(found) for mode, found in lines.items()} == {"60": 1, "15": 1}
    assert [reached(lines["60"], seconds) for seconds in (0.5, 2.0, 4.0)] == [1.0, 1.0, pytest.approx(4.0)]
    slow_start = row("a", "60", 25.0) | {"curve": [[1.0, 1, 200.0], [4.0, 5, 50.0]]}
    assert reached([slow_start], 4.0) == pytest.approx(2.0)  # over the plain lowering, not over what came first
    with pytest.raises(UserError, match="no problem"):
        by_mode([row("a", "60", 25.0), row("b", "15", 25.0)])


def test_a_row_tells_what_its_caliber_has_that_the_others_have_not() -> None:
    file, later = {"cpus": 32, "python": "3"}, {"cpus": 64, "python": "9"}
    for row, first, told in (({}, file, None), ({}, later, file), ({"cpus": 16}, later, file | {"cpus": 16})):
        given = {"us": 1.0} | ({"caliber": row} if row else {})
        assert with_caliber(given, file, first) == {"us": 1.0} | ({"caliber": told} if told else {})
    assert with_caliber({"caliber": {"cpus": 16}}, file, file | {"cpus": 16}) == {}


def test_results_of_shards_are_joined(tmp_path: Path):
    made = {"device": "a", "seed": 0}
    shards = []
    for name in ("a", "b"):
        each = rows(row(name, "60", 25.0), row(name, "5m", 50.0)) | {f"{COLD} 1": row("warm-up", COLD, 90.0)}
        shards.append(tmp_path / f"{name}.json")
        given = {
            "command": f"of {name}",
            "made_with": made,
            "caliber": {"commit": "c", "cpus": 32 if name == "a" else 16},
            "results": [one | {"id": n} for n, one in each.items()],
        }
        shards[-1].write_text(json.dumps(given))
    content = joined(shards)
    assert content["of"] == ["of a", "of b"]
    assert [one["id"] for one in content["results"]] == ["a 5m", "a 60", "b 5m", "b 60", f"{COLD} 1", f"{COLD} 2"]
    assert [one.get("caliber") for one in content["results"]] == [*[None] * 2, *[{"cpus": 16}] * 2, None, {"cpus": 16}]
    assert content["summary"]["5m_keeps_of_60"] == {"problems": 2, "share": 0.5}
    assert content["summary"]["first_measured_cold_s"] == [1.0, 1.0] and content["made_with"] == made
    later = json.loads(shards[1].read_text()) | {"results": [row("a", "60", 7.0) | {"id": "a 60"}]}
    shards[1].write_text(json.dumps(later))
    assert joined(shards)["results"][1] == content["results"][1]  # a row is measured once
    shards[1].write_text(json.dumps(later | {"made_with": made | {"device": "b"}}))
    with pytest.raises(UserError, match=r"b\.json: made with .*'device': 'b'"):
        joined(shards)
