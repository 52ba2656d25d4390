"""Products of matrices: batched, transposed, triangular, of vectors and of odd sizes."""

from kernelwright.frontend.families.family import family
from kernelwright.frontend.families.pointwise import few
from kernelwright.frontend.families.sketch import Sketch

_EINSUMS = {  # letters of the first, of the second, of the result
    "rows of a matrix": ("ik", "jk", "ij"),
    "weighted": ("bik", "kj", "bij"),
    "shared first": ("ik", "bkj", "bij"),
    "four axes": ("abik", "kj", "abij"),
    "heads": ("bhik", "bhjk", "bhij"),
    "by channel": ("bik", "ik", "bi"),
    "two summed": ("bik", "ik", "b"),
    "mixed": ("bik", "bkj", "ijb"),
}


@family("products")
def products(sketch: Sketch) -> None:
    """One product, its operands perhaps prepared, its result perhaps finished."""
    kind = sketch.one(_matrices, _matrices, _triangular, _batched, _einsum, _vector, _linear, _chained)
    few(sketch, kind(sketch), 2)


def _sizes(sketch: Sketch, count: int) -> list[int]:
    return [sketch.size() for _ in range(count)]


def _operand(sketch: Sketch, *shape: int) -> str:
    """An input of a shape, as it is, transposed, or of other values."""
    if sketch.chance(0.35):
        name = sketch.input(*shape[:-2], shape[-1], shape[-2])
        return f"{name}.transpose(-1, -2)" if sketch.chance(0.5) else f"{name}.mT"
    name = sketch.input(*shape)
    if sketch.chance(0.35):
        return few(sketch, name, 1)
    return name


def _scaled(sketch: Sketch, inner: int, product: str) -> str:
    if sketch.chance(0.5):
        return sketch.let(f"{product} * {inner**-0.5:.3f}")
    return sketch.let(product)


def _matrices(sketch: Sketch) -> str:
    m, k, n = _sizes(sketch, 3)
    one, other = _operand(sketch, m, k), _operand(sketch, k, n)
    form = sketch.one("torch.matmul({}, {})", "torch.mm({}, {})", "{} @ {}")
    if sketch.chance(0.2):
        added = sketch.input(*sketch.one((m, n), (n,), (m, 1)))
        beta, alpha = sketch.number(0.2, 1.5), sketch.number(0.2, 1)
        return sketch.let(f"torch.addmm({added}, {one}, {other}, beta={beta}, alpha={alpha})")
    return _scaled(sketch, k, form.format(one, other))


def _triangular(sketch: Sketch) -> str:
    n = sketch.size()
    m, k = (n, n) if sketch.chance(0.7) else (n, sketch.size())
    cut = sketch.one("torch.tril({})", "torch.triu({})", "torch.tril({}, -1)", "torch.triu({}, 1)", "torch.tril({}, 2)")
    other = sketch.one("torch.tril({})", "torch.triu({})", "{}", "{}")
    one, two = sketch.input(m, k), sketch.input(k, m)
    if sketch.chance(0.4):
        return sketch.let(cut.format(f"({one} @ {two})"))
    return _scaled(sketch, k, f"{cut.format(one)} @ {other.format(two)}")


def _batched(sketch: Sketch) -> str:
    batch = sketch.one((2,), (3,), (4,), (2, 3))
    m, k, n = _sizes(sketch, 3)
    one, other = _operand(sketch, *batch, m, k), _operand(sketch, *(batch if sketch.chance(0.7) else ()), k, n)
    if len(batch) == 1 and sketch.chance(0.3) and len(sketch.shape(other.partition(".")[0])) == 3:
        return _scaled(sketch, k, f"torch.bmm({one}, {other})")
    return _scaled(sketch, k, f"torch.matmul({one}, {other})")


def _einsum(sketch: Sketch) -> str:
    left, right, result = sketch.one(*_EINSUMS.values())
    sizes = {
        letter: sketch.one(2, 3, 4) if letter in "abh" else sketch.size(5, 7, 8, 12, 16, 17) for letter in "abhijk"
    }
    one, other = (sketch.input(*(sizes[letter] for letter in letters)) for letters in (left, right))
    if sketch.chance(0.4):
        one = few(sketch, one, 1)
    return _scaled(sketch, sizes["k"], f"torch.einsum('{left},{right}->{result}', {one}, {other})")


def _vector(sketch: Sketch) -> str:
    m, k = sketch.size(), sketch.size(31, 33, 64, 100, 128)
    matrix, vector = _operand(sketch, m, k), sketch.input(k)
    form = sketch.one("torch.mv({m}, {v})", "{m} @ {v}", "({m} * {v}).sum(-1)", "{m} @ {v}.unsqueeze(-1)")
    return _scaled(sketch, k, form.format(m=matrix, v=vector))


def _linear(sketch: Sketch) -> str:
    k, n = _sizes(sketch, 2)
    value = sketch.input(*sketch.one((sketch.size(),), (3, 7), (2, 3, 5)), k)
    value = few(sketch, value, 1)
    layer = sketch.layer(f"torch.nn.Linear({k}, {n}{sketch.one('', ', bias=False')})")
    return sketch.let(f"{layer}({value})")


def _chained(sketch: Sketch) -> str:
    m, k, n = _sizes(sketch, 3)
    one, two = sketch.input(m, k), sketch.input(k, n)
    first = few(sketch, _scaled(sketch, k, f"{one} @ {two}"), 1)
    last = sketch.input(n, sketch.size())
    return _scaled(sketch, n, f"{first} @ {last}")
