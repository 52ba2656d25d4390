"""What long runs show: a live line with an estimate on a terminal, and a plain line every few seconds elsewhere."""

import time
from io import StringIO

import pytest
from rich.console import Console

from kernelwright.driver.run import activity
from kernelwright.driver.run import starting as starting_lines
from kernelwright.driver.run.activity import Activity
from kernelwright.driver.run.progress import Progress
from kernelwright.driver.run.starting import starting
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.values import KernelModule, Reference, TensorSpec

X = TensorSpec.contiguous("x", "f32", (8,))


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "SILENT_SECONDS", 0.02)


def until(console: Console, text: str) -> str:
    """What was printed, once it has a text."""
    assert isinstance(console.file, StringIO)
    deadline = time.monotonic() + 30.0
    while text not in (shown := console.file.getvalue()):
        assert time.monotonic() < deadline, shown
        time.sleep(0.01)
    return shown


@pytest.mark.usefixtures("often")
def test_where_no_terminal_is_lines_tell_how_far_it_is_and_how_long_it_takes() -> None:
    console = Console(file=StringIO(), width=40)
    with Activity(console, "loading the model") as shown:
        until(console, "loading the model, 0:00 so far\n")
        shown.show("steps", completed=1, total=4)
        time.sleep(0.05)
        shown.show(completed=2, figures="loss 0.5")
        text = until(console, " left  loss 0.5\n")
        assert "steps, 2 of 4, 0:00 so far, about 0:0" in text
        shown.say("a line of its own, which is longer than the forty columns that there are")
        assert "which is longer than the forty columns that there are\n" in until(console, "of its own")
    before = console.file.getvalue()
    time.sleep(0.1)
    assert console.file.getvalue() == before


def test_a_verb_that_starts_slowly_says_so_until_it_speaks_for_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FIRST_SECONDS", "NEXT_SECONDS"):
        monkeypatch.setattr(starting_lines, name, 0.02)
    shown = ""
    with starting("train"):
        deadline = time.monotonic() + 30.0
        while shown.count("kernelwright train: starting, 0 s so far: it imports PyTorch and Triton\n") < 2:
            assert time.monotonic() < deadline
            shown += capsys.readouterr().err
        with Activity(Console(file=StringIO()), "steps"):
            time.sleep(0.05)
            capsys.readouterr()
            time.sleep(0.1)
            assert capsys.readouterr().err == ""


def test_what_is_quick_prints_nothing() -> None:
    console = Console(file=StringIO())
    with Activity(console, "loading the model"):
        pass
    assert console.file.getvalue() == ""


def test_a_terminal_has_a_bar_with_the_time_that_is_left() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=100)
    with Activity(console, "judging rows", total=10, done=2) as shown:
        shown.advance()
        time.sleep(0.05)
        shown.advance()
        shown._bar.refresh()
        assert "4/10" in console.file.getvalue()
        assert "0:00:0" in console.file.getvalue().rpartition("4/10")[2]  # elapsed, and left


@pytest.mark.usefixtures("often")
def test_a_pass_that_takes_long_says_what_it_does() -> None:
    console = Console(file=StringIO())
    module = KernelModule("m", Reference("", "Model", (X,), (), (X,)))
    with Progress(console) as progress:
        until(console, "import, 0:00 so far")
        progress.before_pass(LowerInductor(), module)
        progress.say("lowering a graph")
        assert "  import " in until(console, "lower-inductor: lowering a graph, 0:00 so far")
