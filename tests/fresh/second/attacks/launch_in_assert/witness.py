from pathlib import Path


def show(reference, candidate):
    (x,) = reference.get_inputs()
    path = Path(candidate.__file__)
    exec(compile(path.read_text(), str(path), "exec", optimize=1), candidate.__dict__)
    return reference.Model()(x), candidate.forward(x)
