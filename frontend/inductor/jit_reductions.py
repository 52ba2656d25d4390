"""Device functions that lowered kernels call to reduce, scan, sort, search, and meet one another.

Only the Triton language is used, so that they also run in the interpreter; their source is copied into the module
that uses them. A function may call others of this file.
"""

import triton
import triton.language as tl


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def minimum(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def reduce_max(value, dim):
    return tl.reduce(value, dim, maximum)


@triton.jit
def reduce_min(value, dim):
    return tl.reduce(value, dim, minimum)


@triton.jit
def fmaximum(a, b):
    # Of a number and NaN, the number.
    return tl.maximum(a, b)


@triton.jit
def reduce_fmax(value, dim):
    return tl.reduce(value, dim, fmaximum)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def reduce_prod(value, dim):
    return tl.reduce(value, dim, multiply)


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def reduce_or(value, dim):
    return tl.reduce(value, dim, either)


@triton.jit
def maximum_with_index(a, a_index, b, b_index):
    # NaN is the greatest value; of equal values the first wins.
    a_nan = a != a
    b_nan = b != b
    equal = (a == b) | (a_nan & b_nan)
    first = (a > b) | (a_nan & (b == b)) | (equal & (a_index < b_index))
    return tl.where(first, a, b), tl.where(first, a_index, b_index)


@triton.jit
def minimum_with_index(a, a_index, b, b_index):
    a_nan = a != a
    b_nan = b != b
    equal = (a == b) | (a_nan & b_nan)
    first = (a < b) | (a_nan & (b == b)) | (equal & (a_index < b_index))
    return tl.where(first, a, b), tl.where(first, a_index, b_index)


@triton.jit
def max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, maximum_with_index)


@triton.jit
def min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, minimum_with_index)


@triton.jit
def welford_combine(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    share = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * share, m2_a + m2_b + delta * delta * weight_a * share, weight


@triton.jit
def welford_reduce(value, mean, m2, weight, first):
    if first:
        new_mean = value
        new_m2 = tl.zeros_like(m2)
        new_weight = tl.full(weight.shape, 1, weight.dtype)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


@triton.jit
def online_softmax_combine(a_max, a_sum, b_max, fast: tl.constexpr):
    # A row seen as minus infinity so far contributes nothing; the difference of infinities would be NaN.
    top = maximum(a_max, b_max)
    a_scale = tl.where(a_max == float("-inf"), 0.0, tl.exp(a_max - top))
    b_scale = tl.where(b_max == float("-inf"), 0.0, tl.exp(b_max - top))
    return top, a_sum * a_scale + b_scale


@triton.jit
def online_softmax_reduce(part_max, part_sum, dim, fast: tl.constexpr):
    top = reduce_max(part_max, dim)
    wide = tl.expand_dims(top, dim)
    scale = tl.where(wide == float("-inf"), 0.0, tl.exp(part_max - wide))
    return top, tl.sum(part_sum * scale, dim)


@triton.jit
def online_softmax_combine_with_sum(a_max, a_sum, b_max, b_sum, fast: tl.constexpr):
    top = maximum(a_max, b_max)
    a_scale = tl.where(a_max == float("-inf"), 0.0, tl.exp(a_max - top))
    b_scale = tl.where(b_max == float("-inf"), 0.0, tl.exp(b_max - top))
    return top, a_sum * a_scale + b_sum * b_scale


@triton.jit
def online_softmax_reduce_scalar_combine(a_max, a_sum, value, mask, dim, fast: tl.constexpr):
    value = tl.where(mask, value, float("-inf")).to(a_max.dtype)
    b_max, b_sum = online_softmax_reduce(value, tl.where(mask, 1.0, 0.0), dim, fast)
    return online_softmax_combine_with_sum(a_max, a_sum, b_max, b_sum, fast)


@triton.jit
def bucketize_binary_search(
    values,
    boundaries_ptr,
    size,
    underlying_numel,
    stride,
    boundary_indices,
    indexing_dtype,
    right: tl.constexpr,
    sorter_ptr,
    sorter_stride,
    sorter_indices,
):
    low = tl.zeros(values.shape, dtype=indexing_dtype)
    high = tl.full(values.shape, size, dtype=indexing_dtype)
    steps = size + 1
    while steps > 0:
        active = low < high
        middle = (low + high) // 2
        edge = tl.load(boundaries_ptr + middle * stride + boundary_indices, mask=active, other=0)
        above = (values >= edge) if right else (values > edge)
        low = tl.where(active & above, middle + 1, low)
        high = tl.where(active & (above == 0), middle, high)
        steps = steps // 2
    return low


@triton.jit
def sort_with_index(
    value,
    index,
    rnumel,
    dim: tl.constexpr,
    stable: tl.constexpr,
    descending: tl.constexpr,
):
    # By rank: each element goes where as many stand before it. Elements past rnumel rank last.
    tl.static_assert(dim == 1)
    place = tl.broadcast_to(tl.arange(0, value.shape[1])[None, :], value.shape)
    mine = value[:, :, None]
    other = value[:, None, :]
    before = (other > mine) | ((other != other) & (mine == mine)) if descending else (other < mine)
    if not descending:
        before = before | ((mine != mine) & (other == other))
    same = (other == mine) | ((other != other) & (mine != mine))
    before = before | (same & (place[:, None, :] < place[:, :, None]))
    size = value.shape[1] if rnumel is None else rnumel
    other_in = place[:, None, :] < size
    mine_in = place[:, :, None] < size
    before = (before & other_in & mine_in) | (other_in & (mine_in == 0))
    before = before | ((other_in == 0) & (mine_in == 0) & (place[:, None, :] < place[:, :, None]))
    rank = tl.sum(before.to(tl.int32), 2)
    goes = rank[:, :, None] == place[:, None, :]
    # An integer copy of the bits would be exact for NaN too; multiplying is not, so select and add.
    new_value = tl.sum(tl.where(goes, mine, 0), 1).to(value.dtype)
    new_index = tl.sum(tl.where(goes, tl.broadcast_to(index, value.shape)[:, :, None], 0), 1).to(index.dtype)
    return new_value, new_index


@triton.jit
def select_one(value, mask, dim, keep_dims=False):
    return tl.sum(tl.where(mask, value, 0), dim, keep_dims=keep_dims).to(value.dtype)


@triton.jit
def grid_barrier(semaphore):
    # All programs of the x dim meet here; they must be resident together (cooperative launch).
    tl.debug_barrier()
    expected = tl.num_programs(0).to(tl.int32)
    leader = tl.program_id(0) == 0
    step = tl.where(leader, (-2147483648 - (expected - 1)).to(tl.int32), 1)
    before = tl.atomic_add(semaphore, step, sem="release")
    now = tl.atomic_add(semaphore, 0, sem="acquire")
    while ((now ^ before) & -2147483648) == 0:
        now = tl.atomic_add(semaphore, 0, sem="acquire")
    tl.debug_barrier()
