"""The reference: built from a seed, run as KernelBench runs it, described for importers."""

import pytest
import torch

from kernelwright.backend.reference.program import ReferenceProgram, describe, held_tensors, tensor_at
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Reference, ScalarSpec, TensorSpec

SOURCE = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, channels, *, bias=True):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, bias=bias)
        self.norm = nn.BatchNorm1d(channels)
        self.mask = torch.ones(6)
        self.tied = self.conv.weight

    def forward(self, x, conv_bias, flag=None):
        x.add_(1.0)
        return self.norm(self.conv(x)) * self.mask[: x.shape[-1] - 2], conv_bias > 0

def get_inputs():
    return [torch.randn(2, 4, 8), torch.randn(3).to(torch.bfloat16), 7]

def get_init_inputs():
    return [4]
"""


def program(source: str = SOURCE) -> ReferenceProgram:
    first = ReferenceProgram.load(Reference(source, "Model", (), (), ()))
    seen = describe(first.build(0), first.inputs(0))
    return ReferenceProgram.load(Reference(source, "Model", seen.inputs, seen.state, seen.outputs, seen.returns))


def simple(forward: str, inputs: str = "torch.randn(4, 4)", init: str = "") -> ReferenceProgram:
    return ReferenceProgram.load(
        Reference(
            f"import torch\nclass Model(torch.nn.Module):\n    def __init__(self):\n"
            f"        super().__init__(){init}\n    def forward(self, x):\n        {forward}\n"
            f"def get_inputs():\n    return [{inputs}]\n",
            "Model",
            (),
            (),
            (),
        )
    )


def test_describe_gives_inputs_state_and_outputs() -> None:
    reference = program().reference
    assert reference.inputs == (
        TensorSpec.contiguous("x", "f32", (2, 4, 8)),
        TensorSpec.contiguous("conv_bias", "bf16", (3,)),
        ScalarSpec("flag", 7),
    )
    paths = {spec.path: spec.tensor.name for spec in reference.state}
    assert paths == {
        "tied": "tied",  # the convolution's weight, under the first of its two names
        "mask": "mask",
        "conv.bias": "conv_bias_2",
        "norm.weight": "norm_weight",
        "norm.bias": "norm_bias",
        "norm.running_mean": "norm_running_mean",
        "norm.running_var": "norm_running_var",
        "norm.num_batches_tracked": "norm_num_batches_tracked",
    }
    assert reference.returns == "tuple"
    assert [(spec.name, spec.dtype, spec.shape) for spec in reference.outputs] == [
        ("out0", "f32", (2, 4, 6)),
        ("out1", "b1", (3,)),
    ]


def test_same_seed_same_weights_and_inputs_other_seed_others() -> None:
    p = program()
    assert torch.equal(p.build(3).conv.weight, p.build(3).conv.weight)
    assert not torch.equal(p.build(3).conv.weight, p.build(4).conv.weight)
    assert torch.equal(p.inputs(3)[0], p.inputs(3)[0])
    assert not torch.equal(p.inputs(3)[0], p.inputs(4)[0])


def test_state_is_the_models_own_by_name() -> None:
    p = program()
    model = p.build(0)
    state = p.state(model)
    assert state.keys() == {spec.tensor.name for spec in p.reference.state}
    state["mask"].zero_()
    assert model.mask.sum() == 0
    assert not any(tensor.requires_grad for tensor in state.values())


def test_run_clones_inputs_and_stays_in_training_mode() -> None:
    p = program()
    model, inputs = p.build(0), p.inputs(0)
    before = inputs[0].clone()
    out = p.run(model, inputs)
    assert torch.equal(inputs[0], before)
    assert model.training
    assert model.norm.num_batches_tracked == 1
    torch.testing.assert_close(out[0].mean(dim=(0, 2)), torch.zeros(4), atol=1e-5, rtol=0)
    assert not out[0].requires_grad


def test_gold_is_fp64_and_leaves_the_model_alone() -> None:
    p = program()
    model, inputs = p.build(0), p.inputs(0)
    gold = p.gold(model, inputs)
    assert (gold.outputs[0].dtype, gold.outputs[1].dtype, gold.note) == (torch.float64, torch.bool, "")
    assert model.conv.weight.dtype == torch.float32
    assert model.norm.num_batches_tracked == 0
    torch.testing.assert_close(gold.outputs[0].float(), p.run(model, inputs)[0], rtol=1e-4, atol=1e-5)


def test_gold_says_where_fp64_is_refused() -> None:
    p = simple("return (x.view(torch.int32).reshape(x.shape) + 1).view(torch.float32)")
    gold = p.gold(p.build(0), p.inputs(0))
    assert gold.outputs[0].dtype == torch.float32
    assert "fp64 refused" in gold.note


def test_gold_is_fp64_where_constants_are_not() -> None:
    p = simple("return x @ torch.ones(4, 4)")
    gold = p.gold(p.build(0), p.inputs(0))
    assert gold.outputs[0].dtype == torch.float64
    assert gold.note == ""


def test_strides_of_inputs_survive() -> None:
    p = simple("return x.as_strided((16,), (1,))", "torch.arange(16.0).view(4, 4).t()")
    assert p.run(p.build(0), p.inputs(0))[0].tolist() == list(range(16))
    seen = describe(p.build(0), p.inputs(0))
    assert seen.inputs[0] == TensorSpec("x", "f32", (4, 4), (1, 4))
    assert seen.outputs == (TensorSpec.contiguous("out", "f32", (16,)),)
    assert seen.returns == "tensor"


def test_tensors_are_found_by_path() -> None:
    model = program().build(0)
    assert tensor_at(model, "conv.weight") is model.conv.weight
    assert tensor_at(model, "conv.nothing.there") is None
    assert len({id(tensor) for _, tensor in held_tensors(model)}) == len(list(held_tensors(model)))


@pytest.mark.parametrize(
    ("source", "message"),
    [("x = 1", "defines no Model"), ("class Model: pass", "defines no get_inputs")],
)
def test_incomplete_source_is_refused(source: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        ReferenceProgram.load(Reference(source, "Model", (), (), ()))


def test_what_is_no_tensor_is_refused() -> None:
    p = simple("return {'a': 1}")
    with pytest.raises(UserError, match="output 0 of the reference is dict"):
        p.run(p.build(0), p.inputs(0))
    with pytest.raises(UserError, match="'x' is list"):
        describe(p.build(0), [[1]])
    with pytest.raises(UserError, match="is not supported"):
        describe(p.build(0), [torch.zeros(2, dtype=torch.complex64)])
