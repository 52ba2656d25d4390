"""What a module is besides its results: how it holds its tensors, and what `forward` takes for arguments left out."""

import inspect
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

Json = dict[str, Any]
#: What a tensor of a module is.
_PARAMETER, _BUFFER, UNSAVED = "a parameter", "a buffer", "a buffer that is not saved"
#: Defaults that are compared; others, such as functions, have no text that says what they are.
_PLAIN = (bool, int, float, str, type(None))
#: Fewer numbers than these tell nothing of how far they spread, and spreads may differ by this factor.
_FEW, _SPREAD = 16, 2.0


def holdings(model: nn.Module) -> Json:
    """Of each parameter and buffer by its path: its kind, whether it wants gradients, the first path of that very
    tensor, and its shape. Also the defaults of `forward` by place, and whether the module is in training mode."""
    saved = nn.Module.state_dict(model)
    first: dict[int, str] = {}
    tensors = {}
    for path, kind, tensor in (
        *((path, _PARAMETER, one) for path, one in nn.Module.named_parameters(model, remove_duplicate=False)),
        *((path, "", one) for path, one in nn.Module.named_buffers(model, remove_duplicate=False)),
    ):
        kind = kind or (_BUFFER if path in saved else UNSAVED)
        same = first.setdefault(id(tensor), path)
        tensors[path] = [kind, tensor.requires_grad, same, list(tensor.shape)]
    return {"tensors": tensors, "defaults": _defaults(model), "training": model.training}


def sets(source: str) -> bool:
    """Whether a program's text may change what a whole process shares."""
    return any(word in source for word in ("seed(", "torch.backends", "torch.set_", "environ"))


def _defaults(model: nn.Module) -> list[Any]:
    """Of each argument of `forward` that callers may give by its place: its name and the text of its default."""
    try:
        given = inspect.signature(model.forward).parameters.values()
    except (TypeError, ValueError):
        return []
    placed = [one for one in given if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return [[one.name, repr(one.default) if isinstance(one.default, _PLAIN) else ""] for one in placed]


def difference(wanted: Json, found: Json) -> str:
    """How a candidate's module holds something otherwise than the reference's, or "".

    Only what lies at the same path in the same shape is compared: a candidate may hold its weights in another layout or
    under other names, and may hold more.
    """
    mine: Mapping[str, Any] = wanted["tensors"]
    other: Mapping[str, Any] = found["tensors"]
    for path, (kind, wants, same, shape) in mine.items():
        if path not in other or other[path][3] != shape:
            continue
        there, wanting, joined, _ = other[path]
        if there != kind:
            return f"self.{path} is {there}, and the reference's is {kind}"
        if wanting != wants:
            return f"self.{path} has requires_grad={wanting}, and the reference's has {wants}"
        if same != path and same in other and joined == path:
            return f"self.{path} and self.{same} are two tensors, and one in the reference"
        if joined != path and joined in mine and same == path:
            return f"self.{path} and self.{joined} are one tensor, and two in the reference"
    for (name, default), (_, given) in zip(wanted["defaults"], found["defaults"], strict=False):
        if default and given and default != given:
            return f"forward takes {given} for {name} if it is left out, and the reference takes {default}"
    if found.get("effect") and not wanted["sets"]:
        return str(found["effect"])
    if wanted["training"] and not found["training"]:
        return "a new module has training=False, and the reference's has True"
    return ""


def other_start(wanted: Tensor, found: Tensor) -> bool:
    """Whether a new module's tensor, of the same shape, starts with other values than the reference's: constants have
    to be the same, and random numbers as far apart."""
    if wanted.numel() == 0 or not wanted.is_floating_point():
        return not bool((wanted == found).all())
    wanted, found = wanted.double().flatten(), found.double().flatten()
    if bool((wanted == found).all()):
        return False
    if bool((wanted == wanted[0]).all()) or wanted.numel() < _FEW:
        return bool((wanted == wanted[0]).all())
    spread, other = float(wanted.std()), float(found.std())
    apart = abs(float(wanted.mean()) - float(found.mean()))
    return not spread / _SPREAD <= other <= spread * _SPREAD or apart > 2 * spread
