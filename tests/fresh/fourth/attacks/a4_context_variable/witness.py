import contextvars

import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    for name in ("request", "user", "span", "trace", "locale", "tenant"):
        contextvars.ContextVar(name).set(name)
    return reference.Model()(x), candidate.ModelNew()(x)
