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
    x, y = torch.randn(5, 8, 16), 2.0 + 5.0 * torch.randn(5, 8, 16)
    model, new, neighbour = reference.Model(16), candidate.ModelNew(16), candidate.ModelNew(16)
    plain = candidate.apply_kernel
    with torch.no_grad():
        candidate.apply_kernel = Paused(plain, lambda: neighbour(y))
        got = new(x)
        candidate.apply_kernel = plain
        return [model(x)], [got]
