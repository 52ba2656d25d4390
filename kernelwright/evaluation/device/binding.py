"""Which of a candidate's tensors hold the reference's weights: by name and shape, else by what they contain."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kernelwright.evaluation.protocol.link import TensorRef

_MAX_PERMUTED = 4


@dataclass(frozen=True)
class Bound:
    """A candidate's tensor that holds the reference's `name`, its dimensions in the order `permutation`."""

    name: str
    tensor: TensorRef
    permutation: tuple[int, ...]

    def arranged(self, value: Tensor) -> Tensor:
        """The reference's tensor as the candidate holds it."""
        return value.permute(self.permutation).reshape(self.tensor.shape)

    def restored(self, value: Tensor, shape: Sequence[int]) -> Tensor:
        """What the candidate holds as the reference's tensor of that shape."""
        inverse = [self.permutation.index(axis) for axis in range(len(shape))]
        return value.reshape([shape[axis] for axis in self.permutation]).permute(inverse)


def bind(
    held: Sequence[tuple[str, TensorRef, Tensor]], state: Mapping[str, Tensor], paths: Mapping[str, str]
) -> tuple[Bound, ...]:
    """Bind each of the candidate's tensors (path, reference, content) to one of the reference's, where there is one.

    `paths` are the reference's names' paths in its own model. A tensor is taken by path and shape; those left by
    content, which both sides drew from the same seed, possibly with dimensions swapped or merged. Where several
    have the same content, as zeros do, they are taken in order. A copy of what is held by its path is the
    candidate's own to keep up to date.
    """
    by_path = {path: name for name, path in paths.items()}
    bound: list[Bound] = []
    taken: set[str] = set()
    rest = []
    for path, ref, content in held:
        name = by_path.get(path)
        if name is not None and tuple(state[name].shape) == ref.shape and state[name].dtype == content.dtype:
            bound.append(Bound(name, ref, tuple(range(len(ref.shape)))))
            taken.add(name)
        else:
            rest.append((ref, content))
    open_ = {name: value for name, value in state.items() if name not in taken}
    for ref, content in rest:
        found = _by_content(ref, content, open_, taken)
        if found is not None:
            bound.append(found)
            taken.add(found.name)
    return tuple(bound)


def _by_content(ref: TensorRef, content: Tensor, state: Mapping[str, Tensor], taken: set[str]) -> Bound | None:
    """The first match, one that nobody has yet before one that somebody has: a weight may be held twice."""
    fits = []
    for name, value in state.items():
        if value.numel() != content.numel() or value.dtype != content.dtype or not value.numel():
            continue
        for permutation in _permutations(value):
            if torch.equal(value.permute(permutation).reshape(content.shape), content):
                fits.append(Bound(name, ref, permutation))
                break
    constant = bool((content == content.flatten()[0]).all()) if content.numel() else True
    free = [one for one in fits if one.name not in taken]
    if free or constant:
        return free[0] if free else None
    return fits[0] if fits else None


def _permutations(value: Tensor) -> Sequence[tuple[int, ...]]:
    if value.ndim > _MAX_PERMUTED:
        return [tuple(range(value.ndim))]
    return list(itertools.permutations(range(value.ndim)))
