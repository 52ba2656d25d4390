"""Problems are read from every layout, split by what they are, kept apart from evaluation sets, and gone through again
as before."""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from kernelwright.ir.errors import UserError
from kernelwright.rl.data import rows
from kernelwright.rl.data.contamination import Screen, decontaminate
from kernelwright.rl.data.normal_form import normal_digest, normal_form
from kernelwright.rl.data.problems import load_problems
from kernelwright.rl.data.rows import TEST, TRAIN, Cursor, Pair, Problem, assign_splits, read_rows, write_rows

SCALED = """\
import torch
import torch.nn as nn


class Model(nn.Module):
    \"\"\"Scales what a layer gives, then normalises it over a window.\"\"\"

    def __init__(self, width: int, out: int):
        super(Model, self).__init__()
        self.layer = nn.Linear(width, out)
        self.register_buffer("factor", torch.ones(out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # the factor comes first
        y = self.layer(x) * self.factor
        y = torch.nn.functional.softplus(y) - y.mean(dim=1, keepdim=True)
        return torch.softmax(y, dim=-1) + 0.5


width = 1024


def get_inputs():
    return [torch.rand(128, width)]


def get_init_inputs():
    return [width, 512]
"""

#: The same, by another hand: other names, sizes, aliases, comments, annotations and layout.
COPY = """\
import torch as t
from torch import nn
import torch.nn.functional as F

N, K = 64, 32

class Net(nn.Module):
    def __init__(me, a, b):
        super().__init__()
        me.lin = nn.Linear(a, b); me.register_buffer('f', t.ones(b))
    def forward(me, inp):
        h = me.lin(inp) * me.f
        h = F.softplus(h) - h.mean(dim=1, keepdim=True)
        return t.softmax(h, dim=-1) + 0.5

def get_inputs(): return [t.randn(N, K)]
def get_init_inputs(): return [K, 17]
"""


def pointwise(name: str, size: int = 8) -> str:
    return (
        "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x, y):\n"
        f"        return torch.{name}(x) * torch.{name}(y) + x\n\n"
        f"def get_inputs():\n    return [torch.randn({size}), torch.randn({size})]\n"
    )


NAMES = "relu tanh sin cos exp sigmoid erf abs square neg log1p sqrt rsqrt floor ceil".split()
PROBLEMS = tuple(Problem(name, pointwise(name)) for name in NAMES)


# Loaders


def test_kernelbench_rows_and_checkout_give_the_same_problems(tmp_path: Path) -> None:
    rows = [{"level": 1, "problem_id": 2, "name": "2_Sin.py", "code": pointwise("sin")}]
    rows += [{"level": 1, "problem_id": 10, "name": "10_Scaled.py", "code": SCALED}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n")
    level = tmp_path / "KernelBench" / "level1"
    level.mkdir(parents=True)
    for row in rows:
        (level / str(row["name"])).write_text(str(row["code"]))
    (level / "notes.py").write_text("# not a problem\n")
    read = load_problems(tmp_path / "rows.jsonl")
    assert [problem.id for problem in read] == ["kernelbench/1/2", "kernelbench/1/10"]
    assert read[1].source == SCALED and read[1].provenance["level"] == 1
    for place in (tmp_path, tmp_path / "KernelBench", level):
        assert load_problems(place) == read


def test_the_hub_gives_rows_by_split(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"level": 2, "problem_id": 1, "name": "1_Scaled.py", "code": SCALED}
    asked: list[str] = []
    given = {"level_2": [row], "level_1": []}
    config = SimpleNamespace(HF_HUB_OFFLINE=False)
    hub = SimpleNamespace(load_dataset=lambda name: asked.append(name) or given, config=config)
    monkeypatch.setitem(sys.modules, "datasets", hub)
    assert [problem.id for problem in load_problems("hub:some/KernelBench")] == ["kernelbench/2/1"]
    assert asked == ["some/KernelBench"]
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UserError, match=r"pip install 'kernelwright\[hub\]'"):
        load_problems("hub:some/KernelBench")


def test_robust_kbench_becomes_a_program_with_its_sizes(tmp_path: Path) -> None:
    task = tmp_path / "tasks" / "scale"
    task.mkdir(parents=True)
    (task / "func_forward.py").write_text(
        "import torch\nfrom torch import nn\n\n\ndef forward_fn(x, w, power):\n    return (x * w) ** power\n\n\n"
        "class Model(nn.Module):\n    def __init__(self, width, power):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.ones(width))\n        self.power = power\n\n"
        "    def forward(self, x, fn=forward_fn):\n        return fn(x, self.w, self.power)\n\n\n"
        "def get_inputs(rows=2, width=4):\n    return [torch.randn(rows, width)]\n\n\ninput_names = ['x']\n"
    )
    config = {
        "single_input_configs": [{"rows": 6}],
        "single_init_configs": [{"power": 2}],
        "single_shared_configs": [{"width": 5}],
    }
    (task / "config_forward.json").write_text(json.dumps(config))
    (problem,) = load_problems(tmp_path / "tasks")
    assert problem.id == "robust-kbench/scale"
    found: dict[str, object] = {}
    exec(problem.source, found)
    (x,), (positional, keywords) = found["get_inputs"](), found["get_init_inputs"]()  # type: ignore[operator]
    assert tuple(x.shape) == (6, 5) and (positional, keywords) == ([], {"power": 2, "width": 5})
    assert found["Model"](**keywords)(x).shape == (6, 5)  # type: ignore[operator]


def test_tritonbench_is_read_from_statistics_and_from_programs(tmp_path: Path) -> None:
    kernel = "import triton\n\n@triton.jit\ndef twice(x_ptr):\n    pass\n"
    rows = [{"file": "twice.py", "repo": "a/b", "simp_instru": "Double it.", "output": kernel, "difficulty": "1"}]
    (tmp_path / "TritonBench_G_v1.json").write_text(json.dumps(rows))
    programs = tmp_path / "TritonBench_G_v1"
    programs.mkdir()
    (programs / "twice.py").write_text(f"{kernel}\n{'#' * 80}\n\ndef test_twice():\n    pass\n")
    (from_statistics,) = load_problems(tmp_path)
    assert (from_statistics.id, from_statistics.source) == ("tritonbench-g/twice", kernel)
    assert from_statistics.provenance["simp_instru"] == "Double it."
    (from_program,) = load_problems(programs)
    assert from_program.source.strip() == kernel.strip()


def test_plain_files_and_rows(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.py").write_text(SCALED)
    (tmp_path / "a" / "two.py").write_text(COPY)
    assert [problem.id for problem in load_problems(tmp_path / "a")] == ["one", "two"]
    assert load_problems(tmp_path / "a" / "one.py")[0].source == SCALED
    row = {"id": "x", "source": SCALED, "split": "test", "provenance": {"by": "me"}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    assert load_problems(tmp_path / "rows.jsonl") == (Problem("x", SCALED, {"by": "me"}, "test"),)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rows.jsonl", "{", "rows.jsonl:1: not JSON"),
        ("rows.jsonl", "[]", "expected a JSON object, got list"),
        ("rows.jsonl", '{"id": "x"}', "no text under 'source'"),
        ("rows.jsonl", '{"problem_id": 1}', "no text under 'code'"),
        ("rows.jsonl", '{"id": "x", "source": "a"}\n{"id": "x", "source": "b"}', "'x' occurs twice"),
        ("rows.jsonl", "", "no problems there"),
        ("rows.json", "{}", "no list of problems"),
        ("rows.txt", "x", "a .txt holds no problems"),
    ],
)
def test_bad_places_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=message):
        load_problems(tmp_path / name)
    with pytest.raises(UserError, match="no such file"):
        load_problems(tmp_path / "elsewhere")


# Rows


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "rows.jsonl"
    write_rows(path, PROBLEMS)
    assert read_rows(path, Problem) == PROBLEMS
    assert load_problems(path) == PROBLEMS
    pair = Pair("p", "x", "frontend", "a\n", "b\n", "00", TEST, {"seed": 1})
    write_rows(path, [pair])
    assert read_rows(path, Pair) == (pair,)
    with pytest.raises(UserError, match=r"rows.jsonl:1: the row lacks source; a problem has id, source"):
        read_rows(path, Problem)
    path.write_text(path.read_text().replace('"frontend"', "7"))
    with pytest.raises(UserError, match="values are texts"):
        read_rows(path, Pair)


# Normal forms and splits


def test_copies_have_one_normal_form() -> None:
    assert normal_form(SCALED) == normal_form(COPY)
    assert normal_digest(SCALED, sizes=True) != normal_digest(COPY, sizes=True)
    assert normal_digest(SCALED, sizes=True) == normal_digest(SCALED.replace("layer", "other"), sizes=True)


@pytest.mark.parametrize("change", [("dim=1", "dim=0"), ("softplus", "silu"), (" - y", " + y"), ("+ 0.5", "+ 0.25")])
def test_what_changes_the_meaning_changes_the_normal_form(change: tuple[str, str]) -> None:
    assert change[0] in SCALED and normal_form(SCALED.replace(*change)) != normal_form(SCALED)


def test_text_that_is_no_python_stands_for_itself() -> None:
    assert normal_form("not  Python\n(") == "not Python ("


def test_splits_follow_from_programs_and_seed_alone() -> None:
    split = {problem.id: problem.split for problem in assign_splits(PROBLEMS)}
    assert Counter(split.values()) == {TRAIN: 12, TEST: 3}
    renamed = [replace(problem, id=f"{problem.id}!") for problem in reversed(PROBLEMS)]
    assert {problem.id[:-1]: problem.split for problem in assign_splits(renamed)} == split
    assert {problem.id: problem.split for problem in assign_splits(PROBLEMS, seed=7)} != split
    assert [problem.id for problem in assign_splits(PROBLEMS)] == NAMES
    with pytest.raises(UserError, match="add up to 1"):
        assign_splits(PROBLEMS, {TRAIN: 0.5})


def test_each_level_of_kernelbench_is_split_by_itself() -> None:
    levels = [1] * 10 + [2] * 5
    leveled = [replace(one, provenance={"level": level}) for one, level in zip(PROBLEMS, levels, strict=True)]
    for seed in range(20):
        found = Counter((one.provenance["level"], one.split) for one in assign_splits(leveled, seed=seed))
        assert found == {(1, TRAIN): 8, (1, TEST): 2, (2, TRAIN): 4, (2, TEST): 1}


def test_copies_are_never_split() -> None:
    for seed in range(10):
        copies = [Problem(f"{name}/{size}", pointwise(name, size)) for name in NAMES for size in (32, 64, 128)]
        splits: dict[str, set[str]] = {}
        for problem in assign_splits(copies, seed=seed):
            splits.setdefault(problem.id.split("/")[0], set()).add(problem.split)
        assert all(len(found) == 1 for found in splits.values())


# Contamination


def test_renamed_and_resized_copies_are_found() -> None:
    rows = (Problem("copy", COPY), Problem("other", pointwise("tanh")))
    found = decontaminate(rows, [Problem("original", SCALED)])
    assert [row.id for row in found.kept] == ["other"]
    ((dropped, match),) = found.dropped
    assert (dropped.id, match.id, match.similarity) == ("copy", "original", 1.0)


def test_near_copies_are_found_and_different_programs_are_not() -> None:
    lines = "".join(f"        x = torch.{name}(x) * 0.5\n" for name in NAMES)
    text = SCALED.replace("        # the factor comes first\n", lines)
    near = text.replace("torch.ceil(x) * 0.5", "torch.ceil(x) * 0.75")
    screen = Screen([Problem("long", text)])
    match = screen.match(near)
    assert match is not None and match.id == "long" and 0.8 <= match.similarity < 1
    assert Screen([Problem("long", text)], similarity=0.99).match(near) is None
    screen = Screen(PROBLEMS)
    assert screen.match(SCALED) is None and screen.match(pointwise("softmax")) is None
    with pytest.raises(UserError, match="similarity=0"):
        Screen((), similarity=0)


# Cursors


def test_a_restored_cursor_gives_the_same_next_batches() -> None:
    cursor = Cursor(NAMES, 4, seed=3)
    for _ in range(5):
        next(cursor)
    state = json.loads(json.dumps(cursor.state))
    wanted = [next(cursor) for _ in range(9)]
    again = Cursor(NAMES, 4, seed=3)
    again.restore(state)
    assert [next(again) for _ in range(9)] == wanted
    assert again.epoch == pytest.approx(14 * 4 / 15)


def test_every_epoch_has_every_row_once_in_another_order() -> None:
    cursor = Cursor(NAMES, 5)
    epochs = [[row for _ in range(3) for row in next(cursor)] for _ in range(3)]
    assert all(sorted(epoch) == sorted(NAMES) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2]
    assert next(Cursor(NAMES, 3, shuffle=False)) == tuple(NAMES[:3])


def test_a_cursor_refuses_the_state_of_other_rows() -> None:
    state = Cursor(NAMES, 2).state
    with pytest.raises(UserError, match="rows=15"):
        Cursor(NAMES[:4], 2).restore(state)
    with pytest.raises(UserError, match="seed=0"):
        Cursor(NAMES, 2, seed=1).restore(state)
    with pytest.raises(UserError, match="needs rows"):
        Cursor([], 2)


def test_pairs_that_are_checked_and_then_learnt_from_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, reading = list[Path](), rows.read_rows
    monkeypatch.setattr(rows, "read_rows", lambda path, kind: (read.append(path), reading(path, kind))[1])
    place = tmp_path / "pairs.jsonl"
    pair = Pair("a", "p", "frontend", "before", "after", "digest")
    write_rows(place, [pair])
    for _ in range(3):
        assert rows.pairs_of(place, "frontend") == (pair,)
    assert len(read) == 1
    write_rows(place, [pair, replace(pair, id="b")])  # another file is another matter
    assert len(rows.pairs_of(place, "frontend")) == 2 and len(read) == 2
    rows.forget_pairs()
    assert len(rows.pairs_of(place, "frontend")) == 2 and len(read) == 3
