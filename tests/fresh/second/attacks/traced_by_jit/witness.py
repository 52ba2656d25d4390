import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    seen = []

    def work(y):
        seen.append(candidate.forward(y).detach().clone())
        return y + 1

    torch.jit.trace(work, (x,), check_trace=False)
    return reference.Model()(x), seen[0]
