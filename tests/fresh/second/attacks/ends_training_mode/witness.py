def show(reference, candidate):
    modes = []
    for one in (reference.Model(), candidate.ModelNew()):
        one(*reference.get_inputs())
        modes.append(one.training)
    return modes
