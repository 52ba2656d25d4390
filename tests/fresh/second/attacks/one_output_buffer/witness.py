def show(reference, candidate):
    one, two = reference.get_inputs() + reference.get_inputs()
    model, new = reference.Model(), candidate.ModelNew()
    first, got = model(one), new(one)
    model(two), new(two)
    return first, got
