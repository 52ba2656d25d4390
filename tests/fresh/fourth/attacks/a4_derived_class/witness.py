import torch


def show(reference, candidate):
    def named(base):
        class Named(base):
            def __init__(self):
                super().__init__()
                self.title = "pool"

        return Named()

    x = reference.get_inputs()[0]
    return named(reference.Model)(x), named(candidate.ModelNew)(x)
