"""How a model is called when kernels are recorded, profiled or optimised: known without torch, as verbs check it."""

#: Without gradients; with gradients of all parameters; the same under autocast in bf16.
EVAL, TRAIN, AUTOCAST = MODES = ("eval", "train", "autocast")
