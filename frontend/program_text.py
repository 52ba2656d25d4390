"""The text of a generated program, in KernelBench's format."""

from collections.abc import Mapping, Sequence


def model_text(inputs: Mapping[str, str], held: Mapping[str, str], lines: Sequence[str], results: Sequence[str]) -> str:
    """A program's source.

    `inputs` maps forward's parameters, and `held` attributes of the model, to expressions that make them; `lines` are
    forward's, and `results` the names that it returns.
    """
    init = [f"        self.{name} = {made}" for name, made in held.items()]
    constructor = ["    def __init__(self):", "        super().__init__()", *init, ""] if init else []
    text = [
        "import torch",
        "import torch.nn.functional as F",
        "",
        "",
        "class Model(torch.nn.Module):",
        *constructor,
        f"    def forward(self, {', '.join(inputs)}):",
        *(f"        {line}" for line in lines),
        f"        return {', '.join(results)}",
        "",
        "",
        "def get_inputs():",
        f"    return [{', '.join(inputs.values())}]",
        "",
        "",
        "def get_init_inputs():",
        "    return []",
    ]
    return "\n".join(text) + "\n"
