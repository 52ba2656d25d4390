def show(reference, candidate):
    return [[name for name, _ in made().named_parameters()] for made in (reference.Model, candidate.ModelNew)]
