"""The vocabulary of host code outside the dialect: what a program may say, and what is refused before it runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import load_cases

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.host.vocabulary import refused
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.beside import with_files_beside
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
SOURCE = (
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(100)]\n\n\ndef get_init_inputs():\n    return []\n"
)
REFERENCE = import_source(SOURCE, "double").reference
PROGRAM = """import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl
{top}


@triton.jit
def k(x_ptr, y_ptr, n, factor, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)


class ModelNew(nn.Module):
    {member}

    def forward(self, x):
        wrong = {wrong}
        y = torch.empty_like(x)
        k[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), 3.0 if wrong else 2.0, B=64)
        return y
"""
#: What asks for more than a kernel's host code has a use for: what decides, what the top of the file has, and a member.
ASKING = {
    "a module of the process": ("'notebook' in sys.modules", "import sys", ""),
    "a function of such a module": ("getrefcount(x) > 5", "from sys import getrefcount", ""),
    "a thread": ("threading.current_thread() is None", "import threading", ""),
    "a lock's state": ("L.locked()", "import threading\n\nL = threading.Lock()", ""),
    "the environment": ("os.environ.get('RANK')", "import os", ""),
    "how it was imported": ("__name__ != 'candidate'", "", ""),
    "a fact of autograd": ("x.grad_fn is not None", "", ""),
    "a fact by a literal": ("getattr(x, 'is_leaf')", "", ""),
    "a fact by a name made up": ("getattr(x, 'grad' + '_fn')", "", ""),
    "a fact by another function": ("any(map(getattr, [x], ['is_leaf']))", "", ""),
    "a fact that its own field is named like": ("x.grad_fn", "", "grad_fn = None"),
    "inference mode": ("x.is_inference()", "", ""),
    "inference mode as an operator": ("torch.ops.aten.is_inference(x)", "", ""),
    "a private state of torch": ("torch._C._get_tracing_state() is not None", "", ""),
    "a state by another name of torch": ("t.initial_seed() == 42", "t = torch", ""),
    "torch as a value": ("[m.initial_seed() == 42 for m in [torch]][0]", "", ""),
    "a state named like its own field": ("torch.seed", "", "seed = 3"),
    "how tensors share memory": ("x.untyped_storage().nbytes() > 4096", "", ""),
    "where a tensor lies": ("x.data_ptr() == self.last", "", "last = 0"),
    "how often an input was written": ("(x._version, 1) == (0, 1)", "", ""),
    "how often an input by another name was written": ("f(x)", "def f(y):\n    return (y._version,) == (3,)", ""),
    "where an input lies that the module keeps": (
        "self.keep(x)",
        "",
        "def keep(self, y):\n        self.last = y\n        return self.last.data_ptr() == 0",
    ),
    "whether two inputs lie at one place": ("(lambda a, b: a.data_ptr() == b.data_ptr())(x, x)", "", ""),
    "how often a weight was written": ("self.w._version > 100", "", ""),
    "how often inputs among weights were written": (
        "self.seen(x)",
        "",
        "w = None\n\n    def seen(self, x):\n        parts = (self.w, x)\n"
        "        return [p._version for p in parts] == [1, 2]",
    ),
    "how often one of two things was written": (
        "self.seen(x)",
        "",
        "w = None\n\n    def seen(self, x):\n        parts = (self.w,)\n        parts = (x,)\n"
        "        return [p._version for p in parts] == [1]",
    ),
    "whether two inputs of a list are one": (
        "self.seen(x)",
        "",
        "def seen(self, x):\n        parts = [x, x]\n        return all(a is b for a, b in zip(parts, parts))",
    ),
    "whether two inputs are one": ("(lambda a, b: a is b)(x, x)", "", ""),
    "the class of a tensor": ("x.__class__ is torch.Tensor", "", ""),
    "the class by type": ("type(x) is torch.Tensor", "", ""),
    "the kind of a tensor": ("isinstance(x, nn.Parameter)", "", ""),
    "the text of a tensor": ("'grad_fn' in f'{x}'", "", ""),
    "the text by an operator": ("'grad_fn' in ('%s' % x)", "", ""),
    "the text by format": ("'grad_fn' in '{0}'.format(x)", "", ""),
    "the text by print": ("print(x, file=self)", "", ""),
    "what the judge's tensors have": ("hasattr(x, 'store')", "", ""),
    "a failure": (
        "fails(x)",
        "def fails(x):\n    try:\n        return x.numel() > 200\n    except Exception:\n        return 1",
        "",
    ),
    "other objects": ("any(True for _ in self.modules())", "", ""),
    "a kernel's Python": ("k.fn is None", "", ""),
    "a kernel's Python by a field's name": (
        "Held.fn_of(spy)(x)",
        "@triton.jit\ndef spy(x):\n    return x.is_leaf\n\n\nclass Held:\n    fn = None\n\n"
        "    def fn_of(self):\n        return self.fn",
        "",
    ),
    "a jit of its own": (
        "asked(x)",
        "class triton:\n    jit = staticmethod(lambda f: f)\n\n\n@triton.jit\ndef asked(x):\n    return x.is_leaf",
        "",
    ),
    "a print of its own": ("print(f'{x}')", "def print(text):\n    return 'grad_fn' in text", ""),
    "code from text": ("eval('x.is_leaf')", "", ""),
    "a builtin that another function shadows": ("vars(x)", "def f(vars):\n    return vars", ""),
    "a pattern's attribute": (
        "f(x)",
        "def f(x):\n    match x:\n        case object(is_leaf=True):\n            return 1",
        "",
    ),
}  # fmt: skip
CHANGING = {
    "train": ("False", "", "def train(self, mode=True):\n        return self"),
    "state_dict": ("False", "", "def state_dict(self, *given):\n        return {}"),
    "a call": ("False", "", "def __call__(self, x):\n        return self.forward(x)"),
    "pickling": ("False", "", "def __reduce__(self):\n        return ModelNew, ()"),
    "a class's method later": ("False", "def f(self):\n    ModelNew.eval = f", ""),
    "torch's function": ("False", "torch.relu = torch.sigmoid", ""),
    "an attribute for all": ("False", "", "def __getattr__(self, name):\n        return 3"),
    "a method in a base": ("False", "class Base:\n    def train(self, mode=True):\n        return self\n\n\n"
                           "class Other(Base, nn.Module):\n    pass", ""),
    "a class of classes": ("False", "class Meta(type):\n    pass", ""),
    "a list of its own": ("False", "class Pair(list):\n    pass", ""),
}  # fmt: skip
KEPT = "w = None\n    last = ()"
#: What right programs write.
FREE = {
    "whether a weight was written": ("(self.w.data_ptr(), self.w._version) == self.last", "", KEPT),
    "whether a weight by another name was written": (
        "self.written()",
        "",
        f"{KEPT}\n\n    def written(self):\n        w = self.w\n        return (w._version, 1) == self.last",
    ),
    "whether weights were written": (
        "self.written()",
        "",
        f"{KEPT}\n\n    def written(self):\n        bn = self.w\n        parts = (self.w, bn.w)\n"
        "        versions = tuple(p._version for p in parts)\n"
        "        return self.last[1] == versions and all(a is b for a, b in zip(self.last[0], parts))",
    ),
    "what a weight's version was": (
        "self.written()",
        "",
        f"{KEPT}\n\n    def written(self):\n        w = self.w\n        version = w._version\n"
        "        return {'of': version, 'as': w._version} == self.last and [w._version] == [0]",
    ),
    "whether a weight is another": ("self.w.data_ptr() != self.last", "", "w = None\n    last = 0"),
    "alignment": ("x.data_ptr() % 16 == 1", "", ""),
    "facts of tensors": (
        "x.dtype == torch.int8 or x.stride(0) == 0 or not x.is_contiguous() or x.device.type == 'x'",
        "",
        "",
    ),
    "training": ("self.training and x.requires_grad and False", "", ""),
    "a cache": ("self.kept.setdefault((x.shape, x.dtype), 0) == 1", "", "kept = {}"),
    "a cached function": (
        "f(x.shape[0]) == 1",
        "from functools import lru_cache\n\n\n@lru_cache\ndef f(n):\n    return n",
        "",
    ),
    "data of its own": (
        "Shape(x.numel()).size == 3",
        "from typing import NamedTuple\n\n\nclass Shape(NamedTuple):\n    size: int",
        "",
    ),
    "a dataclass": (
        "Shape().size == 3",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Shape:\n    size: int = 1",
        "",
    ),
    "an optional import": (
        "False",
        "try:\n    from triton.language.extra import libdevice\nexcept ImportError:\n    libdevice = None",
        "",
    ),
    "text for people": (
        "f(x)",
        "def f(x):\n    assert x.ndim == 1, f'one axis, not {x.shape}'\n    if x.numel() == 0:\n"
        "        raise ValueError('%d elements, %s' % (x.numel(), x.dtype))\n    return False",
        "",
    ),
    "a lock": (
        "f(x) == 3",
        "from threading import Lock\n\nLOCK = Lock()\n\n\ndef f(x):\n    with LOCK:\n        return x.numel()",
        "",
    ),
    "a module by a short name": ("functional.relu is None", "functional = torch.nn.functional", ""),
    "fields with good names": ("self.name == self.layout or self.seed == 4", "", "name, layout, seed = 'a', 'b', 3"),
    "numbers of numpy": ("np.prod(x.shape) == 3", "import numpy as np", ""),
    "how torch's layers begin": ("False", "def begun(w):\n    return nn.init._calculate_fan_in_and_fan_out(w)", ""),
    "a launcher that holds its kernel": (
        "False",
        "class Held(triton.KernelInterface):\n    def __init__(self, fn):\n        self.fn = fn\n\n"
        "    def run(self, *args, **kwargs):\n        return self.fn.run(*args, **kwargs)",
        "",
    ),
    "a launcher": ("False", "class Launcher(triton.KernelInterface):\n    def run(self, *given):\n        pass", ""),
    "a view as the compiler writes it": ("torch.as_strided(x, (4,), (1,), 0).numel() == 3", "", ""),
    "kinds": ("isinstance(x, (int, float)) or not isinstance(x, torch.Tensor)", "", ""),
    "a name of Python's": ("f(3) == 1", "def f(input, type=2):\n    return input - type - 1", ""),
    "a script": ("False", "if __name__ == '__main__':\n    import sys\n    print(sys.argv)", ""),
    "properties of the device": ("torch.cuda.get_device_properties(x.device).multi_processor_count == 1", "", ""),
    "a field of its own": ("not getattr(self, 'ready', False)", "", "ready = True"),
    "Python 2's super": ("False", "", "def __init__(self):\n        super(ModelNew, self).__init__()"),
}  # fmt: skip


def program(given: tuple[str, str, str]) -> str:
    wrong, top, member = given
    return PROGRAM.replace("{wrong}", wrong).replace("{member}", member or "pass").replace("{top}", top)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, rehearsals=0) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", [*ASKING, *CHANGING])
def test_what_asks_or_changes_more_is_refused_with_its_place_and_what_to_write(name: str) -> None:
    found = refused(program((ASKING | CHANGING)[name]), SOURCE)
    assert found and all(one.line and one.message and one.hint for one in found)


@pytest.mark.parametrize("name", FREE)
def test_what_right_programs_write_is_free(name: str) -> None:
    assert refused(program(FREE[name]), SOURCE) == ()


def test_what_the_reference_says_its_program_may_say() -> None:
    text = program(("x.grad_fn is not None and math.tau == torch.initial_seed()", "import math\nimport cmath", ""))
    assert len(refused(text, SOURCE)) == 3
    reference = SOURCE.replace("return x * 2", "return x * 2 if x.grad_fn or torch.initial_seed() else x * 2")
    assert refused(text, "import cmath\n" + reference) == ()


def test_a_refused_program_is_unparsed_and_never_runs(evaluator: LocalEvaluator) -> None:
    text = program(("False", "import os\n\nos._exit(1)", ""))
    verdict = evaluator.evaluate_text(text, REFERENCE, RUNGS)
    assert verdict.status is Status.UNPARSED and verdict.rung is Rung.PARSE
    assert verdict.detail.startswith(
        "line 6, column 0: the import of os: `import os`; host code of kernels needs torch"
    )
    right = evaluator.evaluate_text(program(FREE["a cached function"]), REFERENCE, RUNGS)
    assert right.ok, right


def test_text_that_is_no_python_or_nested_too_deep_is_a_verdict() -> None:
    assert refused("def f(:\n") == ()
    assert "nested too deep" in refused("x = " + "+".join(["1"] * 3000))[0].message


def test_honest_programs_of_the_suite_stay_within_the_vocabulary() -> None:
    cases = load_cases("honest")
    outside = {case.name for case in cases if refused(case.text, case.reference_text)}
    assert not outside


def test_files_beside_a_program_are_checked_as_it_is(tmp_path: Path) -> None:
    asks = program(("asked(x)", "from facts import asked", ""))
    (tmp_path / "facts.py").write_text("def asked(x):\n    return x.numel() == 3\n")
    assert refused(with_files_beside(asks, tmp_path / "new.py"), SOURCE) == ()
    (tmp_path / "facts.py").write_text("import os\n\n\ndef asked(x):\n    return x.grad_fn is None\n")
    found = refused(with_files_beside(asks, tmp_path / "new.py"), SOURCE)
    assert [one.text for one in found] == ["import os", "x.grad_fn"]
    (tmp_path / "facts.py").write_text("_getframe = asked = max\n")
    uses = program(("sys._getframe()", "from facts import asked", ""))
    assert refused(with_files_beside(uses, tmp_path / "new.py"), SOURCE)
    broken = with_files_beside(asks, tmp_path / "new.py").replace("_getframe = asked = max", "import os; (")
    assert refused(broken, SOURCE)
    other = with_files_beside(asks, tmp_path / "new.py").replace("return FILES_BESIDE[name][0]", "return sys.argv")
    assert refused(other, SOURCE)
