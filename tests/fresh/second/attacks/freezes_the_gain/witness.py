def show(reference, candidate):
    flags = []
    for one in (reference.Model(), candidate.ModelNew()):
        one(*reference.get_inputs())
        flags.append(one.gain.requires_grad)
    return flags
