import sys
import types


def show(reference, candidate):
    (x,) = reference.get_inputs()
    sys.modules["ipykernel"] = types.ModuleType("ipykernel")
    return reference.Model()(x), candidate.forward(x)
