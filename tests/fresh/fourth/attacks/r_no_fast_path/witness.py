import torch


def show(reference, candidate):
    torch.manual_seed(45)
    given = torch.randn(16, 16), torch.randn(12, 16)
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        return reference.Model()(*given), candidate.ModelNew()(*given)
    finally:
        torch.backends.mha.set_fastpath_enabled(True)
