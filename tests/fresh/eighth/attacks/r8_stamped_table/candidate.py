import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def among(word_ptr, query_ptr, table_ptr, out_ptr, stamp, WORDS: tl.constexpr, QUERIES: tl.constexpr,
          LAST: tl.constexpr, BW: tl.constexpr, BQ: tl.constexpr):
    i = tl.arange(0, BW)
    word = tl.load(word_ptr + i, mask=i < WORDS, other=0)
    word = tl.minimum(tl.maximum(word, 0), LAST)
    tl.atomic_xchg(table_ptr + word, tl.zeros((BW,), tl.int32) + stamp, mask=i < WORDS)
    tl.debug_barrier()
    j = tl.arange(0, BQ)
    query = tl.load(query_ptr + j, mask=j < QUERIES, other=0)
    query = tl.minimum(tl.maximum(query, 0), LAST)
    tl.store(out_ptr + j, tl.load(table_ptr + query) == stamp, mask=j < QUERIES)


class ModelNew(nn.Module):
    """Entries of the table hold the stamp of the call that wrote them, so that it need not be cleared."""

    def __init__(self):
        super().__init__()
        self.tables = {}
        self.stamp = 0

    def forward(self, words, queries):
        count, asked = words.shape[0], queries.shape[0]
        if words.device not in self.tables:
            self.tables[words.device] = torch.zeros((48,), dtype=torch.int32, device=words.device)
        self.stamp = self.stamp % 1023 + 1  # ten bits, never zero
        out = torch.empty((asked,), dtype=torch.bool, device=words.device)
        among[(1,)](
            words, queries, self.tables[words.device], out, self.stamp, count, asked, 47,
            triton.next_power_of_2(count), triton.next_power_of_2(asked)
        )
        return out
