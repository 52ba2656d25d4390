import torch


def show(reference, candidate):
    torch.manual_seed(0)
    old, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(old.state_dict())
    x = reference.get_inputs()[0]
    seen = []

    class Again(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 1.0

        @staticmethod
        def backward(ctx, grad):
            with torch.no_grad():
                seen.extend([old(x), new(x)])
            return grad

    Again.apply(torch.ones(2, requires_grad=True)).sum().backward()
    return seen[0], seen[1]
