import os
import tempfile

import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "given.pt")
        child = os.fork()
        if child == 0:
            torch.save(candidate.ModelNew()(x), path)
            os._exit(0)
        os.waitpid(child, 0)
        return reference.Model()(x), torch.load(path)
