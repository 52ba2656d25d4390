"""`kernelwright data pairs`: pairs that are verified, neither twice nor copied, and the same after a kill."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kernelwright.agent.reading import fenced
from kernelwright.agent.rewards import make_reward
from kernelwright.driver.cli import main
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.train_settings import ProblemSettings
from kernelwright.driver.pairs.making import PairRun
from kernelwright.driver.pairs.settings import read_pair_settings
from kernelwright.driver.pairs.summary import token_counter
from kernelwright.driver.run.journal import Journal
from kernelwright.driver.training.given import paired_modules
from kernelwright.driver.verbs import data
from kernelwright.frontend.difficulties import HELD_OUT
from kernelwright.frontend.families import family_names
from kernelwright.frontend.generate import generate_program
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.agent import MidendAgent
from kernelwright.rl.data.contamination import form_is_held_out
from kernelwright.rl.data.normal_form import normal_digest
from kernelwright.rl.data.rows import TEST, TRAIN, Pair, read_rows

QUICK = ("rungs=parse,interpret", "evaluator.seeds=1", "held_out=0", "count=0")
LEVELS = {"frontend": Level.TORCH, "midend": Level.TRITON}
EXPRESSIONS = ("torch.relu(x) * 2", "torch.sin(x) + y", "torch.exp(-x.abs()) / 3")


def program(expression: str, size: int = 7, x: str = "x", y: str = "y") -> str:
    words = {"x": x, "y": y}
    text = "".join(words.get(part, part) for part in re.split(r"\b", expression))
    return (
        "import torch\n\n\nclass Model(torch.nn.Module):\n"
        f"    def forward(self, {x}, {y}):\n        return {text}\n\n\n"
        f"def get_inputs():\n    return [torch.rand(4, {size}), torch.rand(4, {size})]\n"
    )


def write_problems(path: Path, sources: Sequence[str], split: str = TRAIN) -> Path:
    rows = [{"id": f"p{index}", "source": source, "split": split} for index, source in enumerate(sources)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def make(out: Path, *overrides: str) -> int:
    return main(["data", "pairs", f"out={out}", *QUICK, *overrides])


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(f"{out}.summary.json").read_text())
    return found


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("problems")
    sources = [program(expression) for expression in EXPRESSIONS]
    sources += [program(EXPRESSIONS[0], x="a", y="b"), "import torch\n"]
    return write_problems(folder / "problems.jsonl", sources)


@pytest.fixture(scope="module")
def finished(problems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pairs of the problems, made without interruption by one process."""
    out = tmp_path_factory.mktemp("finished") / "pairs.jsonl"
    assert make(out, f"problems={problems}", "workers=1") == 0
    return out


def test_pairs_are_verified_and_read_back(finished: Path) -> None:
    pairs = read_rows(finished, Pair)
    assert [pair.problem for pair in pairs] == ["p0", "p1", "p2"]
    for pair in pairs:
        before, after = pair.modules()
        assert before.launcher is None and after.launcher is not None and after.reference == before.reference
        assert "REFERENCE" not in pair.after and "record" not in pair.before
        assert (pair.stage, pair.split, pair.provenance["pipeline"]) == ("frontend", TRAIN, "lower-inductor")
        assert pair.provenance["rungs"] == ["parse", "interpret"] and pair.provenance["caliber"]["seeds"] == 1


def test_the_summary_counts_what_became_of_problems(finished: Path) -> None:
    found = summary(finished)
    assert found["by_status"] == {"ok": 3, "duplicate": 1, "not_imported": 1}
    assert (found["finished"], found["problems"], found["pairs"]) == (True, 5, 3)
    assert found["lengths"]["characters"]["after"]["max"] == max(len(p.after) for p in read_rows(finished, Pair))


def test_a_problem_that_was_edited_is_made_anew(tmp_path: Path) -> None:
    out, place = tmp_path / "pairs.jsonl", tmp_path / "problems.jsonl"
    for expression in EXPRESSIONS[:2]:
        write_problems(place, [program(expression)])
        assert make(out, f"problems={place}", "workers=1", "lower=lower-inductor{fuse=false},cache-hints") == 0
        (pair,) = read_rows(out, Pair)
        assert f"return {expression}" in pair.before
    assert pair.provenance["pipeline"] == "lower-inductor{fuse=false},cache-hints"


def test_problems_of_one_name_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = [write_problems(tmp_path / f"{name}.jsonl", [program(EXPRESSIONS[0])]) for name in "ab"]
    assert make(tmp_path / "pairs.jsonl", f"problems={places[0]},{places[1]}") == 2
    assert "problems: 'p0' is there twice" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_to_the_same_file(problems: Path, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    journal = Path(f"{out}.journal")
    command = [sys.executable, "-m", "kernelwright.driver.cli", "data", "pairs", f"out={out}", *QUICK]
    with subprocess.Popen([*command, f"problems={problems}", "workers=1"], stderr=subprocess.DEVNULL) as process:
        while not journal.is_file() or journal.read_bytes().count(b"\n") < 2:
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    with journal.open("ab") as file:  # as if it had been killed while it wrote
        file.write(b'{"id": "p1", "sour')
    kept = journal.read_bytes().count(b"\n")
    assert not out.exists() and kept < 5
    assert make(out, f"problems={problems}", "workers=2") == 0
    assert out.read_bytes() == finished.read_bytes()
    lines = journal.read_bytes().splitlines()
    assert len(lines) == 5 and len({json.loads(line)["id"] for line in lines[1:]}) == 4  # nothing was made twice


def test_a_finished_run_is_read_from_its_journal(problems: Path, finished: Path) -> None:
    before = finished.read_bytes()
    assert make(finished, f"problems={problems}", "timeout_s=0.001") == 0  # nothing could be made in that time
    assert finished.read_bytes() == before
    assert make(finished, f"problems={problems}", "max_chars=10") == 1
    assert summary(finished)["by_status"]["too_long"] == 3
    assert make(finished, f"problems={problems}") == 0
    assert finished.read_bytes() == before


def test_programs_with_much_to_read_and_write_stay_out(tmp_path: Path) -> None:
    given = write_problems(tmp_path / "rows.jsonl", [program(EXPRESSIONS[0], size) for size in (999, 1001)])
    out = tmp_path / "pairs.jsonl"
    assert make(out, f"problems={given}", "answers=false", "max_mb=0.048") == 0  # x, y and an output of 4 rows
    assert [pair.problem for pair in read_rows(out, Pair)] == ["p0"]
    assert summary(out)["by_status"] == {"ok": 1, "too_large": 1}


def test_copies_of_evaluation_problems_stay_out(problems: Path, finished: Path, tmp_path: Path) -> None:
    against = write_problems(tmp_path / "evaluation.jsonl", [program(EXPRESSIONS[1], 512, x="left", y="right")])
    before = finished.read_bytes()
    assert make(finished, f"problems={problems}", f"against={against}") == 0
    assert (summary(finished)["copies"], summary(finished)["copied_from"]) == ({"p1": "p0"}, {"evaluation": 1})
    assert [pair.problem for pair in read_rows(finished, Pair)] == ["p0", "p2"]
    assert make(finished, f"problems={problems}") == 0 and finished.read_bytes() == before


def settings_for(tmp_path: Path, *overrides: str) -> PairRun:
    discover()
    return PairRun(read_pair_settings([f"out={tmp_path / 'pairs.jsonl'}", *overrides]))


def test_forms_to_measure_with_are_others_than_those_to_learn_from(tmp_path: Path) -> None:
    run = settings_for(tmp_path, "count=60", "held_out=9", "first=100", "difficulty=0")
    with Journal(tmp_path / "journal", {}) as journal:
        found = list(run._wanted(journal))
    measured, learnt = ([row for row in found if row.split == split] for split in (TEST, TRAIN))
    assert [row.split for row in found] == [TEST] * 9 + [TRAIN] * len(learnt)
    first = next(seed for seed in count(HELD_OUT) if form_is_held_out(generate_program(seed, 0)))
    assert measured[0].provenance == {"format": "generated", "seed": first, "difficulty": 0, "generator": 2}
    forms = {normal_digest(row.source) for row in measured}
    assert len(measured) == len(forms) == 9  # each once, however often it is drawn
    assert min(row.provenance["seed"] for row in measured) >= HELD_OUT
    assert all(map(form_is_held_out, (row.source for row in measured)))
    assert not any(map(form_is_held_out, (row.source for row in learnt)))
    left_out = {row for row, result in run._dropped.items() if result["status"] == "held_out_form"}
    assert left_out == {
        f"generated/0/{seed}" for seed in range(100, 160) if form_is_held_out(generate_program(seed, 0))
    }
    assert 0 < len(left_out) < 30


def test_no_more_programs_of_a_form_than_are_asked_for(tmp_path: Path) -> None:
    def forms(*overrides: str) -> tuple[Counter[str], PairRun]:
        run = settings_for(tmp_path, "count=150", "held_out=3", "first=100", "difficulty=0", *overrides)
        with Journal(tmp_path / "journal", {}) as journal:
            return Counter(normal_digest(row.source) for row in run._wanted(journal) if row.split == TRAIN), run

    (every, _), (some, run) = forms(), forms("per_form=2")
    assert max(every.values()) > 2
    assert some == Counter({form: min(2, number) for form, number in every.items()})
    left_out = [name for name, result in run._dropped.items() if result["status"] == "frequent_form"]
    assert len(left_out) == every.total() - some.total()


def test_every_level_is_drawn_in_turn(tmp_path: Path) -> None:
    run = settings_for(tmp_path, "count=4", "held_out=0", "first=100")
    with Journal(tmp_path / "journal", {}) as journal:
        found = list(run._problems(journal))
    assert [problem.provenance["difficulty"] for problem in found] == [1, 2, 3, 4]
    assert found[1].source == generate_program(101, 2)


def test_families_take_turns_and_are_counted(tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    given = ("families=products,scans", "lower=lower-inductor{written_out=true,tiles=1}", "count=6", "held_out=2")
    assert make(out, "workers=1", *given, "externs=false") == 0
    pairs, found = read_rows(out, Pair), summary(out)
    assert {pair.id.split("/")[1] for pair in pairs} == {"products", "scans"}
    seeds = [pair.provenance["seed"] for pair in pairs if pair.split == TRAIN]
    assert [pair.provenance["family"] for pair in pairs if pair.split == TRAIN] == [
        ("products", "scans")[seed % 2] for seed in seeds
    ]
    for family, counted in found["by_family"].items():
        own = [pair for pair in pairs if pair.provenance["family"] == family]
        assert {split: counted[split] for split in (TRAIN, TEST) if split in counted} == Counter(p.split for p in own)
        assert counted["train_forms"] == len(
            {normal_digest(p.question().reference.source) for p in own if p.split == TRAIN}
        )
        assert sum(counted["by_status"].values()) >= len(own)
    held_out = "\n".join(sorted(pair.digest for pair in pairs if pair.split == TEST))
    assert found["held_out_digest"] == hashlib.sha256(held_out.encode()).hexdigest()


def test_a_family_that_there_is_not_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert make(tmp_path / "pairs.jsonl", "families=prodcts") == 2
    assert "families" in (said := capsys.readouterr().err) and "prodcts" in said and "products" in said, said


def test_only_the_train_split_of_problems_is_used(tmp_path: Path) -> None:
    rows = [{"id": f"p{i}", "source": program(f"torch.relu(x) * {i}.5 + y")} for i in range(10)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = settings_for(tmp_path, f"problems={tmp_path / 'rows.jsonl'}")
    assert (len(run.given), len(run.measured)) == (8, 2)
    assert {problem.split for problem in run.given} == {TRAIN}
    assert not {normal_digest(p.source) for p in run.given} & {normal_digest(p.source) for p in run.measured}


@pytest.mark.slow
def test_midend_pairs_are_faster_by_the_cost_model(tmp_path: Path) -> None:
    problems = write_problems(
        tmp_path / "problems.jsonl",
        [program("torch.relu(x.sum(-1, keepdim=True) * y), torch.tanh(y)"), program("x * y")],
    )
    out = tmp_path / "pairs.jsonl"
    search = ['search=["lower-inductor"]', 'starts=["lower-inductor","lower-inductor{fuse=false}"]']
    assert make(out, "stage=midend", "target=h100", f"problems={problems}", *search) == 0
    (pair,) = read_rows(out, Pair)
    how = pair.provenance
    assert (pair.stage, how["start"], how["pipeline"]) == ("midend", "lower-inductor{fuse=false}", "lower-inductor")
    assert how["before_us"] >= 1.05 * how["after_us"] > 0 and how["target"] == "h100"
    before, after = pair.modules()
    assert len(before.kernels) > len(after.kernels) and before.reference == after.reference
    assert parse_module(pair.before) == before
    assert summary(out)["by_status"] == {"ok": 1, "no_gain": 1}


@pytest.mark.slow
def test_choices_answer_where_passes_are_the_action(tmp_path: Path) -> None:
    discover()
    problems = write_problems(
        tmp_path / "problems.jsonl",
        [program("torch.square(torch.nn.functional.hardswish(torch.tanh(x) * y))"), program("x * y")],
    )
    out = tmp_path / "pairs.jsonl"
    starts = 'starts=["lower-inductor{fuse=false}","lower-inductor"]'
    assert make(out, "stage=midend", "action=pipeline", "trials=2", "target=h100", f"problems={problems}", starts) == 0
    (pair,) = read_rows(out, Pair)
    assert (pair.is_choice, pair.after, pair.provenance["start"]) == (
        True,
        "fuse-epilogue",
        "lower-inductor{fuse=false}",
    )
    before = parse_module(pair.before)
    after = MidendAgent("h100", make_reward("frontend"), "pipeline").parse(fenced(pair.after, ""), before)
    assert isinstance(after, KernelModule) and len(after.kernels) < len(before.kernels)
    assert pair.provenance["before_us"] >= 1.05 * pair.provenance["after_us"] > 0
    with pytest.raises(UserError, match="choice of passes"):
        pair.modules()


@pytest.mark.parametrize("stage", ["frontend", "midend"])
def test_problems_alone_are_what_an_agent_is_given(finished: Path, problems: Path, tmp_path: Path, stage: str) -> None:
    """Of the same problems as the pairs, with nothing to imitate."""
    out = tmp_path / "problems.jsonl"
    starts = 'starts=["lower-inductor{fuse=false}"]'
    assert make(out, f"problems={problems}", f"stage={stage}", "target=h100", starts, "answers=false") == 0
    pairs, answered = read_rows(out, Pair), read_rows(finished, Pair)
    assert [pair.problem for pair in pairs] == [pair.problem for pair in answered]
    assert not any(pair.after for pair in pairs)
    if stage == "frontend":
        assert [pair.before for pair in pairs] == [pair.before for pair in answered]
    else:
        assert {pair.provenance["start"] for pair in pairs} == {"lower-inductor{fuse=false}"}
    given = paired_modules(ProblemSettings(str(out)), stage)
    assert given is not None and [module.level for module in given] == [LEVELS[stage]] * len(answered)
    with pytest.raises(UserError, match=r"has no answer.*answers=true"):
        pairs[0].modules()
    words = [f"pairs={out}", f"stage={stage}", f"out={tmp_path / 'sft'}", "device=cpu", "target=h100"]
    assert main(["sft", *words, "rollout.action=pipeline"]) == 2


def test_passes_are_chosen_for_no_program_that_calls_library_operators(tmp_path: Path) -> None:
    given = write_problems(tmp_path / "rows.jsonl", [program(EXPRESSIONS[0]), program("x @ y.t()")])
    out, starts = tmp_path / "problems.jsonl", "starts=[lower-inductor]"
    words = [f"problems={given}", "stage=midend", "target=h100", starts, "answers=false", "externs=false"]
    assert make(out, *words) == 0
    assert [pair.problem for pair in read_rows(out, Pair)] == ["p0"]
    assert summary(out)["by_status"] == {"ok": 1, "extern": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "data takes `pairs`, `rollouts`, `kernelbench` or `kernels`, got nothing"),
        (["rows"], "data takes `pairs`, `rollouts`, `kernelbench` or `kernels`, got rows"),
        (["pairs", "problems=nowhere.jsonl"], "nowhere.jsonl: no such file or folder"),
        (["pairs", "difficulty=7"], "difficulty=7: choose from mixed, 0, 1, 2, 3, 4, 5"),
        (["pairs", "answers=false", "externs=false"], "externs=false looks at answers, and answers=false makes none"),
        (["pairs", "stage=backend"], "stage='backend': choose from frontend, midend"),
        (["pairs", "stage=midend", "action=wait"], "action=wait: choose from program, pipeline"),
        (["pairs", "cuont=3"], "unknown configuration key 'cuont'; did you mean 'count'?"),
        (["pairs", "count=many"], "count=many: give a whole number"),
        (["pairs", "ratio=2"], "ratio=2.0: out of range, 0 to 1"),
        (["pairs", "rungs=fly"], "unknown rung 'fly'"),
        (["pairs", "lower=lower-inductr"], "lower-inductr"),
        (["pairs", f"first={HELD_OUT}"], "are reserved for measuring"),
        (["pairs", "tokenizer=no/such/tokenizer"], "tokenizer=no/such/tokenizer"),
    ],
)
def test_bad_input_is_one_clear_error(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", *arguments]) == 2
    said = capsys.readouterr()
    (line,) = [line for line in said.err.splitlines() if "error: " in line]  # a slow start is told above it
    assert not said.out and line.startswith("kernelwright: error: ") and message in line


def test_another_run_s_journal_is_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with Journal(path, {"stage": "frontend"}) as journal:
        journal.add("a", {"status": "ok"})
        with pytest.raises(UserError, match=rf"in use by another run \(process {os.getpid()}\)"):
            Journal(path, {"stage": "frontend"})
    with Journal(path, {"stage": "frontend"}) as journal:
        assert journal.results == {"a": {"id": "a", "status": "ok"}}
    with pytest.raises(UserError, match="made with stage=frontend, now it is midend"):
        Journal(path, {"stage": "midend"})
    path.write_text("something else\n")
    with pytest.raises(UserError, match="not the journal"):
        Journal(path, {"stage": "frontend"})
    assert path.read_text() == "something else\n"


def test_tokens_are_counted_where_a_tokenizer_is_given(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=words).save_pretrained(tmp_path)
    assert token_counter(str(tmp_path))("one two three") == 3


@pytest.mark.parametrize("key", ["lower", "starts", "search"])
def test_pairs_ask_no_policy_and_say_so(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problems = write_problems(tmp_path / "problems.jsonl", [program(EXPRESSIONS[0])])
    spec = "fe-agent{n=1,form=kernels}" if key == "lower" else "['fe-agent{n=1,form=kernels}']"
    assert make(tmp_path / "pairs.jsonl", f"problems={problems}", f"{key}={spec}") == 2
    assert f"{key}: pass fe-agent asks a policy, and `kernelwright data pairs` has none" in capsys.readouterr().err
    assert not list(tmp_path.glob("pairs*"))


def test_the_help_names_every_family() -> None:
    assert all(name in (data.__doc__ or "") for name in family_names())
