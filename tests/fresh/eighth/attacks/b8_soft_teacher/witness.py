import torch


def inputs(reference):
    student, _ = reference.get_inputs()
    return [student, torch.nn.functional.one_hot(torch.arange(14) * 5, 90).float()]
