import threading

import torch


def show(reference, candidate):
    x, found = torch.randn(16, 48), []
    new = candidate.ModelNew()
    thread = threading.Thread(target=lambda: found.append(new(x)))
    thread.start()
    thread.join()
    return reference.Model()(x), found[0]
