import torch


def show(reference, candidate):
    x = torch.randn(16, 48)
    store = torch.empty(2048)
    first = (-store.data_ptr() // 4) % 128
    out = store[first : first + 768]
    candidate.kernel[(3,)](x, out, 768, BLOCK=256)
    return reference.Model()(x).flatten(), out
