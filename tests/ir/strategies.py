"""Modules for property tests: sound ones, but for odd values that printing has to survive or verifying to refuse."""

from hypothesis import strategies as st

from kernelwright.ir.values import (
    DTYPES,
    NUMERICS,
    Kernel,
    KernelModule,
    Launcher,
    Record,
    Reference,
    ScalarSpec,
    StateSpec,
    TensorSpec,
    Tolerance,
)

#: Text with everything that a literal or a header could trip over.
texts = st.text(
    st.sampled_from("ab \"'\\\n\r\f\t\0{}#:,é\u2028\ud800😀") | st.characters(), max_size=30
) | st.sampled_from(
    ["'''", '"""', "\\", "a\\", "'", "x\r\ny", "\f", "'''\\'''", "# target: x", '"q"', "\\N{DASH}", "\\\n"]
)
names = st.sampled_from("x y weight_1 _z bias".split())
numbers = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.sampled_from([float("inf"), -float("inf"), -0.0])
)


@st.composite
def tensors(draw: st.DrawFn, name: str) -> TensorSpec:
    shape = tuple(draw(st.lists(st.integers(0, 9), max_size=4)))
    if draw(st.booleans()):
        return TensorSpec.contiguous(name, draw(st.sampled_from(list(DTYPES))), shape)
    strides = tuple(draw(st.integers(0, 99)) for _ in shape)
    return TensorSpec(name, draw(st.sampled_from(list(DTYPES))), shape, strides)


@st.composite
def references(draw: st.DrawFn) -> Reference:
    held = st.sampled_from(["conv.weight", "0.bias", "scale"])
    return Reference(
        source=draw(texts),
        entry=draw(st.sampled_from(["Model", "Net"])),
        inputs=(
            draw(tensors("x")),
            *(ScalarSpec(f"s{i}", v) for i, v in enumerate(draw(st.lists(numbers, max_size=3)))),
        ),
        state=tuple(StateSpec(draw(tensors(f"w{i}")), draw(held)) for i in range(draw(st.integers(0, 2)))),
        outputs=tuple(draw(tensors(f"out{i}")) for i in range(draw(st.integers(1, 2)))),
        returns=draw(st.sampled_from(["tensor", "tuple", "list"])),
        tolerance=Tolerance("allclose", draw(st.floats(0, 99)), draw(st.floats()), 1e-5),
        shrunken=draw(st.booleans()),
        numerics=draw(st.sampled_from(NUMERICS)),
    )


records = st.builds(Record, texts, texts, st.floats(), texts, st.none() | st.integers(), texts)
metas = st.dictionaries(st.sampled_from(["BLOCK", "num_warps", "num_stages"]), numbers | texts, max_size=3)


@st.composite
def kernels(draw: st.DrawFn, symbol: str) -> Kernel:
    odd = draw(st.sampled_from(["'a  \\x0c b'", "'\f'", "'é'", "'''1\n2'''"]))
    source = (
        f"@triton.jit\ndef {symbol}(x_ptr, out_ptr, BLOCK: tl.constexpr):  # {symbol}\n    {odd}\n"
        "    i = tl.arange(0, BLOCK)\n    tl.store(out_ptr + i, tl.load(x_ptr + i))"
    )
    covers = tuple(draw(st.lists(st.sampled_from(["aten.add", "aten.mm.out", "a, b", ""]), max_size=2)))
    return Kernel(symbol, source, tuple(draw(metas).items()), covers)


def launcher(given: list[Kernel], reference: Reference, *, as_class: bool, helper: bool) -> Launcher:
    """Host code that launches every kernel."""
    options = [f", **{kernel.meta_name}" if kernel.meta else ", BLOCK=16" for kernel in given]
    lines = [f"{kernel.symbol}[(1,)](x, out{option})" for kernel, option in zip(given, options, strict=True)]
    body = ["out = make(x)" if helper else "out = torch.empty_like(x)", *lines, "return out"]
    text = "def make(a):\n    # same shape\n    return torch.empty_like(a)\n\n\n" if helper else ""
    if as_class:
        text += "class ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n\n"
        text += "    def forward(self, x):\n"
        return Launcher(text + "\n".join(f"        {line}" for line in body), "ModelNew", "class")
    text += f'def forward(x: "{reference.inputs[0].annotation}"):\n'  # type: ignore[union-attr]
    return Launcher(text + "\n".join(f"    {line}" for line in body))


@st.composite
def modules(draw: st.DrawFn) -> KernelModule:
    """Modules of every level; most are sound, and none but sound ones may be verified."""
    reference = draw(references())
    name, provenance = draw(texts), tuple(draw(st.lists(records, max_size=2)))
    if draw(st.integers(0, 4)) == 0:
        return KernelModule(name, reference, provenance=provenance)
    given = [draw(kernels(f"k{i}")) for i in range(draw(st.integers(1, 3)))]
    host = launcher(given, reference, as_class=draw(st.booleans()), helper=draw(st.booleans()))
    constants = ("BLOCK_N = 128", "T: tl.constexpr = 1e-5", "S = {'a': 1}", "N = '\f'", "N = 1\n", "N = 1; M = 2")
    chosen = tuple(draw(st.lists(st.sampled_from(constants), max_size=2, unique=True)))
    return KernelModule(name, reference, tuple(given), host, draw(st.none() | texts), provenance, chosen)
