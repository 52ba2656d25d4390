"""The torch.compile backend: what is substituted, what is left to Inductor, and that both give eager's results."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import transformers
from torch import nn

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.driver import dynamo
from kernelwright.driver.dynamo import Region, regions

INTERPRETER = {"target": "interpreter"}


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch.manual_seed(0)
    torch._dynamo.reset()


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 8)).eval()


def run(model: Callable[..., Any], *inputs: Any, options: dict[str, Any] | None = None) -> tuple[Any, list[Region]]:
    """The compiled model's result without gradients, and the regions that this made."""
    before = len(regions())
    with torch.no_grad():
        result = torch.compile(model, backend="kernelwright", options=options)(*inputs)
    return result, list(regions()[before:])


def test_inference_runs_verified_kernels() -> None:
    model, x = mlp(), torch.randn(5, 16)
    result, made = run(model, x, options=INTERPRETER)
    torch.testing.assert_close(result, model(x))
    assert [region.runs for region in made] == ["kernelwright"]
    assert made[0].module is not None
    assert made[0].module.kernels
    assert "ok@interpret" in str(made[0])


def test_graphs_may_use_tf32_where_the_users_flags_let_them() -> None:
    for convolutions, products, numerics in (
        (True, False, "torch"),
        (True, True, "tf32"),
        (False, False, "ieee"),
        (False, True, "ieee"),
    ):
        with torch.backends.cudnn.flags(allow_tf32=convolutions):
            torch.backends.cuda.matmul.allow_tf32 = products
            try:
                assert dynamo.permitted() == numerics
            finally:
                torch.backends.cuda.matmul.allow_tf32 = False
    _, made = run(mlp(), torch.randn(5, 16), options=INTERPRETER)
    assert made[0].module is not None
    assert made[0].module.reference.numerics == "torch"


def test_later_calls_use_new_values() -> None:
    model = mlp()
    compiled = torch.compile(model, backend="kernelwright", options=INTERPRETER)
    with torch.no_grad():
        for scale in (1.0, -3.0):
            x = scale * torch.randn(5, 16)
            torch.testing.assert_close(compiled(x), model(x))
        model[0].weight.mul_(2.0)
        torch.testing.assert_close(compiled(x), model(x))


def test_the_cpu_is_left_to_inductor_unless_asked() -> None:
    model, x = mlp(), torch.randn(5, 16)
    result, made = run(model, x)
    torch.testing.assert_close(result, model(x))
    assert [region.runs for region in made] == ["inductor"]
    assert "target='interpreter'" in made[0].why


def test_training_is_left_to_inductor_and_differentiates() -> None:
    model, x = mlp(), torch.randn(5, 16)
    before = len(regions())
    torch.compile(model, backend="kernelwright", options=INTERPRETER)(x).square().sum().backward()
    got = [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]
    model.zero_grad()
    model(x).square().sum().backward()
    wanted = [parameter.grad for parameter in model.parameters()]
    torch.testing.assert_close(got, wanted)
    assert {region.why for region in regions()[before:]} == {"it may be differentiated"}


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: nn.functional.dropout(x, 0.5, training=True) * 2, "random"),
        (lambda x: x.add_(1.0) * 2, "in place"),
    ],
    ids=["random", "mutation"],
)
def test_what_cannot_be_expressed_is_left_to_inductor(function: Callable[..., Any], reason: str) -> None:
    _, made = run(function, torch.randn(8, 8), options=INTERPRETER)
    assert made[0].runs == "inductor"
    assert reason in made[0].why


def test_mutation_still_happens() -> None:
    x, y = torch.ones(4), torch.ones(4)
    result, _ = run(lambda x: x.add_(1.0) * 2, x, options=INTERPRETER)
    torch.testing.assert_close(result, y.add_(1.0) * 2)
    torch.testing.assert_close(x, y)


@pytest.mark.parametrize(
    "function",
    [lambda x: (x.t(), x + 1.0), lambda x: (x.detach(), x + 1.0), lambda x: ((y := x + 1.0).view(-1), y)],
    ids=["view of an input", "detached input", "view of an output"],
)
def test_outputs_that_share_memory_still_do(function: Callable[..., Any]) -> None:
    x = torch.zeros(4, 2)
    (one, other), made = run(function, x, options=INTERPRETER)
    assert made[0].runs == "inductor" and "shares memory" in made[0].why
    one.fill_(7.0)
    assert bool((x == 7.0).all()) != bool((other == 7.0).all())


def test_outputs_that_are_one_tensor_or_an_input_run_as_kernels() -> None:
    (one, same, given), made = run(lambda x: (y := x + 1.0, y, x), x := torch.zeros(4, 2), options=INTERPRETER)
    assert made[0].runs == "kernelwright" and one is same and given is x


def test_a_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="has no mode 'max-autotune'; leave it out"):
        torch.compile(nn.GELU(), backend="kernelwright", mode="max-autotune")(torch.randn(4))


def test_dynamic_shapes_are_left_to_inductor() -> None:
    before = len(regions())
    compiled = torch.compile(mlp(), backend="kernelwright", options=INTERPRETER, dynamic=True)
    with torch.no_grad():
        assert compiled(torch.randn(5, 16)).shape == (5, 8)
    assert "dynamic size" in regions()[before].why


def test_disable_is_plain_inductor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELWRIGHT_DISABLE", "1")
    _, made = run(mlp(), torch.randn(5, 16), options=INTERPRETER)
    assert [region.runs for region in made] == ["inductor"]
    assert made[0].why == "KERNELWRIGHT_DISABLE=1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targt": "h100"}, "no option 'targt'; it has pipeline, seeds, target, timeout_s"),
        ({"target": "z80"}, "z80"),
        ({"pipeline": "no-such-pass"}, "no-such-pass"),
        ({"pipeline": 3}, "pipeline=3: give text"),
        ({"seeds": 0}, "seeds=0: give a whole number"),
        ({"seeds": 1.5}, "seeds=1.5: give a whole number"),
        ({"timeout_s": -1}, "timeout_s=-1: give a number of seconds"),
        ({"timeout_s": "x"}, "timeout_s='x': give a number of seconds"),
    ],
)
def test_wrong_options_are_value_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(mlp(), torch.randn(5, 16), options=options)


def test_a_module_that_fails_verification_is_left_to_inductor(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        ok, module, verdict = False, None, Verdict(Status.RUNTIME_ERROR, Rung.INTERPRET)

    monkeypatch.setattr(dynamo, "_compile", lambda *_: Refusing())
    model, x = mlp(), torch.randn(5, 16)
    result, made = run(model, x, options=INTERPRETER)
    torch.testing.assert_close(result, model(x))
    assert made[0].runs == "inductor" and "runtime_error@interpret" in made[0].why


WRONG_LOWERINGS = {
    "a size that stays under a scale": (
        lambda x: nn.functional.interpolate(x, scale_factor=(1.3, 1.5), mode="nearest"),
        torch.arange(12.0).reshape(1, 1, 3, 4),
    ),
    "integers beyond 32 bits": (
        lambda x: torch.arange(0, 4) * 1500000000 + x,
        torch.zeros(4, dtype=torch.int64),
    ),
    "the type of a running sum": (
        lambda x: torch.ones(2, 3, dtype=torch.bool).cumsum(1, dtype=torch.float32) + x.long(),
        torch.zeros(2, 3),
    ),
}


@pytest.mark.parametrize("name", WRONG_LOWERINGS)
def test_a_lowering_that_is_found_wrong_is_not_run(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Where a release of torch lowers one rightly, its kernels run."""
    function, x = WRONG_LOWERINGS[name]
    result, made = run(function, x, options=INTERPRETER)
    torch.testing.assert_close(result, function(x))
    assert {region.runs for region in made} <= {"eager", "kernelwright"}
    if made[0].runs == "eager":
        assert "mismatch" in made[0].why and "eager mode" in caplog.text


def _tokens(batch: int) -> dict[str, torch.Tensor]:
    return {"input_ids": torch.randint(3, 60, (batch, 8))}


def _pixels(batch: int) -> dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(batch, 3, 16, 16)}


_SIZES: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 48}
_TEXT = {**_SIZES, "vocab_size": 64, "max_position_embeddings": 32}

#: Real architectures, small: what makes the model, and what makes a batch for it.
MODELS: dict[str, tuple[Callable[[], nn.Module], Callable[[int], dict[str, torch.Tensor]]]] = {
    "llama": (lambda: transformers.LlamaModel(transformers.LlamaConfig(**_TEXT)), _tokens),
    "bert": (lambda: transformers.BertModel(transformers.BertConfig(**_TEXT)), _tokens),
    "gpt2": (
        lambda: transformers.GPT2Model(
            transformers.GPT2Config(n_embd=32, n_layer=1, n_head=4, vocab_size=64, n_positions=32)
        ),
        _tokens,
    ),
    "t5-encoder": (
        lambda: transformers.T5EncoderModel(
            transformers.T5Config(d_model=32, d_ff=48, d_kv=8, num_layers=1, num_heads=4, vocab_size=64)
        ),
        _tokens,
    ),
    "vit": (
        lambda: transformers.ViTModel(transformers.ViTConfig(**_SIZES, image_size=16, patch_size=8)),
        _pixels,
    ),
    "convnext": (
        lambda: transformers.ConvNextModel(
            transformers.ConvNextConfig(hidden_sizes=[16, 32], depths=[1, 1], num_stages=2, patch_size=2)
        ),
        _pixels,
    ),
}


def _tensors(output: Any) -> list[torch.Tensor]:
    return [value for value in output.values() if isinstance(value, torch.Tensor)]


def _gradients(model: nn.Module, outputs: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    """Of a loss over all outputs; a parameter that no output depends on has no gradient or a zero one."""
    model.zero_grad()
    torch.stack([output.square().mean() for output in outputs]).sum().backward()
    return {
        name: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.clone()
        for name, parameter in model.named_parameters()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_real_models_give_eagers_outputs_and_gradients(name: str) -> None:
    torch.manual_seed(1)
    make, batch_of = MODELS[name]
    model = make().eval()
    before = len(regions())
    for batch in (2, 3):
        inputs = batch_of(batch)
        torch._dynamo.reset()
        compiled = torch.compile(model, backend="kernelwright", options=INTERPRETER, dynamic=False)
        with torch.no_grad():
            torch.testing.assert_close(_tensors(compiled(**inputs)), _tensors(model(**inputs)), rtol=1e-4, atol=1e-4)
    # Inductor's own C++ gives the gradients, whatever the batch; its compiler takes most of the time here.
    eager = _gradients(model, _tensors(model(**inputs)))
    assert any(gradient.any() for gradient in eager.values())
    torch.testing.assert_close(_gradients(model, _tensors(compiled(**inputs))), eager, rtol=1e-3, atol=1e-5)
    made = regions()[before:]
    assert sum(region.runs == "kernelwright" for region in made) >= 2, [str(region) for region in made]
