import torch


def show(reference, candidate):
    store = torch.randn(1 << 20)
    x, out = store[:768], store[-768:]
    candidate.kernel[(3,)](x, out, 768, BLOCK=256)
    return reference.Model()(x), out
