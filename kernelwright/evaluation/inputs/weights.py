"""How weights and buffers are changed, so that none is trivial."""

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

from kernelwright.backend.reference.eight_bits import in_eight_bits
from kernelwright.backend.tensors import each_once
from kernelwright.evaluation.inputs.draws import EVAL, ONE, level, rms
from kernelwright.evaluation.inputs.kinds.lines import mixed_rows
from kernelwright.evaluation.inputs.patchwork.rows import PATCHES
from kernelwright.evaluation.inputs.patchwork.weights import patch_buffer, patch_parameter
from kernelwright.evaluation.inputs.traits import find_traits, is_integer, kept

#: Times that eager runs on values whose last bits are noise, and where its outputs have so few elements in all that a
#: single one of their errors says little.
NUDGES, FEW, NUDGES_OF_FEW = 2, 16, 8
#: Bytes of what a program changes, above which luck evens out among its elements.
NUDGED_BYTES = 1 << 20


class _Generators(dict[torch.device, torch.Generator]):
    """One a device, made when asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed

    def __missing__(self, device: torch.device) -> torch.Generator:
        self[device] = torch.Generator(device).manual_seed(self._seed)
        return self[device]


def even_out(model: nn.Module) -> None:
    """Make the elements of each weight one number, in place: what is summed with them is rounded to one side."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.is_floating_point() and parameter.numel():
                each_once(parameter).copy_(level(each_once(parameter)))


#: Parameters that begin smaller than this are made as large as others are: what they scale would go unnoticed.
_TINY = 1e-2


#: Kinds of draws that have weights of any sign and of several sizes, if the program takes such.
FREE = ("shifted", "small", "integers", "orders", "rows", ONE, EVAL)
#: What some rows of weights are made of in `rows`, or some elements of those that have one dimension.
_FAR_OUT = ("zeros", "very negative", "very positive", "large")
#: By how much parameters of one number are multiplied then; by these one after another where there are few elements.
_FACTORS, _IN_TURN = (1.0, 1.0, 4.0, 16.0), (16.0, -4.0, 4.0, -1.0)


#: What a number that a program counts with begins at in draws of these kinds: at the next call powers of two are full.
_COUNTED = {"shifted": 15, "small": 127, "integers": 2, "rows": 31, ONE: 255, EVAL: 1023}
#: What it begins at in the kind whose rows are in order.
_LARGE_COUNT = (1 << 16) - 1
#: The kinds in which all truth values of a buffer are the other one, and some are.
_OTHER_SWITCH, _MIXED_SWITCHES = ("shifted", EVAL), ("small", "rows")


def perturb(model: nn.Module, seed: int, kind: str | None = None, counted: bool = False) -> None:
    """Change parameters and buffers in place.

    Zeros become numbers around zero, ones positive numbers around one (a running variance stays one), tiny parameters
    larger ones, all others change by a tenth. A kernel that leaves out a bias, a gain, a small branch or a running mean
    then gives something else. Buffers change if they are saved with the model. A table of integers is shuffled. A
    buffer of two values keeps these values. If it is a mask, which contains zeros, its columns change places. A mask
    that follows a rule, such as a triangle, stays as it is. Numbers are drawn on the tensors' device, because a billion
    of them take half a minute on a CPU; they are the same on one kind of device.

    With a `kind` of `FREE`, parameters are drawn anew in their size, without zeros. In `rows` they are made of rows as
    inputs are, and in `one` they are zero. A parameter whose elements are all equal gets signs and factors. If it has
    few elements, it gets all the factors in the draws of all the kinds in `FREE`. If `counted`, saved integers that are
    alone in their buffer count on, and truth values that are all the same become the other one. With a `kind` of
    `PATCHES`, weights are of many sizes, and if `counted` so are saved buffers.
    """
    generators = _Generators(seed)
    saved = model.state_dict(keep_vars=True).values()
    before = {parameter: _alike(parameter) for parameter in model.parameters()} if kind is not None else {}
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            once = each_once(parameter)
            _perturb(once, generators, tiny=True)
            if kind is not None and parameter.is_floating_point() and parameter.numel():
                if kind in PATCHES:
                    patch_parameter(once, rms(once), before[parameter], kind)
                else:
                    _redraw(once, before[parameter], generators, FREE.index(kind))
        for buffer in dict.fromkeys(model.buffers()):
            once = each_once(buffer)
            kept_in_files, alike = any(buffer is one for one in saved), _alike(buffer)
            zero = alike and not bool(buffer.any())
            if kept_in_files or alike:
                _perturb(once, generators, tiny=False)
            if not kept_in_files or kind is None or not buffer.numel():
                continue
            if kind == "orders":
                _change_few(once, generators, counted)
            elif counted and kind in PATCHES:
                patch_buffer(once, alike, zero, kind)
            elif counted:
                _count_on(once, generators, kind)


def _change_few(buffer: Tensor, generators: Mapping[torch.device, torch.Generator], counted: bool) -> None:
    """Change what `_perturb` leaves as it is, as programs may need it: integers that are all one number, and two or
    fewer floating numbers. If `counted`, an integer that is alone is a large count."""
    if counted and buffer.numel() == 1 and is_integer(buffer):
        buffer.fill_(min(_LARGE_COUNT, torch.iinfo(buffer.dtype).max))
    elif not buffer.is_floating_point() and buffer.dtype != torch.bool and _alike(buffer):
        buffer += 1
    elif buffer.is_floating_point() and buffer.numel() < 3 and not _alike(buffer):
        noise = torch.randn(
            buffer.shape, generator=generators[buffer.device], dtype=torch.float64, device=buffer.device
        )
        buffer.copy_(buffer.double() * (1 + 0.1 * noise))


def _count_on(buffer: Tensor, generators: Mapping[torch.device, torch.Generator], kind: str) -> None:
    """Change a count, or switches, as a kind of draw says."""
    if buffer.dtype == torch.bool and _alike(buffer):
        if kind in _OTHER_SWITCH or (kind in _MIXED_SWITCHES and buffer.numel() == 1):
            buffer.logical_not_()
        elif kind in _MIXED_SWITCHES:
            share = torch.rand(buffer.shape, generator=generators[buffer.device], device=buffer.device)
            buffer.copy_(share < 0.5)
    elif buffer.numel() == 1 and is_integer(buffer):
        buffer.fill_(min(_COUNTED.get(kind, int(buffer)), torch.iinfo(buffer.dtype).max))


def _alike(tensor: Tensor) -> bool:
    return bool(tensor.numel()) and bool((tensor == tensor.flatten()[0]).all())


def _redraw(tensor: Tensor, constant: bool, generators: Mapping[torch.device, torch.Generator], turn: int) -> None:
    """Draw a parameter anew for the time that `turn` counts; `constant`: it was of one number."""
    device = tensor.device
    noise = torch.randn(tensor.shape, generator=generators[device], dtype=torch.float64, device=device)
    if FREE[turn] == ONE:
        tensor.zero_()
        return
    if FREE[turn] == "rows":
        tensor.copy_(mixed_rows(tensor, _FAR_OUT))
        return
    if not constant:
        tensor.copy_(noise * rms(tensor))
        return
    if tensor.numel() < len(_IN_TURN):
        places = torch.arange(turn, turn + tensor.numel(), device=device) % len(_IN_TURN)
        by = torch.tensor(_IN_TURN, dtype=torch.float64, device=device)[places].reshape(tensor.shape)
        tensor.copy_(tensor.double() * by)
        return
    which = torch.randint(0, len(_FACTORS), tensor.shape, generator=generators[device], device=device)
    factors = torch.tensor(_FACTORS, dtype=torch.float64, device=device)[which]
    tensor.copy_(tensor.double() * torch.where(noise < 0, -factors, factors))


def _perturb(tensor: Tensor, generators: Mapping[torch.device, torch.Generator], *, tiny: bool) -> None:
    if not tensor.numel():
        return
    device, constant, first = tensor.device, _alike(tensor), tensor.flatten()[0]
    if not constant and not tiny and tensor.numel() < 3:
        return
    if not constant and not tiny and torch.unique(tensor).numel() == 2:
        if not follows_from_code(tensor):
            _exchange(tensor, generators[device])
        return
    if not tensor.is_floating_point():
        if not constant and not tensor.is_complex():
            order = torch.randperm(tensor.numel(), generator=generators[device], device=device)
            tensor.copy_(tensor.flatten()[order].reshape(tensor.shape))
        return
    noise = torch.randn(tensor.shape, generator=generators[device], dtype=torch.float64, device=device)
    size = rms(tensor)
    if constant and float(first) == 0.0:
        tensor.copy_(0.3 * noise)
    elif tiny and size < _TINY and (constant or size < _TINY / 10):
        tensor.copy_(tensor.double() * (0.3 / size) * torch.exp(0.3 * noise))
    elif constant:
        tensor.copy_(tensor.double() * torch.exp(0.3 * noise))
    else:
        changed = tensor.double() * (1 + 0.1 * noise)
        tensor.copy_(changed if tiny else kept(changed, find_traits([[tensor]])[0]))


def follows_from_code(mask: Tensor) -> bool:
    """Whether a tensor of two values is no mask, which has zeros, or one that a rule gives: all its diagonals hold one
    value, as those of triangles and bands do; of one dimension, it changes once."""
    if bool((mask != 0).all()):
        return True
    if mask.ndim < 2 or min(mask.shape[-2:]) < 2:
        flat = mask.reshape(-1)
        return int((flat[1:] != flat[:-1]).sum()) == 1
    return torch.equal(mask[..., 1:, 1:], mask[..., :-1, :-1])


def _exchange(mask: Tensor, generator: torch.Generator) -> None:
    """Let the columns of a mask change places, and its rows with them if it is symmetric."""
    order = torch.randperm(mask.shape[-1], generator=generator, device=mask.device)
    symmetric = mask.ndim > 1 and mask.shape[-1] == mask.shape[-2] and torch.equal(mask, mask.mT)
    changed = mask[..., order]
    mask.copy_(changed[..., order, :] if symmetric else changed)


def nudge(tensors: Iterable[Tensor], seed: int, units: int = 1) -> None:
    """Change floating tensors in place by at most so many units in the last place, those of 16 bits by one; zeros,
    infinities and those of 8 bits stay."""
    generators = _Generators(seed)
    with torch.no_grad():
        for tensor in map(each_once, tensors):
            if tensor.is_floating_point() and not in_eight_bits(tensor):
                device = tensor.device
                noise = torch.rand(tensor.shape, generator=generators[device], dtype=torch.float64, device=device)
                noise.mul_(2).sub_(1).mul_(torch.finfo(tensor.dtype).eps * (units if tensor.dtype.itemsize > 2 else 1))
                tensor.copy_(tensor.double() * (1 + noise))
