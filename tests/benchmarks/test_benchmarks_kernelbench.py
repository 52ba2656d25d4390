"""The benchmark on KernelBench: how its figures are reckoned, what is due again, and all of it on small programs."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.driver.config.discovery import discover
from kernelwright.evaluation.judge.comparison import Timing
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.program import Program
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline

ROOT = str(Path(__file__).parents[2])
PROGRAM = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return {body}

def get_inputs():
    return [torch.randn(8, 37)]
"""
QUICK = "pipeline.passes=[{search:{width:2,most:2,trials:1}}]"


@pytest.fixture(scope="module")
def bench():
    return importlib.import_module("benchmarks.kernelbench.kernelbench")


@pytest.fixture(scope="module")
def summary(bench):
    assert bench
    return sys.modules["benchmarks.kernelbench.kernelbench_summary"]


@pytest.fixture(scope="module")
def memory(bench):
    assert bench
    return sys.modules["benchmarks.kernelbench.kernelbench_memory"]


@pytest.fixture(scope="module")
def work(bench):
    assert bench
    return sys.modules["benchmarks.kernelbench.kernelbench_work"]


def row(number, times, *, level=1, low=None, **more):
    """A measured row: milliseconds by side, and the lower ends of the intervals."""
    speedup = {name: time / times["candidate"] for name, time in times.items() if name != "candidate"}
    ends = {name: [(low or {}).get(name, 0.99 * ratio), 1.01 * ratio] for name, ratio in speedup.items()}
    labels = {"id": f"{level}_{number}", "level": level, "problem_id": number, "problem": f"{number}_x.py"}
    found = {"status": "ok", "how": "measured", "spec": "lower-inductor", "convolution": False, "caliber": {}}
    found |= {"numerics": "torch"}
    found |= {"times_ms": times, "speedup": speedup, "ci": ends, "mode": {}, "tried": list(speedup)}
    return labels | found | more


def test_where_a_baseline_is_the_fastest_it_is_the_result(bench, summary) -> None:
    found = summary.outcome(row(1, {"candidate": 2.0, "eager": 1.0, "inductor": 4.0}))
    assert (found.winner, found.handed_back, found.time_ms) == ("eager", True, 1.0)
    assert found.ratio == {"eager": 1.0, "inductor": 4.0}
    assert found.candidate_over(["eager", "inductor"]) == 0.5
    assert not found.surely_faster(["eager", "inductor"])
    told = bench.public(row(1, {"candidate": 2.0, "eager": 1.0, "inductor": 4.0}, module="class Model"))
    assert (told["winner"], told["speedup"]["eager"]) == ("eager", 0.5)
    assert "module" not in told


def test_a_candidate_is_surely_faster_if_its_intervals_say_so(summary) -> None:
    times = {"candidate": 1.0, "eager": 1.3, "inductor": 1.02}
    assert summary.outcome(row(1, times)).surely_faster(["eager", "inductor"])
    unsure = summary.outcome(row(1, times, low={"inductor": 0.98}))
    assert not unsure.handed_back
    assert not unsure.surely_faster(["eager", "inductor"])


def test_figures_are_geometric_means_and_shares_by_level(summary) -> None:
    rows = [
        row(1, {"candidate": 1.0, "eager": 4.0, "inductor": 2.0, "inductor-max-autotune": 1.3}),
        row(2, {"candidate": 1.0, "eager": 0.5, "inductor": 2.0}),
        row(3, {"candidate": 1.0, "eager": 9.0, "inductor": 8.0}, level=2),
        {"id": "2_4", "level": 2, "status": "timeout", "cause": "more than 9 s"},
    ]
    found = summary.summarize(rows)
    first, second, whole = found["level 1"], found["level 2"], found["all"]
    assert first["over"]["inductor"]["geomean"] == pytest.approx((2 * 4) ** 0.5, abs=1e-3)
    assert first["over"]["best of eager, inductor"]["geomean"] == pytest.approx(2**0.5, abs=1e-3)
    assert first["over"]["inductor-max-autotune"] | {"ci": None} == {
        "problems": 1, "geomean": 1.3, "ci": None, "fast": {"1": 1.0, "1.2": 1.0, "1.5": 0.0, "2": 0.0}
    }  # fmt: skip
    assert (first["worst_result"], first["worst_candidate"], first["surely_faster"]) == (1.0, 0.5, 0.5)
    assert first["results"] == {"eager": 1, "inductor": 0, "candidate": 1}
    # A problem that failed runs as it would without: it counts, with 1.
    assert second["over"]["inductor"]["geomean"] == pytest.approx(8**0.5, abs=1e-3)
    assert second["over"]["inductor"]["fast"]["1"] == 0.5
    assert whole["by_status"] == {"ok": 3, "timeout": 1}
    low, high = whole["over"]["eager"]["ci"]
    assert low < whole["over"]["eager"]["geomean"] < high


def test_distance_to_the_floor_takes_tf32_for_convolutions_alone(summary) -> None:
    entry = {"bytes": 1, "flops": 1, "inductor_default_ms": 4.0, "floor_fp32_ms": 2.0, "floor_tf32_ms": 0.5}
    floors = {"level1": {"1_x.py": entry | {"floor_memory_ms": 1.0}, "2_x.py": entry | {"floor_memory_ms": 1.0}}}
    times = {"candidate": 1.1, "eager": 9.0, "inductor": 4.4}
    rows = [row(1, times, convolution=True), row(2, times), row(3, times), row(2, times, shrunken=True)]
    ieee = row(1, times, convolution=True, numerics="ieee")
    assert not summary.floor_of(ieee, floors).memory_bound
    found = summary.summarize(rows, floors)["all"]["floor"]
    assert found["problems"] == 2
    assert found["memory_bound"] == {"problems": 1, "median": 1.1}
    assert found["geomean"] == pytest.approx((1.1 * 0.55) ** 0.5, abs=1e-3)
    assert found["worst_offenders"] == {"problems": 1, "median_over_inductor": 4.0}
    # Where nothing was verified, an offender is as slow as it was.
    refused = {"id": "1_1", "problem": "1_x.py", "level": 1, "status": "mismatch", "convolution": True}
    found = summary.summarize([*rows, refused], floors)["all"]["floor"]
    assert found["worst_offenders"] == {"problems": 2, "median_over_inductor": 2.5} and found["problems"] == 2


def test_baselines_are_added_by_their_ratio_to_the_candidate_beside_them(work) -> None:
    before = row(1, {"candidate": 1.0, "eager": 3.0, "inductor": 2.0}, module="text")
    later = row(1, {"candidate": 1.1, "inductor-max-autotune": 1.65})
    joined = work.added(before, later)
    assert joined["speedup"] == pytest.approx({"eager": 3.0, "inductor": 2.0, "inductor-max-autotune": 1.5})
    assert joined["times_ms"]["inductor-max-autotune"] == pytest.approx(1.5)
    assert joined["later"][0]["times_ms"]["candidate"] == 1.1
    assert joined["tried"] == ["eager", "inductor", "inductor-max-autotune"]


def test_bad_arguments_are_named(bench, tmp_path: Path) -> None:
    assert bench.read_levels("1, 2") == {1, 2} and bench.read_levels("") == frozenset()
    with pytest.raises(UserError, match="--levels 1,x: 'x' is no level; write 1,2"):
        bench.read_levels("1,x")
    with pytest.raises(UserError, match=r"--known .*gone.json: No such file or directory; name the file"):
        bench.known_rows(tmp_path / "gone.json", {})
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(UserError, match=r"--floors .*broken.json: not JSON"):
        bench.read_floors(tmp_path / "broken.json")


def test_problems_are_chosen_by_level_name_and_shard(bench, tmp_path: Path) -> None:
    place = tmp_path / "problems.jsonl"
    lines = [{"level": n, "problem_id": i, "name": f"{i}_x.py", "code": "nn.Conv2d"} for n in (1, 2) for i in (1, 3, 5)]
    place.write_text("\n".join(map(json.dumps, lines)))

    def names(levels=(1, 2), only=(), shard="1/1"):
        found = bench.read_problems(place, frozenset(levels), frozenset(only), bench.read_shard(shard))
        return [program.name for program in found]

    assert names(levels=[2]) == ["2_1", "2_3", "2_5"]
    assert names(levels=[1], only=["2_3"]) == ["2_3"]
    assert sorted(names(shard="1/2") + names(shard="2/2")) == ["1_1", "1_3", "1_5", "2_1", "2_3", "2_5"]
    with pytest.raises(UserError, match="2_4"):
        names(only=["2_4"])
    with pytest.raises(UserError, match="I/N"):
        bench.read_shard("3/2")
    (program,) = bench.read_problems(place, frozenset(), frozenset(["1_5"]), (1, 1))
    assert program.labels == {"problem": "5_x.py", "level": 1, "problem_id": 5, "convolution": True}


def test_what_failed_for_want_of_memory_is_tried_again_alone(work, tmp_path: Path) -> None:
    short = {"status": "unsupported", "cause": "the reference failed: CUDA out of memory. Tried", "module": "text"}
    refused = {"status": "unsupported", "cause": "the reference failed: no such operator", "module": "text"}
    with work.Journal(tmp_path / "journal", {}) as journal:
        journal.add("1_1", short)
        journal.add("1_2", refused)
        some = work.Bench(journal, None, ("eager",), (1, 1), 60.0, 2, 2, frozenset(), None, None)
        again = some._crowded(work.Program("1_1", "", {}))
        assert (again.module, again.baselines) == ("text", ("eager",))
        assert some._crowded(work.Program("1_2", "", {})) is None


def test_memory_is_shared_out_until_its_owner_ends(memory, tmp_path: Path) -> None:
    shares = memory.Shares(100, tmp_path / "shares.json")
    held = "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
    held += "from benchmarks.kernelbench import kernelbench_memory as m\n"
    held += "m.Shares(100, Path(sys.argv[2]))._set(60); print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", held, ROOT, str(shares.ledger)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None and owner.stdout.readline() == "held\n"
        assert not shares._set(41)
        with shares.of(40):
            assert not shares._set(41)
        owner.kill()
    with shares.of(1000):  # all there is
        assert json.loads(shares.ledger.read_text()) == {str(os.getpid()): 100}
    assert json.loads(shares.ledger.read_text()) == {str(os.getpid()): 0}
    module = import_source(PROGRAM.format(body="torch.relu(x)"), "relu", shrink="never")
    assert memory.need_of(module.reference) == memory.PER_BYTE * 2 * 8 * 37 * 4 + memory.CONTEXTS


@pytest.fixture(scope="module")
def finished(bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two programs searched and judged on the CPU, and one that takes its process along."""
    folder = tmp_path_factory.mktemp("kernelbench")
    fatal = PROGRAM.format(body="x").replace("import torch", "import os, torch\nos._exit(3)", 1)
    codes = [PROGRAM.format(body="torch.relu(x) * 2"), fatal, PROGRAM.format(body="x.softmax(-1)")]
    rows = [{"level": 1, "problem_id": i, "name": f"{i}_x.py", "code": code} for i, code in enumerate(codes, 1)]
    (folder / "problems.jsonl").write_text("\n".join(map(json.dumps, rows)))
    out = folder / "out.json"
    status = bench.main(["--problems", str(folder / "problems.jsonl"), "--out", str(out), "--plot", "--jobs=2", QUICK])
    assert status == 1
    return out


@pytest.mark.slow
def test_problems_are_searched_verified_and_estimated_without_a_gpu(finished: Path) -> None:
    text = finished.read_text("utf-8")
    assert "class Model" not in text
    content = json.loads(text)
    relu, fatal, softmax = content["results"]
    assert (relu["status"], fatal["status"], softmax["status"]) == ("ok", "crash", "ok")
    assert relu["how"] == softmax["how"] == "cost model, estimated for h100" == content["summary"]["how"][0]
    assert relu["ratio"]["lower-inductor"] >= 1.0
    assert relu["caliber"]["device"] == "interpreter" and relu["rungs"][-1] == "interpret"
    assert relu["search"]["judged"] >= 1
    drawn = finished.with_name("out-speedup.svg").read_text("utf-8")
    for word in ("out: speedup by problem", "problem", "level 1"):  # the run's name, the axis, the legend
        assert f">{word}</text>" in drawn, word
    assert finished.with_name("out-speedup.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_run_goes_on_where_it_was(bench, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--problems", str(finished.with_name("problems.jsonl")), "--out", str(finished), QUICK]
    before = finished.with_name("out.json.journal").read_bytes()
    assert bench.main(arguments) == 2
    assert "--resume" in capsys.readouterr().err
    assert bench.main([*arguments, "--resume"]) == 1
    assert finished.with_name("out.json.journal").read_bytes() == before
    assert bench.main(["--out", str(finished)]) == 1
    assert json.loads(capsys.readouterr().out.partition("}\n{")[0] + "}")["all"]["problems"] == 3


@pytest.mark.slow
def test_a_winner_is_measured_against_more_baselines_without_another_search(bench, work, finished: Path) -> None:
    journal = finished.with_name("out.json.journal")
    rows = [json.loads(line) for line in journal.read_text("utf-8").splitlines()[1:]]
    known = {row["id"]: row for row in rows}
    programs = list(bench.read_problems(finished.with_name("problems.jsonl"), frozenset([1]), frozenset(), (1, 1)))
    wanted = ("lower-inductor", "inductor-max-autotune")
    with bench.Journal(finished.with_name("another.journal"), {}) as empty:
        for name, found in known.items():
            empty.add(name, found)
        some = work.Bench(empty, None, wanted, (1, 1), 60.0, 1, 1, frozenset(["crash"]), None, None)
        relu, fatal, _ = map(some._due, programs)
    assert relu.baselines == ("inductor-max-autotune",) and relu.module == known["1_1"]["module"] and relu.judged
    assert fatal.baselines == wanted and fatal.module == "" and not fatal.judged


@pytest.mark.slow
def test_pipelines_that_another_run_found_are_run_instead_of_a_search(
    bench, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads(finished.read_text("utf-8"))
    known, out = tmp_path / "known.json", tmp_path / "out.json"
    kept, _, changed = content["results"]
    changed |= {"digest": "0" * 64, "errors": {"rms": 99.0}}
    known.write_text(json.dumps(content))
    arguments = ["--problems", str(finished.with_name("problems.jsonl")), "--out", str(out), "--known", str(known)]
    assert bench.main([*arguments, "--only=1_1,1_3", "--jobs=2", QUICK]) == 0
    relu, softmax = json.loads(out.read_text("utf-8"))["results"]
    assert relu == kept
    assert softmax["spec"] == changed["spec"] and softmax["digest"] != changed["digest"]
    assert softmax["errors"]["rms"] < 1.0 and softmax["search"] == changed["search"]
    capsys.readouterr()
    known.write_text(json.dumps(content | {"made_with": content["made_with"] | {"seed": 99}}))
    assert bench.main([*arguments, "--resume", QUICK]) == 2
    assert "seed=99" in capsys.readouterr().err


@pytest.mark.slow
def test_what_the_time_rung_says_becomes_a_row(summary) -> None:
    problem = sys.modules["benchmarks.kernelbench.kernelbench_problem"]
    discover()
    module = import_source(PROGRAM.format(body="torch.relu(x) * 2"), "double", shrink="never")
    lowered = parse_pipeline("lower-inductor").run(module, Context("h100"))
    timing = Timing(baselines=("eager",), processes=(1, 1), budget_s=0.2, warm_up_s=0.0)
    with LocalEvaluator("h100", use_gpu=False, timing=timing) as evaluator:
        _, _, found = evaluator.compare(Program.of_module(lowered), "cpu")
    assert found is not None
    verdict = Verdict(Status.OK, Rung.TIME, times_ms=found["times_ms"], caliber={"device": "cpu", "timing": found})
    told = row(1, {"candidate": 1.0}) | problem.times(verdict) | {"caliber": problem.caliber_of(verdict)}
    told = json.loads(json.dumps(told))
    assert told["caliber"]["trials"]["processes"] == [1, 1] and "timing" not in told["caliber"]
    ratio = told["times_ms"]["eager"] / told["times_ms"]["candidate"]
    assert told["ci"]["eager"][0] <= told["speedup"]["eager"] <= told["ci"]["eager"][1]
    assert summary.outcome(told).ratio["eager"] == pytest.approx(max(1.0, ratio), rel=1e-6)
