"""A problem source: programs that apply one function to each element."""

from collections.abc import Iterator

_FUNCTIONS = ("relu", "neg", "square", "sigmoid", "tanh", "exp")
_PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.{function}(x)


def get_inputs():
    return [torch.randn(8, {columns})]


def get_init_inputs():
    return []
"""


def unary_programs(count: int = 6, columns: int = 64) -> Iterator[tuple[str, str]]:
    """Names and texts of `count` programs, each on 8 rows of so many columns."""
    for function in _FUNCTIONS[:count]:
        yield function, _PROGRAM.format(function=function, columns=columns)
