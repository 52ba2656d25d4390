"""Scores of attentions: kernels write a large negative number where something is masked."""

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

_FORWARDS = {
    "by the operator": "F.scaled_dot_product_attention(q, k, v, is_causal=True)",
    "written out": "(q @ k.mT / 4.0 + torch.full((32, 32), -torch.inf).triu(1).to(q)).softmax(-1) @ v",
}
_REFERENCE = """import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, q, k, v):
        return {forward}


def get_inputs():
    return [torch.randn(3, 32, 16) for _ in range(3)]


def get_init_inputs():
    return []
"""
_CANDIDATE = """import torch
import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, y_ptr, T: tl.constexpr, D: tl.constexpr):
    t, d = tl.arange(0, T), tl.arange(0, D)
    place = tl.program_id(0) * T * D + t[:, None] * D + d[None, :]
    q, k, v = tl.load(q_ptr + place), tl.load(k_ptr + place), tl.load(v_ptr + place)
    scores = tl.sum(q[:, None, :] * k[None, :, :], 2) * (0.25 * 1.44269504)
    scores += tl.where(t[:, None] >= t[None, :], 0.0, {masked})
    weights = tl.exp2(scores - tl.max(scores, 1)[:, None])
    weights = weights / tl.sum(weights, 1)[:, None]
    tl.store(y_ptr + place, tl.sum(weights[:, :, None] * v[None, :, :], 1))


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        y = torch.empty_like(q)
        attend[(q.shape[0],)](q, k, v, y, T=q.shape[1], D=q.shape[2])
        return y
"""


@pytest.mark.parametrize("forward", _FORWARDS.values(), ids=_FORWARDS)
@pytest.mark.parametrize(
    ("masked", "status"),
    [("-1.0e6", Status.OK), ("-3.0e38", Status.OK), ('-float("inf")', Status.OK), ("-500.0", Status.MISMATCH)],
)
def test_what_masks_scores_may_be_any_large_number(forward: str, masked: str, status: Status) -> None:
    reference = import_source(_REFERENCE.format(forward=forward), "causal", shrink="never").reference
    for seed in (0, 4):
        with LocalEvaluator(use_gpu=False, seed=seed) as evaluator:
            text = _CANDIDATE.format(masked=masked)
            verdict = evaluator.evaluate_text(text, reference, (Rung.PARSE, Rung.INTERPRET))
        assert verdict.status is status, verdict
