"""Chats as token ids."""

from typing import Any

from kernelwright.agent.policy import Prompt, PromptTooLongError
from kernelwright.ir.errors import UserError


def chat_ids(tokenizer: Any, prompt: Prompt) -> list[int]:
    """The token ids of a chat in the model's template, up to where the answer begins.

    `tokenizer` is one of transformers'. Raises UserError for a model without a chat template.
    """
    if not getattr(tokenizer, "chat_template", None):
        raise UserError("the model has no chat template: use an instruction-tuned model")
    messages = [{"role": message.role, "content": message.content} for message in prompt]
    return list(tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False))


def check_length(ids: list[int], context: int, index: int) -> None:
    """Raise PromptTooLongError for a prompt that leaves no room for an answer in a context of so many tokens."""
    if len(ids) >= context:
        raise PromptTooLongError(
            f"prompt {index} has {len(ids)} tokens; the context of {context} has no room for an answer"
        )


def cut_at_stop(text: str, stop: tuple[str, ...]) -> str | None:
    """The text before the first stop string, None if there is none in it."""
    places = [place for place in (text.find(word) for word in stop) if place >= 0]
    return text[: min(places)] if places else None
