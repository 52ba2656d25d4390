import threading

import torch



class Paused:
    """A kernel before whose first launch another thread makes a whole call."""

    def __init__(self, kernel, between):
        self.kernel, self.between, self.first = kernel, between, True

    def __getitem__(self, grid):
        if self.first:
            self.first = False
            thread = threading.Thread(target=self.between)
            thread.start()
            thread.join()
        return self.kernel[grid]


def show(reference, candidate):
    torch.manual_seed(0)
    x, other = torch.randn(64, 32), 3.0 + torch.randn(64, 32)
    model, new = reference.Model(), candidate.ModelNew()
    plain = candidate.join_kernel
    new(x)
    candidate.join_kernel = Paused(plain, lambda: new(other))
    got = new(x)
    candidate.join_kernel = plain
    return [model(x)], [got]
