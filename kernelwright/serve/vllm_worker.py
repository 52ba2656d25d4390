"""The process that holds vLLM's engine: reads requests from a connection until it is hung up.

Requests and answers are pickled values over a socket pair that `vllm_engine` gives it. A request that cannot be met
is answered with a UserError or PolicyError; anything else ends the process, whose output the other side shows.
"""

import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

from kernelwright.agent.policy import Completion, PolicyError, Prompt, Sampling
from kernelwright.ir.errors import UserError
from kernelwright.serve.chat import chat_ids, check_lengths
from kernelwright.serve.optional import require
from kernelwright.serve.vllm_engine import VllmSettings

#: How often an idle engine looks whether it is still wanted.
_LOOK_S = 2.0
#: An adapter's name, integer id and folder, as vLLM knows it.
Lora = tuple[str, int, str]


class Engine:
    """vLLM's engine with what is asked of it."""

    def __init__(self, settings: VllmSettings) -> None:
        self._vllm = require("vllm", "vllm")
        dtype, options = settings.dtype, dict(settings.options)
        if require("vllm.platforms", "vllm").current_platform.is_cpu():
            dtype = "float32" if dtype == "auto" else dtype
            # A seeded request whose prompt is read in parts turns its generator back, which a CPU's cannot.
            options.setdefault("enable_chunked_prefill", False)
        loras: dict[str, Any] = {}
        if settings.max_loras:
            # Room for one more on the host: an adapter's next state is there before the one before it goes.
            loras = {
                "enable_lora": True,
                "max_loras": settings.max_loras,
                "max_cpu_loras": settings.max_loras + 1,
                "max_lora_rank": settings.max_lora_rank,
            }
        self._context, self._template = settings.max_model_len, settings.template
        self._llm = self._vllm.LLM(
            model=settings.model,
            max_model_len=settings.max_model_len,
            dtype=dtype,
            enforce_eager=settings.enforce_eager,
            gpu_memory_utilization=settings.gpu_memory_utilization,
            max_num_seqs=settings.max_num_seqs,
            logprobs_mode="processed_logprobs",
            # Otherwise every engine would draw the same answers, and a resumed run those it had seen.
            seed=secrets.randbits(31) if settings.seed is None else settings.seed,
            **loras,
            **options,
        )
        self._final = require("vllm.sampling_params", "vllm").RequestOutputKind.FINAL_ONLY
        self._tokenizer = self._llm.get_tokenizer()
        self._count = 0

    def stream(
        self, prompts: Sequence[Prompt], sampling: Sampling, lora: Lora | None
    ) -> Iterator[list[tuple[int, int, Completion]]]:
        """`sampling.n` answers to each prompt, those that end together at a time, each with its prompt's index and its
        number; `version` is left to the other side."""
        ids = [chat_ids(self._tokenizer, prompt, self._template) for prompt in prompts]
        check_lengths(ids, self._context)
        request = None if lora is None else _request(lora)
        asked: dict[str, tuple[int, int]] = {}
        try:
            for index, one in enumerate(ids):
                for number in range(sampling.n):
                    parameters = self._parameters(sampling, index, number, len(one))
                    self._count += 1
                    name = str(self._count)
                    given = {"prompt_token_ids": one}
                    self._llm.llm_engine.add_request(name, given, parameters, lora_request=request)
                    asked[name] = index, number
            while asked:
                ended = [output for output in self._llm.llm_engine.step() if output.finished]
                places = [asked.pop(output.request_id) for output in ended]
                if places:
                    yield [
                        (index, number, _completion(ids[index], output.outputs[0]))
                        for (index, number), output in zip(places, ended, strict=True)
                    ]
        finally:
            if asked:
                self._llm.llm_engine.abort_request(list(asked))

    def load(self, lora: Lora, drop: int | None) -> None:
        """Take an adapter's next state, forget what the cache knows of other ones, drop the state before."""
        try:
            self._llm.llm_engine.add_lora(_request(lora))
        except (ValueError, RuntimeError, LookupError, AssertionError) as error:  # what vLLM's loader says of bad ones
            raise UserError(f"vLLM does not take the adapter {lora[0]}: {error}") from None
        self._llm.reset_prefix_cache()
        if drop is not None:
            self._llm.llm_engine.remove_lora(drop)

    def _parameters(self, sampling: Sampling, index: int, number: int, prompt_tokens: int) -> Any:
        return self._vllm.SamplingParams(
            max_tokens=min(sampling.max_tokens, self._context - prompt_tokens),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            stop=list(sampling.stop),
            # Equal prompts of one call get different answers.
            seed=None if sampling.seed is None else sampling.seed + index * sampling.n + number,
            logprobs=0,  # of the drawn token alone
            output_kind=self._final,
        )


def _request(lora: Lora) -> Any:
    name, number, folder = lora
    return require("vllm.lora.request", "vllm").LoRARequest(lora_name=name, lora_int_id=number, lora_path=folder)


def _completion(prompt_ids: list[int], answer: Any) -> Completion:
    if answer.finish_reason not in ("stop", "length"):
        raise PolicyError(f"vLLM abandoned an answer: {answer.finish_reason}")
    tokens = tuple(answer.token_ids)
    return Completion(
        text=answer.text,
        finish=answer.finish_reason,
        version="",
        prompt_ids=tuple(prompt_ids),
        token_ids=tokens,
        logprobs=tuple(step[token].logprob for token, step in zip(tokens, answer.logprobs, strict=True)),
    )


def serve(connection: Connection) -> None:
    """Make the engine of the settings that come first, then answer."""
    parent = os.getppid()
    try:
        engine = Engine(connection.recv())
        connection.send("ready")
        while _requested(connection, parent):
            match connection.recv():
                case ("stream", prompts, sampling, lora):
                    for part in _parts(engine, prompts, sampling, lora):
                        connection.send(part)
                case ("load", lora, drop):
                    connection.send(_loaded(engine, lora, drop))
                case None:
                    return
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _requested(connection: Connection, parent: int) -> bool:
    """Wait for a request; False once the other side's process is gone, whoever else holds the connection."""
    while not connection.poll(_LOOK_S):
        if os.getppid() != parent:
            return False
    return True


def _parts(engine: Engine, prompts: Sequence[Prompt], sampling: Sampling, lora: Lora | None) -> Iterator[object]:
    """Answers as they end, then None, or the error that ends them."""
    try:
        yield from engine.stream(prompts, sampling, lora)
        yield None
    except (UserError, PolicyError) as error:
        yield error
    except ValueError as error:  # how vLLM refuses parameters
        yield UserError(f"vLLM refuses: {error}")


def _loaded(engine: Engine, lora: Lora, drop: int | None) -> object:
    try:
        engine.load(lora, drop)
    except UserError as error:
        return error
    return None


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
