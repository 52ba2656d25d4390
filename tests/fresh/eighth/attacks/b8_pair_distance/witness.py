def show(reference, candidate):
    model = reference.Model(*reference.get_init_inputs())
    new = candidate.ModelNew(*reference.get_init_inputs())
    one, two = reference.get_inputs(), reference.get_inputs()
    return [model(*one), model(*two)], [new(*one), new(*two)]
