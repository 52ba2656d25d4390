import importlib.util
import sys


def show(reference, candidate):
    spec = importlib.util.spec_from_file_location("shop.kernels", candidate.__file__)
    member = importlib.util.module_from_spec(spec)
    sys.modules["shop.kernels"] = member
    spec.loader.exec_module(member)
    x = reference.get_inputs()[0]
    return reference.Model()(x), member.ModelNew()(x)
