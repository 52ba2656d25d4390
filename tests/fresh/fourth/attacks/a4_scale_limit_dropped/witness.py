import torch


def prepare(model):
    with torch.no_grad():
        model.log_scale.fill_(4.9)


def inputs(reference):
    return reference.get_inputs()
