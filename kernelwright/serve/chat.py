"""Chats as token ids."""

from collections.abc import Mapping, Sequence
from typing import Any

from kernelwright.agent.policy import Prompt, PromptTooLongError
from kernelwright.ir.errors import UserError


def chat_ids(tokenizer: Any, prompt: Prompt, template: Mapping[str, Any] | None = None) -> list[int]:
    """The token ids of a chat in the model's template, up to where the answer begins.

    `tokenizer` is one of transformers', `template` are options of its chat template. Raises UserError for a model
    without one.
    """
    if not getattr(tokenizer, "chat_template", None):
        raise UserError("the model has no chat template: use an instruction-tuned model")
    messages = [{"role": message.role, "content": message.content} for message in prompt]
    asked = {"add_generation_prompt": True, "tokenize": True, "return_dict": False}
    return list(tokenizer.apply_chat_template(messages, **{**(template or {}), **asked}))


def check_lengths(prompts: Sequence[Sequence[int]], context: int) -> None:
    """Raise PromptTooLongError for prompts that leave no room for an answer in a context of so many tokens."""
    long = [place for place, ids in enumerate(prompts) if len(ids) >= context]
    if long:
        named = f"prompt {long[0]} has {len(prompts[long[0]])} tokens"
        more = f" (and {len(long) - 1} more are too long)" if len(long) > 1 else ""
        raise PromptTooLongError(f"{named}; the context of {context} has no room for an answer{more}", long)


def cut_at_stop(text: str, stop: tuple[str, ...]) -> str | None:
    """The text before the first stop string, None if there is none in it."""
    places = [place for place in (text.find(word) for word in stop) if place >= 0]
    return text[: min(places)] if places else None
