import torch


def show(reference, candidate):
    answers = []
    (x,) = reference.get_inputs()
    for model in (reference.Model(), candidate.ModelNew()):
        model(x)
        model.load_state_dict({"energy": torch.tensor(25.0)})
        answers.append(model(x))
    return answers
