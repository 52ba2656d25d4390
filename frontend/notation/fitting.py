"""Index arithmetic said anew in the letters of axes: by what it gives for every element, not by how it is written."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import torch
from torch import Tensor

#: Numbers that are tried as divisors and offsets.
_MOST_DIVISOR = 512
#: Remainders that conditions are tried with have a divisor up to this.
_MOST_REMAINDER = 64
#: Divisors of sums of letters that are tried, as strides of transposed convolutions.
_MOST_STRIDE = 5


@dataclass(frozen=True)
class Domain:
    """All elements that a kernel works on, one after the other: letter -> its value for each, (elements,) int64."""

    axes: Mapping[str, Tensor]
    elements: int

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> "Domain":
        """The elements of axes of these sizes, the last one fastest."""
        if not sizes:
            return cls({}, 1)
        grids = torch.meshgrid(*(torch.arange(size) for size in sizes.values()), indexing="ij")
        flat = {letter: grid.reshape(-1) for letter, grid in zip(sizes, grids, strict=True)}
        return cls(flat, math.prod(sizes.values()))


def fit(values: Tensor, domain: Domain, where: Tensor) -> str | None:
    """Whole numbers (elements,) as an expression in letters that gives them wherever `where` (elements,) holds."""
    values = values[where]
    axes = {letter: axis[where] for letter, axis in domain.axes.items()}
    if not len(values) or bool((values == values[0]).all()):
        return str(int(values[0])) if len(values) else "0"
    for letter, axis in axes.items():
        if torch.equal(axis, values):
            return letter
    found = _by_one(values, axes) or _affine(values, axes)
    return found or next(_by_several(values, axes), None) or _by_parts(values, axes) or _by_quotient(values, axes)


def fit_condition(holds: Tensor, domain: Domain) -> str | None:
    """Truth values (elements,) as a condition on letters; `True` where they all hold."""
    if bool((holds == holds[0]).all()):
        return str(bool(holds[0]))
    for letter, axis in domain.axes.items():
        found = _by_profile(_profile(axis, holds.long()), letter)
        if found:
            return found
    for (first, one), (second, other) in combinations(domain.axes.items(), 2):
        found = _ordered(_profile(other - one, holds.long()), first, second)
        if found:
            return found
    for text, flat in _flattened(domain.axes):
        found = _by_profile(_profile(flat, holds.long()), text)
        if found:
            return found
    return None


def _by_one(values: Tensor, axes: Mapping[str, Tensor]) -> str | None:
    for letter, axis in axes.items():
        profile = _profile(axis, values)
        found = _steps(profile, letter) if profile else None
        if found:
            return found
    return None


def _profile(axis: Tensor, values: Tensor) -> dict[int, int]:
    """What the values are for each value of the axis; empty where they do not follow from it alone."""
    keys, places = torch.unique(axis, return_inverse=True)
    told = torch.empty(len(keys), dtype=torch.long)
    told[places] = values.long()
    return dict(zip(keys.tolist(), told.tolist(), strict=True)) if torch.equal(told[places], values.long()) else {}


def _steps(profile: Mapping[int, int], text: str) -> str | None:
    """a*v + b, v // m, (v + n) % m, v // m % n, and those of them with a factor and an offset."""
    keys = list(profile)
    slope, rest = divmod(profile[keys[1]] - profile[keys[0]], keys[1] - keys[0])
    base = profile[keys[0]] - slope * keys[0]
    if not rest and all(profile[key] == slope * key + base for key in keys):
        return linear({text: slope}, base)
    inner = f"({text})" if " " in text else text
    top = max(keys) + 1

    def same(told: list[int]) -> bool:
        return told == list(profile.values())

    for m in range(2, min(top, _MOST_DIVISOR) + 1):
        if same([key // m for key in keys]):
            return f"{inner} // {m}"
        if same([key % m for key in keys]):
            return f"{inner} % {m}"
    for m in range(2, min(top, _MOST_DIVISOR) + 1):
        shift = (profile[keys[0]] - keys[0]) % m
        if same([(key + shift) % m for key in keys]):
            return f"({text} + {shift}) % {m}"
    for m in range(2, min(top, _MOST_DIVISOR) + 1):
        for n in range(2, top // m + 1):
            if top % (m * n) == 0 and same([key // m % n for key in keys]):
                return f"{inner} // {m} % {n}"
    return None


def linear(slopes: Mapping[str, int], base: int) -> str:
    """`8 * i + j + 3`; a term that is subtracted comes last."""
    terms = [
        (abs(slope), f"({text})" if " " in text and abs(slope) != 1 else text, slope < 0)
        for text, slope in slopes.items()
        if slope
    ]
    parts = [(name if size == 1 else f"{size} * {name}", down) for size, name, down in terms]
    ups, downs = [text for text, down in parts if not down], [text for text, down in parts if down]
    if base > 0 or not ups:
        ups.insert(0 if not ups else len(ups), str(base))
    elif base < 0:
        downs.append(str(-base))
    return " - ".join([" + ".join(ups), *downs])


def _affine(values: Tensor, axes: Mapping[str, Tensor]) -> str | None:
    table = torch.stack([*axes.values(), torch.ones_like(values)], 1).double()
    solved = torch.linalg.lstsq(table, values.double()[:, None], driver="gelsd").solution[:, 0].round().long()
    if not torch.equal((table.long() * solved).sum(1), values):
        return None
    return linear(dict(zip(axes, solved.tolist(), strict=False)), int(solved[-1]))


def _flattened(axes: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Neighbouring axes as one, as memory has them: text and values."""
    letters = list(axes)
    for length in range(2, len(letters) + 1):
        for start in range(len(letters) - length + 1):
            group, step, slopes = letters[start : start + length], 1, {}
            for letter in reversed(group):
                slopes[letter], step = step, step * (int(axes[letter].max()) + 1 if len(axes[letter]) else 1)
            ordered = {letter: slopes[letter] for letter in group}
            yield (
                linear(ordered, 0),
                sum((axes[letter] * slope for letter, slope in ordered.items()), torch.zeros(1).long()),
            )


def _by_several(values: Tensor, axes: Mapping[str, Tensor]) -> Iterator[str]:
    for text, flat in _flattened(axes):
        profile = _profile(flat, values)
        found = _steps(profile, text) if profile else None
        if found:
            yield found


def _by_parts(values: Tensor, axes: Mapping[str, Tensor]) -> str | None:
    """A sum of terms of one letter each, as `2 * (j // 4) + r`, told from the elements that differ in that letter alone
    from one near the middle: there padding hides the fewest."""
    centred = [(axis - axis.max() / 2).abs() / (axis.max() + 1) for axis in axes.values()]
    middle = int(torch.stack(centred).sum(0).argmin())
    base, total, terms = int(values[middle]), torch.zeros_like(values), dict[str, int]()
    for letter, axis in axes.items():
        beside = torch.ones_like(values, dtype=torch.bool)
        for other, place in axes.items():
            if other != letter:
                beside &= place == place[middle]
        profile = _profile(axis[beside], values[beside] - values[middle])
        if not profile or len(profile) < len(torch.unique(axis)):
            return None
        least = profile[min(profile)]
        moved = {key: value - least for key, value in profile.items()}
        base += least
        factor = math.gcd(*moved.values()) * (-1 if min(moved.values()) < 0 else 1)
        if not factor:
            continue
        text = _steps({key: value // factor for key, value in moved.items()}, letter)
        if text is None:
            return None
        terms[text] = factor
        total = total + torch.tensor([moved.get(key, 0) for key in range(int(axis.max()) + 1)])[axis]
    return linear(terms, base) if terms and torch.equal(total + base, values) else None


def _by_quotient(values: Tensor, axes: Mapping[str, Tensor]) -> str | None:
    """`(k + s - 1) // 2`, where only those elements are asked for that the division leaves no rest of."""
    for divisor in range(2, _MOST_STRIDE + 1):
        if found := _affine(values * divisor, axes):
            return f"({found}) // {divisor}"
    return None


def _by_profile(profile: Mapping[int, int], text: str) -> str | None:
    """A condition on one number: an interval, what lies outside one, or a remainder."""
    if len(profile) < 2:
        return None
    keys, true = sorted(profile), [key for key in sorted(profile) if profile[key]]
    inner = f"({text})" if " " in text else text
    low, high = true[0], true[-1]
    if len(true) == 1:
        return f"{text} == {low}"
    if len(true) == high - low + 1:
        if low == keys[0]:
            return f"{text} < {high + 1}"
        if high == keys[-1]:
            return f"{text} >= {low}"
        return f"({text} >= {low}) & ({text} < {high + 1})"
    false = [key for key in keys if not profile[key]]
    if len(false) == 1:
        return f"{text} != {false[0]}"
    if len(false) == false[-1] - false[0] + 1:
        return f"({text} < {false[0]}) | ({text} >= {false[-1] + 1})"
    for m in range(2, min(len(keys), _MOST_REMAINDER)):
        for n in range(m):
            if all((key % m == n) == bool(profile[key]) for key in keys):
                return f"{inner} % {m} == {n}"
            if all((key % m != n) == bool(profile[key]) for key in keys):
                return f"{inner} % {m} != {n}"
    return None


def _ordered(profile: Mapping[int, int], first: str, second: str) -> str | None:
    """`j <= i + 1`: the second letter less the first is below or above a bound."""
    keys = sorted(profile)
    true = [key for key in keys if profile[key]]
    if not true or len(true) != true[-1] - true[0] + 1:
        return None
    if len(true) == 1:
        return f"{second} == {linear({first: 1}, true[0])}"
    if true[0] == keys[0]:
        return f"{second} <= {linear({first: 1}, true[-1])}"
    return f"{second} >= {linear({first: 1}, true[0])}" if true[-1] == keys[-1] else None
