"""The kernel of `attend`: one token of each lane, by blocks of the columns that its mask lets through."""

import triton
import triton.language as tl


@triton.jit
def attend_one(
    query_ptr,
    key_ptr,
    value_ptr,
    mask_ptr,
    out_ptr,
    scale,
    columns,
    query_lane,
    query_head,
    key_lane,
    key_group,
    key_column,
    value_lane,
    value_group,
    value_column,
    mask_lane,
    heads: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_C: tl.constexpr,
    BLOCK_D: tl.constexpr,
    LEAST_BLOCK: tl.constexpr,
):
    """A lane and a group of heads, which are rows of one block."""
    lane, group = tl.program_id(0).to(tl.int64), tl.program_id(1)
    row_r, width_d = tl.arange(0, BLOCK_R), tl.arange(0, BLOCK_D)
    head_r1, is_head_r1 = (group * heads + row_r)[:, None], (row_r < heads)[:, None]
    query_rd = tl.load(
        query_ptr + lane * query_lane + head_r1 * query_head + width_d[None, :], mask=is_head_r1, other=0.0
    )
    query_rd = query_rd.to(tl.float32) * scale
    most_r = tl.full((BLOCK_R,), -float("inf"), tl.float32)
    total_r = tl.zeros((BLOCK_R,), tl.float32)
    sum_rd = tl.zeros((BLOCK_R, BLOCK_D), tl.float32)
    for start in range(0, columns, BLOCK_C):
        column_c = start + tl.arange(0, BLOCK_C)
        seen_c = tl.load(mask_ptr + lane * mask_lane + column_c, mask=column_c < columns, other=0) != 0
        if tl.max(seen_c.to(tl.int32), 0) > 0:
            key_at = key_ptr + lane * key_lane + group * key_group
            key_cd = tl.load(
                key_at + column_c[:, None] * key_column + width_d[None, :], mask=seen_c[:, None], other=0.0
            )
            value_at = value_ptr + lane * value_lane + group * value_group
            value_cd = tl.load(
                value_at + column_c[:, None] * value_column + width_d[None, :], mask=seen_c[:, None], other=0.0
            )
            key_cd, value_cd = key_cd.to(tl.float32), value_cd.to(tl.float32)
            if BLOCK_R < LEAST_BLOCK:  # a product of blocks would compute more rows than there are
                score_rc = tl.sum(query_rd[:, None, :] * key_cd[None, :, :], 2)
            else:
                score_rc = tl.dot(query_rd, tl.trans(key_cd), input_precision="ieee")
            score_rc = tl.where(seen_c[None, :], score_rc, -float("inf"))
            above_r = tl.maximum(most_r, tl.max(score_rc, 1))
            before_r = tl.exp(most_r - above_r)
            weight_rc = tl.exp(score_rc - above_r[:, None])
            total_r = total_r * before_r + tl.sum(weight_rc, 1)
            sum_rd = sum_rd * before_r[:, None]
            if BLOCK_R < LEAST_BLOCK:
                sum_rd += tl.sum(weight_rc[:, :, None] * value_cd[None, :, :], 1)
            else:
                sum_rd = tl.dot(weight_rc, value_cd, sum_rd, input_precision="ieee")
            most_r = above_r
    width = heads * tl.num_programs(1) * BLOCK_D
    out_rd = (sum_rd / total_r[:, None]).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + lane * width + head_r1 * BLOCK_D + width_d[None, :], out_rd, mask=is_head_r1)
