"""Pairs as rows that a learner learns from: the agent's own prompts, and the answers that it should give.

Reading a pair's programs takes about ten milliseconds, thousands of them minutes: processes share many out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright.agent.policy import Message, Prompt
from kernelwright.agent.reading import fenced, without_reasoning
from kernelwright.agent.rewards import make_reward
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.stage_agents import make_agent
from kernelwright.driver.config.train_settings import SftSchema
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.workers import forked
from kernelwright.evaluation.pools.pool import usable_cores
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.midend.agent import MidendAgent
from kernelwright.rl.data.rows import TRAIN, Pair, forget_pairs, pairs_of
from kernelwright.rl.trainer.learner import open_tokenizer
from kernelwright.rl.trainer.packing import Example
from kernelwright.serve.base import find_base
from kernelwright.serve.chat import chat_ids

#: Fewer pairs are read sooner than processes start.
_MANY = 2000
_AT_ONCE = 64


@dataclass(frozen=True)
class RowMaker:
    """What makes rows: an agent, which asks and whose form the answers have, and a tokenizer."""

    agent: FrontendAgent | MidendAgent
    tokenizer: Any
    max_tokens: int
    template: Mapping[str, Any]

    @classmethod
    def of(cls, settings: SftSchema) -> "RowMaker":
        """What the settings ask for. Raises UserError for a model that is not there."""
        discover()
        target = resolve_target(settings.target.chosen)
        agent = make_agent(settings.stage.name, target, settings.rollout, make_reward("frontend"))
        return cls(agent, open_tokenizer(find_base(settings.model)), settings.max_tokens, settings.template)

    def row(self, pair: Pair) -> Example | None:
        """None for a pair that is longer than `max_tokens`, or not to be said in the agent's form.

        Raises UserError for one that does not parse, or answers in another form or action than the agent.
        """
        before, text = pair.question(), answer_of(pair, self.agent)
        if text is None:
            return None
        answer = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        prompt = chat_ids(self.tokenizer, asked(pair, before, self.agent), self.template)
        row = Example(tuple(prompt), (*answer, self.tokenizer.eos_token_id))
        return row if len(row) <= self.max_tokens else None


@dataclass(frozen=True)
class PairRows:
    """The rows of a file's pairs, those to learn from and those held out; `pairs` is how many pairs there were."""

    pairs: int
    train: list[Example]
    held_out: list[Example]


def read_pair_rows(settings: SftSchema) -> PairRows:
    """The rows of `settings.pairs`. Raises UserError where none is there to learn from."""
    pairs = pairs_of(Path(settings.pairs or ""), settings.stage.name)
    forget_pairs()
    if all(pair.split != TRAIN for pair in pairs):
        raise UserError(f"{settings.pairs} holds no pairs of the split {TRAIN}; there is nothing to learn from")
    rows = rows_of(pairs, settings)
    train = [row for pair, row in zip(pairs, rows, strict=True) if row and pair.split == TRAIN]
    held_out = [row for pair, row in zip(pairs, rows, strict=True) if row and pair.split != TRAIN]
    if not train:
        raise UserError(
            f"no pair of {settings.pairs} can be written in the form {settings.rollout.form} with "
            f"{settings.max_tokens} tokens or fewer; raise max_tokens (in kernelwright train: policy.max_model_len), "
            "or give another rollout.form"
        )
    return PairRows(len(pairs), train, held_out)


def rows_of(pairs: Sequence[Pair], settings: SftSchema, many: int = _MANY) -> list[Example | None]:
    """`RowMaker.row` of each pair; `many` pairs or more are shared out."""
    if len(pairs) < many:
        return list(map(RowMaker.of(settings).row, pairs))
    with forked(usable_cores(), _begin, (settings,)) as processes:
        return list(processes.map(_row, pairs, chunksize=_AT_ONCE))


#: What a process makes rows with.
_rows: RowMaker | None = None


def _begin(settings: SftSchema) -> None:
    global _rows
    _rows = RowMaker.of(settings)


def _row(pair: Pair) -> Example | None:
    assert _rows is not None, "each process begins with it"
    return _rows.row(pair)


def asked(pair: Pair, before: KernelModule, agent: FrontendAgent | MidendAgent) -> Prompt:
    """What the agent is asked before its answer: the module, and the wrong answers so far with what they were told, as
    far as its history goes."""
    prompt = agent.render(before)
    for turn in list(pair.turns)[-1:] if agent.history == "last" else pair.turns:
        said = without_reasoning(turn["answer"]).strip() if agent.history == "summary" else turn["answer"]
        told = f"{turn['told']}\n\n{agent.closing}"
        prompt += (Message("assistant", said or "(no answer)"), Message("user", told))
    return prompt


def answer_of(pair: Pair, agent: FrontendAgent | MidendAgent) -> str | None:
    """What the agent should answer by a pair; None where its form has no words for the pair's program."""
    pair.check_answered()
    if pair.answer:
        form = agent.form if isinstance(agent, FrontendAgent) else pair.form
        if pair.form != form:
            raise UserError(f"pair {pair.id!r} answers in the form {pair.form}: train with rollout.form={pair.form}")
        return pair.answer
    if not isinstance(agent, FrontendAgent):
        if pair.is_choice != (agent.action == "pipeline"):
            action = "pipeline" if pair.is_choice else "program"
            raise UserError(f"pair {pair.id!r} answers with a {action}: train with rollout.action={action}")
        return fenced(pair.after, "" if pair.is_choice else "python")
    if agent.form == "modelnew":
        raise UserError(
            f"pair {pair.id!r} has no answer in the form modelnew: train with rollout.form=native or kernels, or on "
            "rows of `kernelwright data rollouts rollout.form=modelnew`"
        )
    if pair.form != "native":
        if pair.form != agent.form:
            raise UserError(f"pair {pair.id!r} answers in the form {pair.form}: train with rollout.form={pair.form}")
        return pair.after
    return agent.answer(pair.modules()[1]) if agent.form == "kernels" else fenced(pair.after)
