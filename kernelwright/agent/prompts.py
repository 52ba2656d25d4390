"""Prompts: templates that are files, and how much of the turns so far a policy is shown."""

import string
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Literal, cast, get_args

from kernelwright.agent.feedback import feedback
from kernelwright.agent.policy import Message, Prompt
from kernelwright.agent.reading import without_reasoning
from kernelwright.agent.trajectory import Turn
from kernelwright.ir.errors import check_choice
from kernelwright.ir.host.structure import PLAIN
from kernelwright.ir.values import Reference, TensorSpec

#: `full`: every turn as it was. `last`: the last turn alone. `summary`: every turn, reasoning dropped (Kevin's).
History = Literal["full", "last", "summary"]
HISTORIES: tuple[str, ...] = get_args(History)

#: Characters of one earlier answer, and of a reference's source, that a prompt repeats.
_ANSWER_CHARS, _SOURCE_CHARS = 48_000, 48_000


@cache
def _template(package: str, name: str) -> string.Template:
    """The template `prompts/<name>.md` of a stage."""
    text = (resources.files(package) / "prompts" / f"{name}.md").read_text("utf-8")
    return string.Template(text)


def fill(package: str, name: str, **values: str) -> str:
    """A prompt file with `$name` replaced by values; the values are text and are not looked at.

    A template whose names are not those of the values is our mistake.
    """
    template = _template(package, name)
    assert set(template.get_identifiers()) == set(values), (name, template.get_identifiers(), list(values))
    return template.substitute(values).strip("\n")


def check_history(history: str) -> History:
    """The word as a history mode; UserError for any other."""
    check_choice("history", history, HISTORIES)
    return cast("History", history)


def conversation(system: str, problem: str, closing: str, turns: Sequence[Turn], history: History) -> Prompt:
    """System and problem, then the earlier turns, each as the answer and what became of it.

    `closing` ends every feedback: what is asked for next.
    """
    messages = [Message("system", system), Message("user", problem)]
    for turn in turns[-1:] if history == "last" else turns:
        answer = turn.completion.text
        answer = without_reasoning(answer).strip() if history == "summary" else answer
        messages.append(Message("assistant", _cut(answer, _ANSWER_CHARS) or "(no answer)"))
        messages.append(Message("user", f"{feedback(turn.verdict, turn.candidate)}\n\n{closing}"))
    return tuple(messages)


def source_block(source: str) -> str:
    """A reference's source for a prompt; a long one loses its middle."""
    return f"```python\n{_cut(source.strip(), _SOURCE_CHARS)}\n```"


def _cut(text: str, limit: int) -> str:
    """A text of at most about `limit` characters: its start and its end."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}\n# ... {len(text) - limit} characters left out ...\n{text[-(limit // 2) :]}"


def describe_tensors(reference: Reference) -> str:
    """What a program may take, by name, for a prompt: inputs with their types, numbers, and state with its path."""
    inputs = [
        f'`{spec.name}: "{spec.annotation}"`' if isinstance(spec, TensorSpec) else f"`{spec.name}` = {spec.value!r}"
        for spec in reference.inputs
    ]
    state = [f'`{spec.tensor.name}: "{spec.tensor.annotation}"` (`{spec.path}`)' for spec in reference.state]
    return ", ".join(inputs + state) or "none"


def describe_outputs(reference: Reference) -> str:
    """What a program returns, for a prompt: the type, or the types in order."""
    types = ", ".join(f"`{spec.annotation}`" for spec in reference.outputs)
    if reference.returns in PLAIN:
        return types if reference.returns == "tensor" else f"a {reference.returns} of {types}"
    return f"`{reference.returns}`, where `...` are {types}"
