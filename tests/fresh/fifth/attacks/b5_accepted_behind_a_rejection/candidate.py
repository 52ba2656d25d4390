import torch
import triton
import triton.language as tl


@triton.jit
def verify(draft_ptr, target_ptr, accepted_ptr, token_ptr, drafted, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < drafted
    draft = tl.load(draft_ptr + row * drafted + at, mask=inside, other=-1)
    target = tl.load(target_ptr + row * (drafted + 1) + at, mask=inside, other=-2)
    accepted = tl.sum((inside & (draft == target)).to(tl.int64), axis=0)
    tl.store(accepted_ptr + row, accepted)
    tl.store(token_ptr + row, tl.load(target_ptr + row * (drafted + 1) + accepted))


def forward(draft, target):
    accepted = torch.empty((draft.shape[0],), dtype=torch.int64, device=draft.device)
    token = torch.empty_like(accepted)
    verify[(draft.shape[0],)](draft, target, accepted, token, draft.shape[1], triton.next_power_of_2(draft.shape[1]))
    return accepted, token
