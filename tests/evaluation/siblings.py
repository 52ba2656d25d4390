"""Programs of one kind in two versions, a right one and a wrong one, each made from a few lines."""

import textwrap
from dataclasses import dataclass

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

_LIBDEVICE = "from triton.language.extra import libdevice\n"


@dataclass(frozen=True)
class Sibling:
    """A reference `forward(self, <names>)`, and what its kernel computes for a row: `right`, and `wrong`.

    `load`s are made for every name in `rows`, a row of it, and in `row`, one number for the row; `init` holds lines of
    `__init__`, `held` the names of the state that the kernel gets a row of besides. `y` is stored.
    """

    name: str
    forward: str
    inputs: str
    right: str
    wrong: str = ""
    rows: tuple[str, ...] = ("x",)
    row: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    init: str = ""
    out: str = "torch.empty_like(x)"
    scalar: bool = False
    head: str = ""

    @property
    def reference(self) -> Reference:
        """The program, imported."""
        names = ", ".join((*self.rows, *self.row))
        init = textwrap.indent(self.init or "pass", " " * 8)
        source = (
            f"import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n"
            f"    def __init__(self):\n        super().__init__()\n{init}\n\n    def forward(self, {names}):\n"
            f"{textwrap.indent(self.forward, ' ' * 8)}\n\n\ndef get_inputs():\n{textwrap.indent(self.inputs, ' ' * 4)}"
            "\n\n\ndef get_init_inputs():\n    return []\n"
        )
        return import_source(source, self.name, shrink="never").reference

    def program(self, body: str) -> str:
        """A program whose kernel has this body."""
        given = [*self.rows, *self.row, *self.held]
        loads = [f"{name} = tl.load({name}_ptr + row * N + i, mask=inside)" for name in self.rows]
        loads += [f"{name} = tl.load({name}_ptr + row)" for name in self.row]
        loads += [f"{name} = tl.load({name}_ptr + i, mask=inside)" for name in self.held]
        store = "tl.store(y_ptr + row, y)" if self.scalar else "tl.store(y_ptr + row * N + i, y, mask=inside)"
        names = [*self.rows, *self.row]
        arguments = [*names, *(f"self.{name}" for name in self.held)]
        return (
            "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n"
            f"{_LIBDEVICE if 'libdevice' in body else ''}\n\n{self.head}@triton.jit\n"
            f"def k({', '.join(f'{name}_ptr' for name in given)}, y_ptr, N, BLOCK: tl.constexpr):\n"
            "    row = tl.program_id(0)\n    i = tl.arange(0, BLOCK)\n    inside = i < N\n"
            f"{textwrap.indent(chr(10).join(loads), ' ' * 4)}\n{textwrap.indent(body, ' ' * 4)}\n    {store}\n\n\n"
            f"class ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"{textwrap.indent(self.init if self.held else 'pass', ' ' * 8)}\n\n"
            f"    def forward(self, {', '.join(names)}):\n"
            f"        y = {self.out}\n        n = x.shape[-1]\n"
            f"        k[(x.numel() // n,)]({', '.join(arguments)}, y, n{self._block})\n        return y\n"
        )

    @property
    def _block(self) -> str:
        return "" if self.head else ", BLOCK=triton.next_power_of_2(n)"


def tell_apart(one: Sibling, evaluator: LocalEvaluator, refused: tuple[Status, ...] = (Status.MISMATCH,)) -> Verdict:
    """Find the right program `ok` and the wrong one `refused`; the verdict on the right one."""
    rungs = (Rung.PARSE, Rung.INTERPRET)
    right = evaluator.evaluate_text(one.program(one.right), one.reference, rungs)
    assert right.ok, right
    wrong = evaluator.evaluate_text(one.program(one.wrong), one.reference, rungs)
    assert wrong.status in refused, wrong
    return right


def find_right(one: Sibling, evaluator: LocalEvaluator) -> None:
    """Find both programs `ok`."""
    for body in (one.right, one.wrong):
        verdict = evaluator.evaluate_text(one.program(body), one.reference, (Rung.PARSE, Rung.INTERPRET))
        assert verdict.ok, verdict
