def show(reference, candidate):
    return [[p.requires_grad for p in made().parameters()] for made in (reference.Model, candidate.ModelNew)]
