"""Bad inputs to every verb: status 2, one line that names thing and way out, nothing is lost, nothing left over."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import environment
from rich.console import Console

import kernelwright
from kernelwright.agent.policy import PolicyError
from kernelwright.driver.cli import main
from kernelwright.driver.command.helping import fitted, verb_help
from kernelwright.driver.compiling.live_model import LiveModel
from kernelwright.driver.config.arguments import read_arguments
from kernelwright.driver.config.paths import check_folder, check_replaced
from kernelwright.driver.config.train_settings import ProblemSettings, read_train_settings
from kernelwright.driver.pairs.summary import token_counter
from kernelwright.driver.run.training_folder import training_folder
from kernelwright.driver.training.given import paired_modules
from kernelwright.driver.training.run import run_train
from kernelwright.ir.errors import Diagnostic, DialectError, LoweringError, Terminated, UserError
from kernelwright.rl.data.problems import load_problems
from kernelwright.rl.data.rows import pairs_of
from kernelwright.rl.trainer.checkpoint import save_checkpoint
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.serve.adapters import adapter_folder, adapter_rank

PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1.0


def get_inputs():
    return [torch.rand(5, 7)]
"""
PAIR = {"id": "a", "problem": "p", "stage": "midend", "before": "x", "after": "y", "digest": "d"}
QUICK = ("-p", "lower-inductor", "evaluator.seeds=1", "target=h100")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.py").write_text(PROGRAM)


def refused(arguments: list[str], captured: Captured, status: int = 2) -> str:
    """The one line that a command says which does not take its input."""
    assert main(arguments) == status
    out, err = captured.readouterr()
    lines = [line for line in err.splitlines() if not re.search(r" so far$|: starting, \d+ s so far: ", line)]
    assert out == "" and len(lines) == 1 and lines[0].startswith("kernelwright: error: "), (out, err)
    return lines[0].removeprefix("kernelwright: error: ")


def left() -> set[str]:
    return {path.name for path in Path().iterdir()} - {"small.py"}


# Folders of runs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["train", "sft"])
def test_a_cut_configuration_of_a_run_is_not_overwritten(capsys: Captured, verb: str) -> None:
    Path("o").mkdir()
    Path("o/config.json").write_text('{"stage": "fro')
    Path("p.jsonl").write_text(json.dumps(PAIR | {"stage": "frontend"}) + "\n")
    told = refused([verb, *(["pairs=p.jsonl"] if verb == "sft" else []), "out=o"], capsys)
    assert told.startswith("o/config.json is not a run's configuration (Unterminated string")
    assert told.endswith("; remove it, or give another out=…")
    assert [path.name for path in Path("o").iterdir()] == ["config.json"]
    assert Path("o/config.json").read_text() == '{"stage": "fro'


def entered(folder: str, default: str = "runs/train/frontend") -> str:
    """What the folder of a run says as it is taken."""
    said: list[str] = []
    with training_folder(Path(folder), Path(default), {"seed": 0}, said.append):
        return " ".join(said)


def test_a_default_folder_with_a_cut_configuration_is_left_alone() -> None:
    default = Path("runs/train/frontend")
    default.mkdir(parents=True)
    (default / "config.json").write_text("{")
    assert "that is not a run's configuration" in entered(str(default))
    assert (default / "config.json").read_text() == "{" and Path("runs/train/frontend-2/config.json").is_file()


def test_checkpoints_that_are_all_damaged_are_told_before_the_work() -> None:
    place = Path("o/checkpoints/step-1")
    place.mkdir(parents=True)
    (place / "state.pt").write_text("junk")
    with pytest.raises(UserError, match=r"damaged \(step-1\): remove them to start anew, or give another out="):
        entered("o")
    assert not Path("o/config.json").exists() and (place / "state.pt").read_text() == "junk"


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_truncated_checkpoint_is_skipped_and_the_run_resumes_from_the_one_before(
    base: Path,
) -> None:
    given = [f"policy.model={base}", "policy=hf", "policy.max_model_len=20000", "out=o", "device=cpu"]
    given += ["trainer=small", "trainer.rank=4", "trainer.problems=2", "trainer.keep=3", "canary.enabled=false"]
    given += ["problems.difficulty=0", "problems.count=3", "rollout.form=kernels", "rollout.n=2"]
    given += ["rollout.max_tokens=4", "rollout.rungs=[parse]", "workers=1", "trainer.steps=2"]
    run_train(read_train_settings(given), Console(file=StringIO()))
    first, second = sorted(Path("o/checkpoints").iterdir())
    weights = max(second.rglob("*.safetensors"), key=lambda path: path.stat().st_size)
    weights.write_bytes(weights.read_bytes()[:-100])
    said = StringIO()
    run_train(read_train_settings(given), Console(file=said, width=400))
    assert f"{second} is damaged and skipped; resuming from step 1, {first}" in said.getvalue()
    assert [row["step"] for row in read_metrics(Path("o"))] == [0, 1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, Terminated, UserError, PolicyError])
def test_a_run_that_ends_before_its_first_checkpoint_leaves_nothing(error: type[BaseException]) -> None:
    Path("mine").mkdir()
    Path("mine/notes.txt").touch()
    for folder in ("runs/here", "mine"):
        with pytest.raises(error), training_folder(Path(folder), Path("x"), {"seed": 0}, lambda _line: None):
            Path(folder, "metrics.jsonl").touch()
            Path(folder, "checkpoints/step-00000001.partial").mkdir(parents=True)
            raise error
    assert left() == {"mine"} and [path.name for path in Path("mine").iterdir()] == ["notes.txt"]
    assert entered("runs/here") == "" and entered("mine") == ""


def test_a_run_that_has_a_checkpoint_keeps_it() -> None:
    with pytest.raises(KeyboardInterrupt), training_folder(Path("o"), Path("x"), {"seed": 0}, lambda _line: None):
        save_checkpoint(Path("o/checkpoints"), 1, lambda _place: None, {})
        raise KeyboardInterrupt
    assert {path.name for path in Path("o").iterdir()} == {"config.json", "checkpoints"}


@pytest.mark.parametrize("named", [["out=o"], []])
@pytest.mark.parametrize(("stop", "status"), [(KeyboardInterrupt, 130), (Terminated, 143)])
def test_a_compilation_that_is_stopped_as_it_begins_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, named: list[str], stop: type[BaseException], status: int
) -> None:
    def interrupt(*_given: object) -> None:
        raise stop

    monkeypatch.setattr("kernelwright.driver.compiling.program.import_program", interrupt)
    assert main(["compile", "small.py", *QUICK, *named]) == status
    out, err = capsys.readouterr()
    assert left() == set() and out == ""
    assert err.splitlines()[-1].endswith("ed: stopped before the work began; nothing of this run is kept")
    Path("mine/others").mkdir(parents=True)
    assert main(["compile", "small.py", *QUICK, "out=mine"]) == status
    assert [path.name for path in Path("mine").iterdir()] == ["others"]


def test_passes_in_the_wrong_order_are_told_before_the_work(capsys: Captured) -> None:
    told = refused(["compile", "small.py", "-p", "tune,lower-inductor", "out=o"], capsys)
    assert told == (
        "pass tune on @small: it reads level triton, but the module is at level torch; "
        "put a pass that writes triton before it"
    )
    assert left() == set()


def test_an_output_that_is_full_is_told_in_our_words_alone(capsys: Captured) -> None:
    assert main(["compile", "small.py", *QUICK, "out=o", "-o", "/dev/full"]) == 1
    err = capsys.readouterr().err
    assert "Error executing job" not in err and "Traceback" not in err
    assert (
        err.splitlines()[-1] == "kernelwright: error: /dev/full: No space left on device; make room, or write elsewhere"
    )


def test_a_folder_that_cannot_be_made_is_named_with_its_key(capsys: Captured) -> None:
    told = refused(["compile", "small.py", "out=/proc/nope/x"], capsys)
    assert told == "out=/proc/nope/x: No such file or directory; name another folder"
    with pytest.raises(UserError, match=r"out=.*: File name too long; name another folder"):
        check_folder("o" * 300, "out=")


# Pairs ----------------------------------------------------------------------------------------------------------


def test_a_folder_is_no_file_of_pairs(capsys: Captured) -> None:
    Path("p").mkdir()
    for command in (["data", "pairs", "count=1"], ["data", "kernelbench", "small.py"]):
        assert refused([*command, "out=p"], capsys) == "out=p is a folder; name a file"
    assert left() == {"p"}


@pytest.mark.parametrize("words", [["kernelbench", "there"], ["pairs"]], ids=lambda words: words[0])
@pytest.mark.parametrize("held", ['{"id": 1}', "my notes", "[1, 2]"])
def test_a_file_of_another_kind_is_not_overwritten_with_data(capsys: Captured, words: list[str], held: str) -> None:
    Path("mine.jsonl").write_text(f"{held}\n")
    said = refused(["data", *words, "out=mine.jsonl"], capsys)
    assert said.startswith("out=mine.jsonl: a file that holds no p") and said.endswith("remove this one")
    assert Path("mine.jsonl").read_text() == f"{held}\n"


@pytest.mark.parametrize(("words", "more"), [(["pairs"], {"answer": "a"}), (["rollouts", "policy=smollm"], {})])
def test_pairs_and_rollouts_are_not_written_over_each_other(
    capsys: Captured, words: list[str], more: dict[str, str]
) -> None:
    held = PAIR | more
    Path("mine.jsonl").write_text(json.dumps(held) + "\n")
    told = refused(["data", *words, "out=mine.jsonl"], capsys)
    assert told.startswith(f"out=mine.jsonl: a file that holds no {words[0]} is there")
    assert json.loads(Path("mine.jsonl").read_text()) == held


def test_a_file_of_the_same_kind_may_be_written_again() -> None:
    Path("pairs.jsonl").write_text(json.dumps(PAIR) + "\n")
    check_replaced("pairs.jsonl", "out=", "pairs", ("stage", "before", "after"))
    Path("empty.jsonl").touch()
    check_replaced("empty.jsonl", "out=", "pairs", ("stage",))


def test_a_program_is_not_overwritten_with_its_kernels(capsys: Captured) -> None:
    said = refused(["compile", "small.py", *QUICK, "-o", "./small.py"], capsys)
    assert said == "--output=./small.py is the program itself; name another file"
    assert Path("small.py").read_text() == PROGRAM


def test_pairs_that_are_stopped_before_the_first_leave_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def interrupt(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelwright.driver.pairs.making.answers", interrupt)
    for out in ([], ["out=p.jsonl"]):
        assert main(["data", "pairs", "count=1", "held_out=0", *out]) == 130
        out_text, err = capsys.readouterr()
        line = "kernelwright: interrupted: stopped before the first problem was done; nothing of this run is kept"
        assert out_text == "" and err.splitlines()[-1] == line
    assert left() == set()


def test_an_ablation_that_is_stopped_before_its_first_row_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def interrupt(*_given: object) -> None:
        raise Terminated

    monkeypatch.setattr("kernelwright.driver.ablation.ablation.answers", interrupt)
    told = ["ablate", "policy=none", "problems.place=small.py", "problems.split=null", "only=[mine]"]
    assert main([*told, "arms.mine.pipeline=lower-inductor", "out=o"]) == 143
    out, err = capsys.readouterr()
    line = "kernelwright: terminated: stopped before a row was made; nothing of this run is kept"
    assert out == "" and err.splitlines()[-1] == line
    assert left() == set()


ROWS: dict[str, tuple[str, str]] = {
    "nothing": ("", "p.jsonl: it holds no pairs at all; give the file that"),
    "another stage": (json.dumps(PAIR), "of the stage frontend, but of midend; give stage=midend, or pairs of the"),
    "keys": (
        json.dumps(PAIR) + '\n{"id": "b", "stage": "midend"}',
        "p.jsonl:2: the row lacks problem, before, after, digest; a pair has id, problem, stage,",
    ),
}


@pytest.mark.parametrize("kind", ROWS)
def test_pairs_that_cannot_be_learnt_from_are_told_with_the_reason(capsys: Captured, kind: str) -> None:
    text, reason = ROWS[kind]
    Path("p.jsonl").write_text(f"{text}\n" if text else "")
    told = refused(["sft", "pairs=p.jsonl", "out=o"], capsys)
    assert told.startswith("pairs=p.jsonl") and reason in told
    assert reason in refused(["train", "pairs=p.jsonl", "trainer.pairs=1", "out=o"], capsys)
    assert left() == {"p.jsonl"}


def test_a_pair_that_does_not_parse_is_named() -> None:
    Path("p.jsonl").write_text(json.dumps(PAIR) + "\n")
    (pair,) = pairs_of(Path("p.jsonl"), "midend")
    with pytest.raises(UserError, match=r"pair 'a' does not parse: line 1, .*; make the pairs again"):
        pair.question()
    with pytest.raises(UserError, match="pair 'a' does not parse"):
        paired_modules(ProblemSettings(place="p.jsonl"), "midend")
    with pytest.raises(UserError, match=r"problems\.place=p\.jsonl: it holds no pairs of the stage frontend and the"):
        paired_modules(ProblemSettings(place="p.jsonl"), "frontend")


# Models ---------------------------------------------------------------------------------------------------------


MISSING = {
    "train policy.model=non/sense out=o": "policy.model=non/sense",
    "sft pairs=p.jsonl model=non/sense out=o": "model=non/sense",
    "compile small.py policy=hf policy.model=non/sense out=o": "policy.model=non/sense",
    "opt small.py policy=hf policy.model=non/sense": "policy.model=non/sense",
    "ablate policy=hf policy.model=non/sense only=[agents_only] out=o": "arm agents_only: policy.model=non/sense",
    "data pairs tokenizer=non/sense out=q.jsonl": "tokenizer=non/sense",
}


@pytest.mark.parametrize("line", MISSING)
def test_a_model_that_is_not_here_is_told_at_once_with_its_key(capsys: Captured, line: str) -> None:
    Path("p.jsonl").write_text(json.dumps(PAIR | {"stage": "frontend"}) + "\n")
    told = refused(line.split(), capsys)
    way_out = "the model `non/sense` is not on this machine: kernelwright model fetch non/sense"
    assert told == f"{MISSING[line]}: {way_out}"
    assert left() == {"p.jsonl"}


def test_what_is_no_tokenizer_is_told_in_one_line(capsys: Captured) -> None:
    assert "tokenizer=x.gguf: no such file" in refused(["data", "pairs", "tokenizer=x.gguf"], capsys)
    Path("folder").mkdir()
    with pytest.raises(UserError, match=r"tokenizer=folder: no tokenizer there: .*; give another model") as raised:
        token_counter("folder")
    assert "\n" not in str(raised.value)


# Values ---------------------------------------------------------------------------------------------------------


def test_a_module_that_is_cut_is_told_with_its_line(capsys: Captured) -> None:
    header = "# kernelwright module 1\n# name: x\n"
    Path("cut.py").write_text(f"{header}import triton\n\ndef forward(x):\n    return x.view(")
    told = refused(["opt", "cut.py", "-p", "tune"], capsys)
    assert told.startswith("cut.py does not parse as a module: line 6, column 17: not Python: '(' was never closed")
    both = DialectError((Diagnostic("no", 1, 0), Diagnostic("nor that", 2, 0)))
    assert both.first == "line 1, column 0: no (and 1 more)"


KERNELBENCH = Path(__file__).parents[1] / "fixtures/kernelbench"
VALUES = {
    "compile small.py pipeline=tune{trials=1}": "does not name a pipeline; passes are given with -p",
    "train trainer.pairs=4": "trainer.pairs=4: give both trainer.pairs=N and pairs=FILE, or neither",
    "train pairs=p.jsonl": "trainer.pairs=0: give both trainer.pairs=N",
    "ablate arms.mine.without=[nope] only=[passes_only,mine]": "arms.mine.without: the arm has no pass 'nope'; choose",
    "data pairs count=two": "count=two: give a whole number",
    "compile small.py evaluator=5": "evaluator=5: evaluator takes a name (choose from default",
    "compile small.py evaluator=[a,b]": "evaluator=[a,b]: evaluator takes a name",
    "compile small.py -m target=h10,h100": "unknown target 'h10' (choose from a100, ",
    "compile small.py target=h100,a100": "give -m to run each, ",
    "compile small.py +target=h100": "+target=h100: the key is there already; write it without the +",
    "compile small.py hydra.run.dir=x out=y": "out=y and hydra.run.dir=x both name the run's folder; give one of them",
    "compile small.py --json --emit=triton": "--json and --emit both write to stdout; add -o FILE",
    "ablate problems=/no/such": "unknown problems '/no/such' (choose from examples, generated, held_out, kernelbe",
    "compile small.py --emit=ptx --emit triton": "--emit is given twice, as 'ptx' and 'triton'; give it once",
    "ablate arms.mine.pipline=lower-inductor": "'arms.mine.pipline'; did you mean 'arms.mine.pipeline'? (valid",
    "compile small.py seed=inf": "seed=inf: give a whole number",
    "compile small.py evaluator.seeds=null": "evaluator.seeds=null: give a whole number",
    "compile small.py evaluator.externs=maybe": "evaluator.externs=maybe: give true or false",
    "compile small.py target.name=[h100]": "target.name=['h100']: give a text",
    "compile small.py --target h100": "no flag --target; a key has no dashes before it: target=VALUE (flags: ",
    "compile small.py -p default": "default is a configured pipeline, not a pass; give the override pipeline=default",
}


@pytest.mark.parametrize("line", VALUES)
def test_a_value_that_does_not_fit_is_told_with_its_key(capsys: Captured, line: str) -> None:
    assert VALUES[line] in refused(line.split(), capsys)
    assert left() == set()


@pytest.mark.parametrize("words", [["pairs", "count=0", "held_out=0"], ["kernelbench", str(KERNELBENCH)]])
def test_data_takes_the_place_of_no_device_and_follows_links(capsys: Captured, words: list[str]) -> None:
    os.mkfifo("pipe")
    assert refused(["data", *words, "out=pipe"], capsys) == "out=pipe is not a regular file; name a file"
    if words[0] == "kernelbench":
        Path("link.jsonl").symlink_to("real.jsonl")
        assert main(["data", *words, "out=link.jsonl"]) == 0
        assert Path("link.jsonl").is_symlink() and Path("real.jsonl").read_text().startswith("{")


def test_debugging_is_off_at_0(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELWRIGHT_DEBUG", "0")
    assert "takes one path" in refused(["compile"], capsys)


def test_of_a_key_that_is_given_twice_the_last_counts_and_a_line_says_so(capsys: Captured) -> None:
    given = read_arguments("compile", ["small.py", "target=h100", "seed=1", "+target=a100", "seed=1"], ())
    assert given.overrides == ("target=h100", "seed=1", "+target=a100", "seed=1")
    assert capsys.readouterr().err == "kernelwright: target=a100 takes the place of target=h100\n"


@pytest.mark.parametrize("verb", [["train"], ["bench", "suite=jsonl:rows.jsonl"], ["compile", "small.py"]])
def test_a_file_that_is_no_recording_is_told_before_the_work(capsys: Captured, verb: list[str]) -> None:
    Path("rows.jsonl").write_text(json.dumps({"level": 1, "problem_id": 1, "name": "a", "code": "b"}) + "\n")
    told = refused([*verb, "policy=replay", "policy.path=rows.jsonl"], capsys)
    holds = "a line of a recording has prompt (a digest), sampling, adapter and completions"
    assert told == f"policy.path=rows.jsonl:1 is no recorded answer; {holds}, as policy.record=FILE writes them"
    assert left() == {"rows.jsonl"}


@pytest.mark.parametrize("verb", [["compile", "small.py"], ["evaluate", "reference=small.py", "candidate=small.py"]])
def test_results_that_cannot_be_kept_are_told_before_the_work(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    Path("held").write_text("a file")
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", "held")
    told = refused(verb, capsys)
    assert told == (
        "results are kept in held, which is not writable (File exists); set KERNELWRIGHT_CACHE_DIR to a writable folder"
    )
    assert left() == {"held"}


def test_a_hub_that_does_not_answer_is_told_in_one_line(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    pytest.importorskip("datasets")
    asked: list[str] = []

    def nobody(_self: object, name: str, **_options: object) -> None:
        asked.append(name)
        raise ConnectionError("nobody answers")

    monkeypatch.setattr(hub.HfApi, "dataset_info", nobody)
    with pytest.raises(UserError, match=r"hub:no/such: the Hugging Face Hub cannot be reached, .*give a file or a fo"):
        load_problems("hub:no/such")
    assert asked == ["no/such"]
    assert "Retrying" not in capfd.readouterr().err


def test_a_search_that_is_terminated_keeps_its_best_and_says_so(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kernelwright.midend.search.search_run import SearchRun

    going_on = SearchRun.run

    def stopped(race: SearchRun) -> None:
        going_on(race)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(SearchRun, "run", stopped)
    given = ["-p", "search{trials=1,width=1}", "target=h100", "evaluator.seeds=1", "out=o"]
    assert main(["compile", "small.py", *given]) == 143
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "kernelwright: terminated: the work ended early; what it gave is kept"
    assert json.loads(Path("o/report.json").read_text())["status"] == "ok"


# Python ---------------------------------------------------------------------------------------------------------


def test_inputs_that_a_live_model_does_not_take_are_told_as_that() -> None:
    model = torch.nn.Linear(3, 4)
    with pytest.raises(UserError) as none:
        kernelwright.compile(model)
    assert str(none.value) == (
        "Linear: forward takes (input), and 0 inputs came after the model: missing a required argument: 'input'; give "
        "them in forward's order"
    )
    with pytest.raises(UserError, match="2 inputs came after the model: too many positional arguments"):
        kernelwright.compile(model, torch.randn(2, 3), torch.randn(2, 3))
    with pytest.raises(UserError) as wrong:
        kernelwright.compile(model, torch.randn(2, 5))
    assert str(wrong.value).startswith("Linear: the model itself fails with these inputs: RuntimeError: mat1 and mat2")
    assert not isinstance(wrong.value, LoweringError) and wrong.value.__suppress_context__


def test_a_file_that_is_not_there_is_told_without_what_python_says_of_it() -> None:
    with pytest.raises(UserError, match=r"^nope\.py: No such file or directory; give a Python file") as compiled:
        kernelwright.compile("nope.py")
    with pytest.raises(UserError, match=r"^reference=nope\.py: No such file or directory; give a") as judged:
        kernelwright.evaluate("x", "nope.py")
    assert compiled.value.__suppress_context__ and judged.value.__suppress_context__


def test_a_live_model_that_runs_and_cannot_be_traced_keeps_its_own_reason_and_state() -> None:
    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls += 1
            return x if bool(x.sum() > 0) else -x

    class Tied(Counting):
        def __init__(self) -> None:
            super().__init__()
            self.a = self.b = torch.nn.Linear(3, 3)

    with pytest.raises(LoweringError, match="Tied: cannot be traced"):
        kernelwright.compile(Tied(), torch.ones(3))
    model = Counting()
    with pytest.raises(LoweringError, match="Counting: cannot be traced"):
        kernelwright.compile(model, torch.ones(3))
    assert float(model.calls) == 0.0


def test_a_run_that_is_cut_says_how_to_have_it_again() -> None:
    again = "run the command that wrote it again, with the same out=…"
    Path("r").mkdir()
    for text in ('{"status": "o', "[]"):
        Path("r/report.json").write_text(text)
        with pytest.raises(UserError) as raised:
            kernelwright.load("r")
        assert str(raised.value).startswith("r/report.json ") and str(raised.value).endswith(again)
    Path("r/report.json").unlink()
    Path("r/summary.json").write_text("{}")
    Path("r/table.jsonl").write_text('{"journal": {}}\n{"id": 1')
    with pytest.raises(UserError, match=r"r/table\.jsonl cannot be read \(JSONDecodeError: .*\); run the command"):
        kernelwright.load("r")


# Help and signals -----------------------------------------------------------------------------------------------


def test_every_verb_states_its_exit_statuses_alike() -> None:
    for verb, text in verb_help().items():
        stated = " ".join(text.partition("Exit status: ")[2].split())
        assert stated.startswith("0 ") and "2 bad usage or input" in stated, verb
        assert "130 interrupted, 143 terminated" in stated, verb


def test_help_is_as_wide_as_the_screen(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for verb, text in verb_help().items():
        assert fitted(text, None) == fitted(text, 500) == text
        lines = fitted(text, 60).splitlines()
        assert all(len(line) <= 60 or " " not in line.strip() for line in lines), verb
        assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["passes", "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40


ENDLESS = PROGRAM.replace("import torch\n", "import time\nimport torch\n\ntime.sleep(1e6)\n", 1)
CANDIDATE = ["reference=small.py", "candidate=small.py"]
STOPPED: dict[str, list[str]] = {
    "compile": ["compile", "small.py"],
    "opt": ["opt", "small.py"],
    "evaluate": ["evaluate", *CANDIDATE],
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", STOPPED)
def test_sigterm_is_status_143_and_leaves_nothing(verb: str) -> None:
    Path("small.py").write_text(ENDLESS)
    command = [sys.executable, "-m", "kernelwright.driver.cli", *STOPPED[verb]]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text().split():  # its worker is on the way
            assert process.poll() is None
            time.sleep(0.1)
        time.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 143 and "Traceback" not in err
    assert err.splitlines()[-1].startswith("kernelwright: terminated")
    assert left() == set()


# Configuration of the user's own ---------------------------------------------------------------------------------

NAMED = {
    "compile small.py name=${name}": "name: Recursive interpolation detected; ${KEY} is another key's value",
    "compile small.py out=runs/${date:%Y}": "out: Unsupported interpolation type date; ",
    "compile small.py seed=${nope}": "seed: Interpolation key 'nope' not found; ",
    "compile small.py ++import.shink=never": "'import.shink'; did you mean 'import.shrink'? (valid keys: import.allcl",
    "compile small.py -m seed=0 hydra/launcher=dask": "unknown hydra/launcher 'dask' (choose from basic",
    "compile small.py hydra.rundir=x": "unknown configuration key 'hydra.rundir'; did you mean 'hydra.run.dir'?",
    "compile small.py --cfg job --package evaluater": "--package=evaluater: no such part of the configuration; did you",
    "compile small.py --config-dir c target=tabbed": "c/target/tabbed.yaml:1:6: not YAML: found character '\\t'",
    "compile small.py --config-dir c target=bytes": "c/target/bytes.yaml is not a text file; write it in UTF-8",
    "compile small.py --config-dir c --config-name mine seed=1": "mine.yaml replaces the verb's",
    "compile small.py --config-name gone": "there is no gone.yaml; give also --config-dir=FOLDER, which holds the file",
    "compile small.py --config-name train": "--config-name=train is another verb's configuration; name one of your own",
    "compile small.py --config-dir c --config-name less": "less.yaml replaces the verb's configuration: begin",
    "compile small.py out=${name": "no viable alternative at input '${name'; ${KEY} is another key's value, ${now",
    "compile -small.py": "no flag -small.py; for the file write ./-small.py (flags: ",
    "compile notes.ipynb": "notes.ipynb holds JSON, as a notebook does (`jupyter nbconvert --to script` writes Python)",
    "opt report.json -p tune": "report.json holds JSON; give a module's text, or a Python file",
    "opt small.py -p lower-inductor -o ./small.py": "--output=./small.py is the program itself; name another file",
    "sft trainer.rank=100000000": "trainer.rank=100000000: out of range, 1 to 1024",
    "train reward=nan": "reward=nan: reward takes a name (choose from ",
    "train held_out.every=1 held_out.place=gone.jsonl": "held_out.place=gone.jsonl: no such file",
    "train policy=openai policy.url=localhost:80": "policy.url=localhost:80: give a server's address, such as http",
    "bench policy=smollm suite=jsonl:p.jsonl policy.adapters.frontend=gone": "policy.adapters.frontend=gone: no LoRA ",
    "train policy=replay": "policy.path=FILE is missing; give a file that policy.record=FILE wrote",
    "train policy=openai policy.url=http://127.0.0.1:9": "policy.url=http://127.0.0.1:9: no server answers there (Conn",
    "bench suite=jsonl:p.jsonl policy=openai policy.url=http://127.0.0.1:9/v1": "policy.url=http://127.0.0.1:9/v1: no ",
    "train policy=openai policy.url=http://h/v1 policy.key_env=NO_KEY": "policy.key_env=NO_KEY: this environment varia",
    "sft lr=1e-3": "unknown configuration key 'lr'; did you mean 'trainer.lr'? (valid keys: trainer.",
    "data pairs rungs=parse,run": "rungs=run needs a CUDA device; without one, choose from parse, compile, interpret",
    "bench suite=jsonl:p.jsonl --config-dir c policy=mine out=o": "policy: _target_=kernelwright.serve.Nope cannot be ",
    "compile huge.py": "huge.py has 65 MB, too much for a program; give a Python file with a class Model, get_inputs",
    "compile small.py out=~/run": "out=~/run: the shell does not replace this ~; write out=$HOME/…, or ./~/… for such",
    "evaluate batch=c out=rows.jsonl": "batch=c: not a file; give a JSONL file of rows with id, reference and cand",
    "evaluate batch=p.jsonl out=p.jsonl/rows": "out=p.jsonl/rows: p.jsonl is a file; name another folder",
    "--shell-completion install=fishh": "--shell-completion install=fishh: give install=SHELL or uninstall",
}


@pytest.mark.parametrize("line", NAMED)
def test_what_is_wrong_is_named_with_the_way_out(capsys: Captured, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setenv("no_proxy", "*")
    for place, text in (
        ("c/target/tabbed.yaml", b"name:\t\tx\n"),
        ("c/target/bytes.yaml", b"name: \xff\n"),
        ("-small.py", b""),
        ("c/mine.yaml", b"trainer: {steps: 3}\n"),
        ("c/less.yaml", b"defaults: [compile]\n"),
        ("c/policy/mine.yaml", b"_target_: kernelwright.serve.Nope\n"),
        ("notes.ipynb", b'{"cells": [null]}'),
        ("report.json", b'{"ok": false}'),
        ("p.jsonl", json.dumps({"id": "a", "source": PROGRAM}).encode()),
    ):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_bytes(text)
    with Path("huge.py").open("wb") as huge:
        huge.truncate(65 << 20)
    before = left()
    assert NAMED[line] in refused(line.split(), capsys)
    assert left() == before and Path("small.py").read_text() == PROGRAM


def test_a_key_is_no_hint_for_one_that_only_its_group_is_like(capsys: Captured) -> None:
    assert "did you mean" not in refused(["train", "trainer.learning_rate=1e-4"], capsys)


def test_a_working_folder_that_is_gone_is_told(capsys: Captured) -> None:
    place = Path("gone").absolute()
    place.mkdir()
    os.chdir(place)
    place.rmdir()
    assert refused(["compile", "../small.py"], capsys) == "the working folder was removed; cd to another one"


@pytest.mark.parametrize("cut", [lambda whole: whole[:-100], lambda whole: whole[:50], lambda _whole: b""])
def test_an_adapter_that_is_cut_is_told(cut: Callable[[bytes], bytes]) -> None:
    shipped, mine = adapter_folder("shipped:frontend"), Path("mine")
    shutil.copytree(shipped, mine)
    assert adapter_rank(mine) == adapter_rank(shipped)
    weights = mine / "adapter_model.safetensors"
    weights.write_bytes(cut(weights.read_bytes()))
    with pytest.raises(UserError, match=r"mine/adapter_model\.safetensors is damaged, for example copied in part"):
        adapter_rank(mine)


def test_a_run_with_other_settings_is_told_by_key_and_values() -> None:
    Path("o/checkpoints/step-00000001").mkdir(parents=True)
    Path("o/config.json").write_text(json.dumps({"trainer": {"steps": 1}}))
    told = r"o is a run with other settings \(trainer\.steps=1, now it is 2\); give another out="
    now = {"trainer": {"steps": 2}}
    with pytest.raises(UserError, match=told), training_folder(Path("o"), Path("runs"), now, print):
        raise AssertionError("it was taken")


def test_a_suite_that_cannot_be_read_leaves_no_journal(capsys: Captured) -> None:
    Path("h.jsonl").write_text('{"id": "a", "co')
    told = refused(["data", "rollouts", "policy=smollm", "suite=jsonl:h.jsonl", "out=r.jsonl"], capsys)
    assert "h.jsonl" in told and left() == {"h.jsonl"}


def test_a_call_with_an_array_is_told_without_its_numbers() -> None:
    live = LiveModel(torch.nn.ReLU(), (torch.ones(3),))
    with pytest.raises(UserError, match=r"compiled for input 0 = Tensor, ndarray given$"):
        live.lifted((torch.ones(3).numpy(),))  # type: ignore[arg-type]


def test_a_progress_function_that_raises_costs_no_work() -> None:
    told: list[str] = []

    def closed(line: str) -> None:
        told.append(line)
        raise ValueError("the bar is closed")

    with pytest.warns(RuntimeWarning, match="progress=<.*closed.*> raises ValueError: the bar is closed; the work"):
        done = kernelwright.compile(PROGRAM, pipeline="lower-inductor", target="h100", progress=closed)
    assert done.ok and told == ["import"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: kernelwright.train(policy=object()), "object has no method sample; see .*; give a policy's name"),
        (lambda: kernelwright.evaluate(None, PROGRAM), "candidate is NoneType; give a path"),
        (lambda: kernelwright.evaluate(PROGRAM, 3), "reference is int; give a path"),
        (lambda: kernelwright.compile(PROGRAM, name=5), "name=5: give a text, or None"),
        (lambda: kernelwright.compile(PROGRAM, progress=True), "progress=True: give a function"),
        (lambda: kernelwright.compile(PROGRAM, overrides=[5]), r"overrides=\[5\]: 5 is not a text; write KEY=VALUE"),
        (lambda: kernelwright.compile(PROGRAM, pipeline="default"), "not a pass; give the override pipeline=default"),
        (lambda: kernelwright.search(PROGRAM, seconds="20"), "seconds='20': give a number, or None"),
        (lambda: kernelwright.evaluate(PROGRAM, PROGRAM, rungs=3), "rungs=3: give a list of rungs, or a text"),
        (lambda: kernelwright.load(None), "folder=None: give the path of a run folder"),
        (lambda: kernelwright.search(PROGRAM, seconds=True), "seconds=True: give a number, or None"),
        (lambda: kernelwright.search(PROGRAM, trials=2.5), r"trials=2\.5: give a whole number, or None"),
        (lambda: kernelwright.compile(PROGRAM, target=None), r"target=null: target takes a name \(choose from"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        call()
