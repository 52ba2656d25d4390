"""What a user's program or machine can do wrong: each is one clear line and its exit status, and nothing is lost."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelwright.driver.cli import main
from kernelwright.driver.compiling.emit import write_text
from kernelwright.driver.run.walls import warn_of_walls
from kernelwright.evaluation.sandbox.isolation import EVERY_WALL, NAMESPACES, NO_NETWORK

PROGRAM = """import os
import subprocess
import time

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1.0


def get_inputs():
    return [torch.rand(16, 24)]
"""
NOISE = """print("from Python")
os.write(1, b"from the system\\n")
subprocess.run(["echo", "from a child"])
"""
LOWERED = ("-p", "lower-inductor", "evaluator.seeds=1", "out=run")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(text: str, name: str = "model.py") -> str:
    Path(name).write_text(text)
    return name


def changed(old: str, new: str) -> str:
    """The program with a part of it changed."""
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


def refused(arguments: list[str], captured: Captured) -> str:
    """The one line that a command says which does not take its input."""
    assert main(arguments) == 2
    out, err = captured.readouterr()
    lines = said(err)
    assert out == "" and len(lines) == 1 and lines[0].startswith("kernelwright: error: "), (out, err)
    return lines[0].removeprefix("kernelwright: error: ")


def said(err: str) -> list[str]:
    """The lines of stderr, without those that tell how long something takes."""
    return [line for line in err.splitlines() if " so far" not in line]


# What programs do -----------------------------------------------------------------------------------------------


LEAVING = [
    ("import time\n", "import time\nos._exit(0)\n"),
    ("    return [torch.rand", "    os._exit(0)\n    return [torch.rand"),
    ("        return torch.relu", "        os._exit(3)\n        return torch.relu"),
    ("    return [torch.rand", "    raise SystemExit\n    return [torch.rand"),
    ("import time\n", "import sys\nsys.exit(0)\n"),
    ("    return [torch.rand", "    os.kill(os.getpid(), 9)\n    return [torch.rand"),
]


@pytest.mark.parametrize(("old", "new"), LEAVING)
def test_a_program_that_ends_its_process_ends_no_other(capfd: Captured, old: str, new: str) -> None:
    told = refused(["compile", written(changed(old, new)), *LOWERED], capfd)
    assert told.startswith("model.py: ") and "ends its process" in told
    assert "SystemExit" not in new or "get_inputs() (line 15) ends its process" in told
    assert "sys.exit" not in new or "the file (line 4) ends its process" in told
    assert not Path("run").exists()


LEFT_RUNNING = """
if os.environ.get("LEAVE"):  # a worker has no such variable
    import threading
    with open("pid", "w") as file:
        file.write(str(subprocess.Popen(["sleep", "600"]).pid))
    threading.Thread(target=time.sleep, args=(600,), name="waiting").start()
"""


@pytest.mark.slow
def test_what_a_program_leaves_running_ends_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    written(changed("import torch.nn as nn\n", f"import torch.nn as nn\n{LEFT_RUNNING}"))
    monkeypatch.setenv("LEAVE", "1")
    command = [sys.executable, "-m", "kernelwright.driver.cli", "compile", "model.py", *LOWERED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "kernelwright: ended with a thread of the program still running: waiting"
    state = Path("/proc", Path("pid").read_text(), "stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


def test_every_verb_survives_a_program_that_ends_its_process(capfd: Captured) -> None:
    written(changed("    return [torch.rand", "    os._exit(0)\n    return [torch.rand"))
    assert "ends its process" in refused(["opt", "model.py"], capfd)
    assert "ends its process" in refused(["evaluate", "reference=model.py", "candidate=model.py"], capfd)
    Path("batch.jsonl").write_text(json.dumps({"id": 1, "reference": "model.py", "candidate": "model.py"}) + "\n")
    assert main(["evaluate", "batch=batch.jsonl", "workers=1"]) == 2
    assert "ends its process" in json.loads(capfd.readouterr().out)["detail"]


ENDLESS = {
    "forward() (line 11)": ("        return torch.relu", "        time.sleep(1e6)\n        return torch.relu"),
    "get_inputs() (line 15)": ("    return [torch.rand", "    time.sleep(1e6)\n    return [torch.rand"),
    "__init__() (line 11)": ("    def forward", "    def __init__(self):\n        time.sleep(1e6)\n\n    def forward"),
    "the file itself (line 4)": ("import time\n", "import time\ntime.sleep(1e6)\n"),
}


@pytest.mark.parametrize("place", ENDLESS)
def test_a_program_that_never_returns_meets_a_limit(capfd: Captured, place: str) -> None:
    told = refused(["compile", written(changed(*ENDLESS[place])), "import.timeout_s=1", *LOWERED], capfd)
    assert told == f"model.py: {place} does not return within 1 s; make it return, or raise import.timeout_s"


def test_a_program_that_takes_too_much_memory_is_told_how_much(capfd: Captured) -> None:
    written(changed("import time\n", "import time\nimport torch\nTABLE = torch.empty(1 << 40)\n"))
    told = refused(["compile", "model.py", "import.memory_gb=2", *LOWERED], capfd)
    assert "more than 2 GB of memory" in told and "import.memory_gb" in told


def test_a_program_that_asks_for_more_memory_than_there_is_is_told_how_much(capfd: Captured) -> None:
    written(changed("relu(x) + 1.0", "relu(x) + torch.empty(1 << 42)[0]"))
    assert main(["compile", "model.py", *LOWERED]) == 2
    err = capfd.readouterr().err
    assert "Traceback" not in err
    assert said(err)[-1].startswith("kernelwright: error: model: the program asks for a tensor of 16384.0 GB, more ")


def test_a_program_that_is_too_large_to_check_is_told_why_before_the_work(capfd: Captured) -> None:
    written(changed("[torch.rand(16, 24)]", "[torch.rand(16384, 16384)]"))
    text = "without a GPU, checking it takes at least 12 GB of memory: 3 draws of tensors, the largest of 1.0 GB"
    told = refused(["compile", "model.py", "import.shrink=never", "out=run"], capfd)
    assert text in told and "import.shrink=auto" in told and not Path("run").exists()
    arguments = ["evaluate", "reference=model.py", "candidate=model.py", "import.shrink=never", "device=cpu"]
    assert text in refused(arguments, capfd)


@pytest.mark.slow
def test_json_is_alone_whatever_a_program_prints() -> None:
    text = PROGRAM
    for place in ("class Model", "    return [torch.rand"):
        indent = place[: len(place) - len(place.lstrip())]
        text = text.replace(place, "".join(f"{indent}{line}\n" for line in NOISE.splitlines()) + place)
    done = command("compile", written(text), "--json", *LOWERED, stdout="said.json")
    assert (done.returncode, json.loads(Path("said.json").read_text())["status"]) == (0, "ok")
    assert all(text in done.stderr for text in ("from Python", "from the system", "from a child"))


def test_what_opt_prints_is_a_module_whatever_a_program_prints(capsys: Captured) -> None:
    assert main(["opt", written(f"{PROGRAM}\n\n{NOISE}"), "-p", "lower-inductor"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("# kernelwright module") and "from Python" in err


# What machines do -----------------------------------------------------------------------------------------------


def command(*arguments: str, stdout: str = os.devnull, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    with Path(stdout).open("w") as file:
        return subprocess.run(
            [sys.executable, "-m", "kernelwright.driver.cli", *arguments],
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if not name.startswith("TRITON_")} | environment,
            check=False,
        )


@pytest.mark.parametrize("arguments", [("--help",), ("passes",)])
def test_a_full_stdout_is_one_line(arguments: tuple[str, ...]) -> None:
    done = command(*arguments, stdout="/dev/full")
    line = "kernelwright: error: stdout: No space left on device; make room, or write elsewhere"
    assert (done.returncode, said(done.stderr)) == (1, [line])


@pytest.mark.slow
def test_an_unwritable_home_is_told_before_the_work() -> None:
    written("this is no program")
    Path("file").touch()
    done = command("compile", "model.py", HOME=str(Path("file").absolute()))
    (line,) = said(done.stderr)
    assert done.returncode == 2 and "set TRITON_CACHE_DIR to" in line and "KERNELWRIGHT_CACHE_DIR" in line


@pytest.mark.parametrize("verb", ["compile", "opt"])
def test_a_place_that_cannot_be_written_is_told_before_the_work(capfd: Captured, verb: str) -> None:
    written("this is no program", "model.py")
    assert "there is no folder missing" in refused([verb, "model.py", "-o", "missing/out.py"], capfd)
    assert "it is a folder" in refused([verb, "model.py", "-o", "."], capfd)
    assert "there is no folder model.py" in refused([verb, "model.py", "-o", "model.py/out.py"], capfd)


@pytest.fixture
def small_disk() -> Iterator[None]:
    """A disk of twelve kilobytes that the run folder lies on."""
    Path("small").mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", "small"]
    if shutil.which("mount") is None or subprocess.run(mounting, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield
    subprocess.run(["umount", "small"], check=True)


@pytest.mark.usefixtures("small_disk")
def test_a_disk_that_is_full_keeps_what_was_done(capfd: Captured) -> None:
    assert main(["compile", written(PROGRAM), "-p", "lower-inductor", "evaluator.seeds=1", "out=small/run"]) == 1
    *_, told = said(capfd.readouterr().err)
    assert told == "kernelwright: error: small/run: No space left on device; make room, or write elsewhere"
    assert Path("small/run/00-import.py").exists(), sorted(Path("small/run").iterdir())


def test_a_result_is_written_whole_or_not_at_all() -> None:
    Path("kept.py").write_text("precious")
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as raised:
            write_text("x" * 1000, "kept.py", sys.stdout)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert raised.value.filename == "kept.py"
    assert Path("kept.py").read_text() == "precious" and list(Path().iterdir()) == [Path("kept.py")]


UNFIT = {
    "no class `Model`": ("class Model", "class Net"),
    "Model is not a torch.nn.Module": ("nn.Module", "object"),
    "Model has no forward()": ("def forward", "def backward"),
    "input 0 of get_inputs() is a str": ("[torch.rand(16, 24)]", "['a']"),
    "get_inputs() returns NoneType": ("    return [torch.rand(16, 24)]", "    pass"),
    "output 0 of the reference is dict": ("torch.relu(x) + 1.0", "{'x': 1}"),
    "forward() takes 1 argument (x), but get_inputs() returns 2; return one value for each argument": (
        "[torch.rand(16, 24)]",
        "[torch.rand(2), torch.rand(2)]",
    ),
    "model.py:1: invalid syntax": ("import os\n", "import os os\n"),
    "ModuleNotFoundError: No module named 'nowhere' (line 2)": ("import os\n", "import os\nimport nowhere\n"),
    "EOFError: EOF when reading a line (line 15)": ("    return [torch.rand", "    input()\n    return [torch.rand"),
    "it raises KeyboardInterrupt": ("    return [torch.rand", "    raise KeyboardInterrupt\n    return [torch.rand"),
    "was ended by SIGSEGV": ("        return torch", "        __import__('ctypes').string_at(0)\n        return torch"),
}


@pytest.mark.parametrize("reason", UNFIT)
def test_what_is_no_program_is_told_with_its_file(capfd: Captured, reason: str) -> None:
    told = refused(["opt", written(changed(*UNFIT[reason]))], capfd)
    assert told.startswith("model.py:") and reason in told


def test_a_program_leaves_no_process_behind(capfd: Captured) -> None:
    child = "subprocess.Popen(['sleep', '54321'])\n"
    assert main(["opt", written(f"{PROGRAM}\n\n{child}")]) == 0
    found = subprocess.run(["pgrep", "-f", "^sleep 54321$"], capture_output=True, text=True, check=False)
    assert found.stdout == "" and capfd.readouterr().out.startswith("# kernelwright module")


def test_text_as_other_systems_write_it_is_read(capfd: Captured) -> None:
    for text in (PROGRAM.replace("\n", "\r\n"), f"\ufeff{PROGRAM}"):
        Path("ünï cödé.py").write_bytes(text.encode())
        assert main(["opt", "ünï cödé.py"]) == 0
    assert said(capfd.readouterr().err) == []


@pytest.mark.slow
def test_an_endless_program_is_interrupted() -> None:
    written(changed("import time\n", "import time\ntime.sleep(1e6)\n"))
    line = [sys.executable, "-m", "kernelwright.driver.cli", "opt", "model.py"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text().split():  # its worker is on the way
            time.sleep(0.1)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "") and "Traceback" not in err and "interrupted" in err


def test_what_is_no_file_is_refused_at_once(capfd: Captured) -> None:
    os.mkfifo("pipe.py")
    Path("folder.py").mkdir()
    Path("binary.py").write_bytes(b"\xff\xfe\x00")
    for name, reason in (
        ("pipe.py", "not a regular file"),
        ("folder.py", "Is a directory"),
        ("binary.py", "not a text"),
    ):
        for verb in ("compile", "opt"):
            assert reason in refused([verb, name], capfd)
        assert reason in refused(["evaluate", f"reference={name}", "candidate=x"], capfd)


def test_missing_walls_are_named_once(capsys: Captured) -> None:
    warn_of_walls({"walls": EVERY_WALL})
    warn_of_walls({"walls": ()})
    warn_of_walls({})
    assert capsys.readouterr().err == ""
    warn_of_walls({"walls": [wall for wall in EVERY_WALL if wall not in (NAMESPACES, NO_NETWORK)]})
    err = capsys.readouterr().err
    assert err.startswith("kernelwright: warning: candidates ran without namespaces, no network: ")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_root_in_a_user_namespace_compiles_behind_every_wall() -> None:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    given = ["compile", written(PROGRAM), "-p", "lower-inductor", "evaluator.seeds=1", "--json"]
    line = ["unshare", "-Ur", sys.executable, "-m", "kernelwright.driver.cli", *given]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
    assert json.loads(done.stdout)["caliber"]["walls"] == list(EVERY_WALL)
