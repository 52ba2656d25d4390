"""A mid-end agent's choice of passes: which there are, which choices are legal, and what they make of a module."""

import inspect
import json
import warnings
from dataclasses import replace
from typing import Any

from kernelwright.ir.errors import Diagnostic, SpecError, UserError
from kernelwright.ir.passes import REGISTRY, Context, Pass, exploration
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.ir.spec import pass_options
from kernelwright.ir.values import KernelModule, Level

#: Passes in one choice, and characters of its text.
MOST_PASSES, MOST_TEXT = 8, 1000


def choices() -> dict[str, type[Pass]]:
    """The passes that may be chosen, by name: those on kernels that let themselves be explored, of other packages too.

    Raises UserError where none is registered.
    """
    REGISTRY.load_all(lambda line: warnings.warn(line, stacklevel=3))
    found = {
        name: cls for name, cls in sorted(REGISTRY.items()) if cls.explore is not None and cls.reads >= Level.TRITON
    }
    if not found:
        raise UserError("me-agent has no registered pass to choose from; import the passes of the mid-end first")
    return found


def describe_choices() -> str:
    """The passes as lines for a prompt: name, options with their defaults, what it does."""
    lines = []
    for name, cls in choices().items():
        fixed = dict(exploration(cls).fixed)
        options = {key: default for key, (_, default) in pass_options(cls).items() if key not in fixed}
        spelt = ", ".join(f"{key}={json.dumps(default)}" for key, default in options.items())
        summary = (inspect.getdoc(cls) or "").partition("\n")[0]
        lines.append(f"- `{name}`{f' ({spelt})' if spelt else ''}: {summary}")
    return "\n".join(lines)


def run_choice(text: str, module: KernelModule, target: str) -> KernelModule | tuple[Diagnostic, ...]:
    """What the chosen passes make of a module, with its provenance; diagnostics for a choice that is not legal.

    Raises PassError where a pass breaks on a legal choice.
    """
    if len(text) > MOST_TEXT:
        return (Diagnostic(f"a choice of {len(text)} characters", 1, 0, "", f"write at most {MOST_TEXT}"),)
    try:
        chosen = parse_pipeline(text).passes
        complaint = _illegal(chosen)
        if complaint:
            return (Diagnostic(complaint, 1, 0, _line(text), f"choose from {', '.join(choices())}"),)
        result = Pipeline(tuple(map(_fixed, chosen))).run(module, Context(target=target))
    except SpecError as error:
        return (Diagnostic(error.message, 1, error.position, _line(text), "write `first,second{option=3}`"),)
    except UserError as error:
        return (Diagnostic(str(error), 1, 0, _line(text), "choose other passes or options"),)
    return replace(result, provenance=module.provenance)


def _illegal(chosen: tuple[Pass, ...]) -> str:
    """Why a choice is not legal; "" where it is."""
    known = choices()
    if len(chosen) > MOST_PASSES:
        return f"{len(chosen)} passes where {MOST_PASSES} are the most"
    for pass_ in chosen:
        if pass_.name not in known:
            return f"pass {pass_.name} may not be chosen"
        fixed, most = dict(exploration(type(pass_)).fixed), dict(exploration(type(pass_)).most)
        for option, (_, default) in pass_options(type(pass_)).items():
            value = getattr(pass_, option)
            if option in fixed and value not in (default, fixed[option]):
                return f"option {option} of pass {pass_.name} may not be chosen"
            if option in most and not 1 <= value <= most[option]:
                return f"option {option} of pass {pass_.name} is between 1 and {most[option]}"
    return ""


def _fixed(pass_: Pass) -> Pass:
    """The pass with the options set that are not an agent's to choose."""
    return replace(pass_, **dict[str, Any](exploration(type(pass_)).fixed))


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
