"""The key of a kernel's text: what it is blind to, and what it tells apart."""

import pytest

from kernelwright.frontend.swap.key import NotReplaceableError, read

DEVICE = "DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, warp_size=32)"
TEXT = f"""
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties

@triton_heuristics.pointwise(
    size_hints={{'x': 128}},
    filename=__file__,
    triton_meta={{'signature': {{'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}}, 'device': {DEVICE}, 'constants': {{}}, 'configs': [{{(0,): [['tt.divisibility', 16]]}}]}},
    inductor_meta={{'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_add_0', 'mutated_arg_names': ['in_out_ptr0'], 'num_load': 2, 'backend_hash': 'A79'}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_0(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 100
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_out_ptr0 + (xindex), xmask)
    tmp1 = tl.load(in_ptr0 + (xindex), xmask)
    tl.store(in_out_ptr0 + (xindex), tmp0 + tmp1, xmask)
"""  # noqa: E501 (Inductor's lines)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("triton_poi_fused_add_0", "triton_poi_fused_add_7"),
        ("index=0", "index=3"),
        ("'num_load': 2", "'num_load': 3"),
        ("'backend_hash': 'A79'", "'backend_hash': 'B12'"),
        ("    xnumel = 100\n", "    xnumel = 100  # source: model.py\n\n"),
    ],
)
def test_names_places_and_tuning_do_not_count(old: str, new: str) -> None:
    assert (other := TEXT.replace(old, new)) != TEXT
    assert read(other).key == read(TEXT).key


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tmp0 + tmp1, xmask", "tmp0 - tmp1, xmask"),
        ("xnumel = 100", "xnumel = 101"),
        ("{'x': 128}", "{'x': 256}"),
        ("'in_ptr0': '*fp32'", "'in_ptr0': '*bf16'"),
        ("[{(0,): [['tt.divisibility', 16]]}]", "[{(1,): [['tt.divisibility', 16]]}]"),
        ("['in_out_ptr0']", "[]"),
        ("'constants': {}", "'constants': {}, 'reset_to_zero': ['in_ptr0']"),
        ("cc=90", "cc=100"),
        ("multi_processor_count=132", "multi_processor_count=114"),
        ("triton_heuristics.pointwise", "triton_heuristics.reduction"),
        ("'grid_type': 'Grid1D'", "'grid_type': 'Grid2D'"),
    ],
)
def test_what_a_kernel_computes_for_what_device_counts(old: str, new: str) -> None:
    assert (other := TEXT.replace(old, new)) != TEXT
    assert read(other).key != read(TEXT).key


def test_helper_functions_count() -> None:
    helped = TEXT.replace(
        "@triton_heuristics", "@triton.jit\ndef helper(a, b):\n    return a + b\n\n@triton_heuristics"
    )
    assert read(helped).key != read(TEXT).key
    assert read(helped).key != read(helped.replace("return a + b", "return a * b")).key


def test_sizes_of_the_first_call_do_not_count_where_sizes_may_change() -> None:
    # A size that the text does not set is given at each launch.
    changing = read("\n".join(line for line in TEXT.splitlines() if not line.strip().startswith("xnumel =")))
    larger = read(changing.source.replace("{'x': 128}", "{'x': 4096}"))
    assert changing.unfixed == ("xnumel",) and changing.key == larger.key != read(TEXT).key
    assert [one.sized_key for one in (changing, larger)] == [f"{larger.key}-x128", f"{larger.key}-x4096"]
    assert read(TEXT).sized_key == read(TEXT).key != read(TEXT.replace("{'x': 128}", "{'x': 4096}")).key


def test_a_kernels_text_is_read() -> None:
    kernel = read(TEXT)
    assert len(kernel.key) == 64 and int(kernel.key, 16)
    assert kernel.heuristics == "pointwise" and kernel.size_hints == {"x": 128}
    assert kernel.parameters == ("in_out_ptr0", "in_ptr0", "xnumel")
    assert kernel.pointers == ("in_out_ptr0", "in_ptr0") and kernel.mutated == ("in_out_ptr0",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TEXT.replace("heuristics.pointwise", "heuristics.foreach"), "it is a combo kernel"),
        (TEXT.replace("heuristics.pointwise", "heuristics.user_autotune"), "the program's own Triton kernel"),
        (TEXT.replace("@triton_heuristics.pointwise", "@other"), "no kernel under Inductor's heuristics"),
        ("def f(:", "its text is no Python"),
    ],
)
def test_what_is_left_alone_says_why(text: str, why: str) -> None:
    with pytest.raises(NotReplaceableError, match=why):
        read(text)
