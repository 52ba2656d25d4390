"""Small terms count: those that a large element of their row hides, and parts of an output far below its inputs."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator

RUNGS = (Rung.PARSE, Rung.INTERPRET)
LONG = "return [torch.randn(6, 80)]"
WHOLE = "for j in range(N):\n    v = tl.load(x_ptr + row * N + i - j, mask=inside & (i >= j), other=0.0)\n"
CUT = WHOLE.replace("range(N)", "range(40)")


def decaying(
    name: str, weight: str, forward: str, start: str = "1.0", step: str = "w * {}", base: str = "0.4"
) -> Sibling:
    """A sum of earlier elements, each with a smaller weight; the wrong one leaves out those of forty steps before."""
    body = f"w = {start}\ny = x * 0.0\n{{}}    y += {weight} * v\n    w = {step.format(base)}"
    return Sibling(name, forward, LONG, body.format(WHOLE), body.format(CUT))


def recurrence(update: str) -> str:
    return (
        "h = torch.zeros_like(x[:, 0])\nout = []\nfor t in range(x.shape[1]):\n"
        f"    h = {update}\n    out.append(h)\nreturn torch.stack(out, 1)"
    )


PROPORTIONAL = [
    decaying("a recurrence", "w", recurrence("0.4 * h + x[:, t]")),
    decaying("a recurrence that changes sign", "w", recurrence("x[:, t] - 0.4 * h"), base="-0.4"),
    decaying("a moving average", "0.625 * w", recurrence("0.375 * h + 0.625 * x[:, t]"), base="0.375"),
    decaying("a geometric filter", "w",
             "k = 0.4 ** torch.arange(x.shape[1], device=x.device, dtype=x.dtype)\n"
             "return F.conv1d(F.pad(x[:, None], (x.shape[1] - 1, 0)), k.flip(0)[None, None])[:, 0]"),
    decaying("a lower triangle of weights", "w",
             "t = torch.arange(x.shape[1], device=x.device)\nd = (t[None] - t[:, None]).to(x.dtype)\n"
             "return x @ torch.triu(0.4 ** d.clamp(min=0))"),
    Sibling("a weighted sum of a row", "w = 0.25 ** torch.arange(x.shape[1], device=x.device, dtype=x.dtype)\n"
            "return (x * w).sum(1)", "return [torch.randn(8, 48)]",
            "w = tl.exp2(-2.0 * i)\ny = tl.sum(tl.where(inside, x * w, 0.0), axis=0)",
            "w = tl.exp2(-2.0 * i)\ny = tl.sum(tl.where(i < 24, x * w, 0.0), axis=0)",
            out="torch.empty(x.shape[0], device=x.device)", scalar=True),
    Sibling("one of two inputs", "w = 0.25 ** torch.arange(x.shape[1], device=x.device, dtype=x.dtype)\n"
            "return (x * b * w).sum(1)", "return [torch.randn(8, 48), torch.rand(8, 48) + 1]",
            "w = tl.exp2(-2.0 * i)\ny = tl.sum(tl.where(inside, x * b * w, 0.0), axis=0)",
            "w = tl.exp2(-2.0 * i)\ny = tl.sum(tl.where(i < 24, x * b * w, 0.0), axis=0)", rows=("x", "b"),
            out="torch.empty(x.shape[0], device=x.device)", scalar=True),
    Sibling("a shifted echo", "return x + 1e-9 * x.roll(1, 1)", "return [torch.randn(8, 48)]",
            "e = tl.load(x_ptr + row * N + (i + N - 1) % N, mask=inside)\ny = x + 1e-9 * e", "y = x"),
]  # fmt: skip
X = "return [torch.randn(16, 24)]"
PAIR = "return [torch.randn(16, 24), torch.randn(16, 24)]"
FAINT = [
    Sibling("a faint half", "return torch.where(torch.arange(24, device=x.device) < 12, x, torch.sigmoid(b) * 1e-7)",
            PAIR, "y = tl.where(i < 12, x, 1e-7 / (1 + tl.exp(-b)))", "y = tl.where(i < 12, x, 0.0)", rows=("x", "b")),
    Sibling("a faint half as a constant",
            "return torch.where(torch.arange(24, device=x.device) < 12, x, torch.sigmoid(3 * b) * 1e-7)",
            PAIR, "y = tl.where(i < 12, x, 1e-7 / (1 + tl.exp(-3 * b)))", "y = tl.where(i < 12, x, 5e-8)",
            rows=("x", "b")),
    Sibling("faint rows",
            "return torch.where(torch.arange(16, device=x.device)[:, None] % 4 == 0, torch.cos(x) * 2e-7, x)", X,
            "y = tl.where(row % 4 == 0, tl.cos(x) * 2e-7, x)",
            "y = tl.where(row % 4 == 0, 0.0, x)"),
    Sibling("a faint column", "return torch.where(torch.arange(24, device=x.device) == 23, 1e-7 / (1 + x * x), x)", X,
            "y = tl.where(i == 23, 1e-7 / (1 + x * x), x)", "y = tl.where(i == 23, 0.0, x)"),
    Sibling("faint where it is negative", "return torch.where(x < 0, 1e-7 * torch.exp(-x * x), x)", X,
            "y = tl.where(x < 0, 1e-7 * tl.exp(-x * x), x)", "y = tl.where(x < 0, 0.0, x)"),
    Sibling("all of it faint", "return 1e-7 * torch.tanh(x)", X,
            "e = tl.exp(-2 * tl.abs(x))\nt = (1 - e) / (1 + e)\ny = 1e-7 * tl.where(x < 0, -t, t)",
            "y = 1e-7 * tl.minimum(tl.maximum(x, -1.0), 1.0)"),
    Sibling("a faint probability", "return torch.softmax(x, 1) * 3e-7", X,
            "e = tl.where(inside, tl.exp(x - tl.max(tl.where(inside, x, -float('inf')), axis=0)), 0.0)\n"
            "y = e / tl.sum(e, axis=0) * 3e-7", "y = x * 0.0 + 3e-7 / N"),
    Sibling("a difference of nearly equal numbers", "return torch.expm1(x * 0.05)", X, "y = tl.exp(x * 0.05) - 1.0",
            "y = x * 0.05"),
]  # fmt: skip


@pytest.mark.parametrize("one", [*PROPORTIONAL, *FAINT], ids=[one.name for one in (*PROPORTIONAL, *FAINT)])
def test_right_programs_are_told_from_wrong_ones(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)
