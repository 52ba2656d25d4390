"""Tensors without content: what host code may do with them, what the device is asked for, and what is refused."""

from collections.abc import Callable
from typing import Any, NoReturn

import pytest
import torch
from torch import Tensor, nn

from kernelwright.evaluation.device.binding import bind
from kernelwright.evaluation.host.session import Session
from kernelwright.evaluation.host.withheld import CUDA, DeviceTensor, public, reference_to, withheld
from kernelwright.evaluation.protocol.link import TensorRef
from kernelwright.ir.errors import UserError


class RefusedError(Exception):
    """What a session's refusal is here."""


class ToldSession(Session):
    """A session that keeps what it is told instead of sending it."""

    def __init__(self, externs: frozenset[str] = frozenset()) -> None:
        super().__init__(None, externs)  # type: ignore[arg-type]
        self.told: list[dict[str, Any]] = []

    def post(self, message: dict[str, Any], raw: bytes = b"") -> None:
        self.told.append(message | {"raw": raw})

    def refuse(self, what: str) -> NoReturn:
        raise RefusedError(what)

    def operations(self) -> list[str]:
        return [message["name"] for message in self.told if message["do"] == "operate"]


@pytest.fixture
def session() -> ToldSession:
    return ToldSession()


@pytest.fixture
def x(session: ToldSession) -> DeviceTensor:
    return withheld(session, (4, 6), (6, 1), torch.float32)


def test_it_looks_like_a_tensor_on_a_gpu(x: DeviceTensor) -> None:
    assert isinstance(x, Tensor)
    assert (x.device, x.is_cuda, x.shape, x.stride(), x.dtype) == (CUDA, True, (4, 6), (6, 1), torch.float32)
    assert x.data_ptr() % 16 == 0
    assert x[1:].data_ptr() == x.data_ptr() + 24
    assert x.cuda() is x
    assert x.to("cuda") is x
    assert "4, 6" in repr(x)


VIEWS: list[Callable[[Tensor], Tensor]] = [
    lambda x: x.view(-1),
    lambda x: x.t(),
    lambda x: x[1, ::2],
    lambda x: x.permute(1, 0).unsqueeze(0),
    lambda x: x.expand(3, 4, 6),
    lambda x: x.unfold(1, 2, 1),
    lambda x: nn.Parameter(x, requires_grad=False).data,
]


@pytest.mark.parametrize("number", range(len(VIEWS)))
def test_views_cost_nothing(session: ToldSession, x: DeviceTensor, number: int) -> None:
    plain = VIEWS[number](torch.zeros(4, 6))
    view = VIEWS[number](x)
    assert isinstance(view, DeviceTensor)
    assert (view.shape, view.stride(), view.storage_offset()) == (plain.shape, plain.stride(), plain.storage_offset())
    assert view.store is x.store
    assert not session.operations()


MOVES: list[tuple[Callable[[Tensor], Tensor], str]] = [
    (lambda x: x.t().contiguous(), "aten.clone.default"),
    (lambda x: x.half(), "aten._to_copy.default"),
    (lambda x: torch.cat([x, x]), "aten.cat.default"),
    (lambda x: nn.functional.pad(x, (0, 2)), "aten.constant_pad_nd.default"),
    (lambda x: torch.zeros_like(x).copy_(x), "aten.copy_.default"),
]


@pytest.mark.parametrize(("move", "name"), MOVES, ids=[name for _, name in MOVES])
def test_data_is_moved_by_the_device(session: ToldSession, x: DeviceTensor, move: Any, name: str) -> None:
    moved = move(x)
    assert isinstance(moved, DeviceTensor)
    assert moved.shape == move(torch.zeros(4, 6)).shape
    assert session.operations() == [name]
    assert moved.store.content is None


COMPUTES: dict[str, Callable[[Tensor], Any]] = {
    "operator": lambda x: x + 1,
    "function": lambda x: torch.softmax(x, -1),
    "in place": lambda x: x.mul_(2),
    "linear": lambda x: nn.functional.linear(x, x),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x),
    "aten": lambda x: torch.ops.aten.relu(x),
    "private alias": lambda x: torch._C._nn.gelu(x),
    "by name": lambda x: getattr(torch, "s" + "um")(x),
    "numpy": lambda x: x.numpy(),
    "list": lambda x: x.tolist(),
    "host copy": lambda x: x.cpu(),
    "no dispatch modes": lambda x: _without_modes(x),
    "truth": lambda x: bool((x > 0).any()),
}


def _without_modes(x: Tensor) -> Tensor:
    with torch.utils._python_dispatch._disable_current_modes():
        return x * 2


@pytest.mark.parametrize("way", COMPUTES)
def test_computing_is_refused_by_every_way(x: DeviceTensor, way: str) -> None:
    with pytest.raises(RefusedError):
        COMPUTES[way](x)


def test_permitted_operators_are_left_to_the_device() -> None:
    session = ToldSession(frozenset({"aten.mm"}))
    x = withheld(session, (4, 6), (6, 1), torch.float32)
    assert (x @ x.t()).shape == (4, 4)
    assert session.operations() == ["aten.mm.default"]
    with pytest.raises(RefusedError):
        x.relu()


@pytest.mark.parametrize("last", [False, True])
def test_convolutions_leave_channels_where_cudnn_does(last: bool) -> None:
    session = ToldSession(frozenset({"aten.convolution"}))
    strides = (192, 1, 24, 3) if last else (192, 64, 8, 1)
    x, weight = (withheld(session, (2, 3, 8, 8), strides, torch.float32) for _ in range(2))
    found = torch.ops.aten.convolution.default(x, weight[..., :3, :3], None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    assert found.stride() == ((72, 1, 12, 2) if last else (72, 36, 6, 1))


def test_what_depends_on_no_input_may_be_computed(session: ToldSession) -> None:
    table = public(session, torch.arange(6, dtype=torch.float32))
    squared = (table * table).tril(0) if table.ndim > 1 else table * table
    assert squared.tolist() == [0, 1, 4, 9, 16, 25]
    assert squared[2:].store is squared.store
    assert not session.operations()


def test_public_memory_is_withheld_once_something_withheld_is_written_to_it(
    session: ToldSession, x: DeviceTensor
) -> None:
    buffer = public(session, torch.zeros(8, 6))
    buffer[:4].copy_(x)
    uploads = [message for message in session.told if message["do"] == "upload"]
    assert len(uploads) == 1  # what the copy leaves alone has to be there
    assert len(uploads[0]["raw"]) == 8 * 6 * 4
    with pytest.raises(RefusedError):
        buffer.sum()


def held(path: str, content: Tensor, number: int) -> tuple[str, TensorRef, Tensor]:
    shape = tuple(content.shape)
    return path, TensorRef(number, "f32", shape, tuple(content.contiguous().stride()), 0), content


def test_weights_are_found_by_path_and_by_content() -> None:
    weight, bias, gain = torch.randn(3, 5), torch.zeros(3), torch.ones(3)
    state = {"w": weight, "b": bias, "g": gain}
    paths = {"w": "linear.weight", "b": "linear.bias", "g": "norm.weight"}
    found = bind([held("linear.weight", weight, 1), held("offset", bias, 2), held("scale", gain, 3)], state, paths)
    assert {one.name: one.tensor.store for one in found} == {"w": 1, "b": 2, "g": 3}
    turned = bind([held("packed", weight.t().contiguous(), 4)], state, paths)
    assert turned[0].name == "w"
    assert torch.equal(turned[0].arranged(weight), weight.t())


def test_a_copy_of_what_is_held_by_its_path_is_the_candidates_own() -> None:
    weight = torch.randn(3, 5)
    found = bind([held("copy", weight, 1), held("w", weight, 2)], {"w": weight}, {"w": "w"})
    assert [one.tensor.store for one in found] == [2]


def test_references_say_where_a_tensor_lies(x: DeviceTensor) -> None:
    ref = reference_to(x[1:, 2:])  # type: ignore[arg-type]
    assert (ref.store, ref.shape, ref.strides, ref.offset) == (x.store.number, (3, 4), (6, 1), 8)
    assert TensorRef.decode(ref.encode()) == ref


def test_a_dtype_that_does_not_travel_is_named(session: ToldSession) -> None:
    with pytest.raises(UserError, match=r"torch\.complex64 is not supported; use one of f64, "):
        reference_to(withheld(session, (2,), (1,), torch.complex64))  # type: ignore[arg-type]
