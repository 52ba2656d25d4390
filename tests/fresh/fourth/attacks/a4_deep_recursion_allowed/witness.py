import sys

import torch


def show(reference, candidate):
    given = reference.get_inputs()
    sys.setrecursionlimit(10_000)
    return reference.Model()(*given), candidate.ModelNew()(*given)
