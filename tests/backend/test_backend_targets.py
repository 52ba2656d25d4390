"""Targets: figures that fit together, names that errors list, detection."""

import pytest

from kernelwright.backend.targets import TARGETS, detect_target, get_target
from kernelwright.ir.errors import UserError

GPUS = [target for target in TARGETS.values() if target.is_gpu]


@pytest.mark.parametrize("target", GPUS, ids=lambda target: target.name)
def test_figures_fit_together(target):
    assert target.source and target.title
    assert target.capability in (80, 89, 90, 100)
    assert target.shared_kb_per_block < target.shared_kb_per_sm
    assert target.fp32_tflops <= target.tf32_tflops < target.bf16_tflops
    assert target.max_warps_per_sm * 32 == target.max_threads_per_sm
    assert 1.3 < target.clock_ghz < 2.7, "the published rate needs a clock that no such device has"


def test_names_are_keys():
    assert all(name == target.name for name, target in TARGETS.items())
    assert get_target("h200") is TARGETS["h200"]


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UserError, match=r"unknown target 'h300'.*a100.*h200.*interpreter"):
        get_target("h300")


def test_h200_is_an_h100_with_more_memory():
    h100, h200 = get_target("h100"), get_target("h200")
    assert h200.bandwidth_gb_s > h100.bandwidth_gb_s and h200.memory_gb > h100.memory_gb
    assert (h200.sm_count, h200.bf16_tflops) == (h100.sm_count, h100.bf16_tflops)


def test_no_gpu_is_the_interpreter(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert detect_target().name == "interpreter"


@pytest.mark.parametrize(
    ("device", "capability", "expected"),
    [
        ("NVIDIA H200", (9, 0), "h200"),
        ("NVIDIA A100-SXM4-80GB", (8, 0), "a100"),
        ("NVIDIA GeForce RTX 4090", (8, 9), "rtx4090"),
        ("NVIDIA L4", (8, 9), "l40s"),
    ],
)
def test_a_gpu_is_known_by_its_name_or_its_capability(monkeypatch, device, capability, expected):
    _pretend(monkeypatch, device, capability)
    assert detect_target().name == expected


def test_a_gpu_like_no_other_is_refused(monkeypatch):
    _pretend(monkeypatch, "Tesla V100", (7, 0))
    with pytest.raises(UserError, match=r"Tesla V100 .*7\.0.*name one of"):
        detect_target()


def _pretend(monkeypatch, device, capability):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.get_device_name", lambda: device)
    monkeypatch.setattr("torch.cuda.get_device_capability", lambda: capability)
