import torch


import sys

from triton.runtime.interpreter import interpreter_builder as builder


def interleaved(call, after):
    """Run `call`. Once program 0 has made `after` atomic operations, the others run, and program 0 goes on then."""
    place, atomic, exchange = builder.set_grid_idx, builder.create_atomic_rmw, builder.create_atomic_cas
    told = {"made": 0, "done": set(), "now": None}

    def set_grid_idx(x, y, z):
        place(x, y, z)
        told["now"] = x
        local = sys._getframe(1).f_locals
        executor = local["self"]
        if "run" not in told:
            told["run"], told["args"], told["grid"] = executor.fn, local["args"], local["grid"]
            run = executor.fn

            def program(**args):
                if told["now"] not in told["done"]:
                    run(**args)

            executor.fn = program

    def others(result):
        if told["now"] != 0:
            return result
        told["made"] += 1
        if told["made"] == after:
            for x in range(1, told["grid"][0]):
                told["now"] = x
                place(x, 0, 0)
                told["run"](**told["args"])
                told["done"].add(x)
            told["now"] = 0
            place(0, 0, 0)
        return result

    builder.set_grid_idx = set_grid_idx
    builder.create_atomic_rmw = lambda *args: others(atomic(*args))
    builder.create_atomic_cas = lambda *args: others(exchange(*args))
    try:
        return call()
    finally:
        builder.set_grid_idx, builder.create_atomic_rmw, builder.create_atomic_cas = place, atomic, exchange


def show(reference, candidate):
    x, y = reference.get_inputs()
    return reference.Model()(x, y), interleaved(lambda: candidate.forward(x, y), 1)
