"""Policies as they are configured."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from pathlib import Path
from typing import Any

from kernelwright.agent.policy import Policy
from kernelwright.driver.config.plugins import make
from kernelwright.ir.errors import UserError
from kernelwright.ir.options import check_options, option
from kernelwright.serve.adapters import adapter_folder


class PolicyKind(Enum):
    """What answers: nothing, vLLM in this process, Hugging Face's generate, a server, or what was recorded before."""

    none = "none"
    vllm = "vllm"
    hf = "hf"
    openai = "openai"
    replay = "replay"


#: What engines of our own compute in.
DTYPES = ("auto", "bfloat16", "float16", "float32")


@dataclass
class PolicySettings:
    """Which policy, and the folders of its adapters by name; see conf/policy.

    `template` are options of the model's chat template, such as `enable_thinking`.
    `form` and `midend_form` are how its agents are asked (`fe-agent{form=…}`, `me-agent{form=…}`), for configurations
    that refer to them.
    `url` (several with commas between them, which serve the same and share the prompts), `key_env`, whether it is `vllm
    serve` (`vllm`), `concurrency` requests under way at a time, `attempts` at one that fails, and what may be spent
    (`max_requests`, `max_spent` tokens of prompts and answers; None: any number) are a server's. Of an engine of our
    own `devices` are the CUDA devices that it sees, as in CUDA_VISIBLE_DEVICES (one for `hf`), and `max_num_seqs` is
    how many answers it draws at a time (None: its default), and `dtype` what it computes in, as torch names it ("auto":
    as in the files on a GPU, else float32). Of vLLM `gpu_memory_utilization` is the share of a GPU that it takes, and
    `graph_sizes` are the batch sizes that it captures CUDA graphs of (none: its own choice, which takes a minute).
    `path` is a file of recorded answers, and answers are appended to `record`, to be such a file. `plugin` is what an
    option of another package says, which then makes the policy.
    """

    kind: PolicyKind = PolicyKind.none
    model: str = "smollm"
    adapters: dict[str, str] = field(default_factory=dict)
    max_model_len: int = option(4096, at_least=1)
    max_rank: int = option(16, at_least=1)
    url: str | None = None
    key_env: str | None = None
    vllm: bool = True
    concurrency: int = option(8, at_least=1)
    attempts: int = option(6, at_least=1)
    max_requests: int | None = option(None, at_least=1)
    max_spent: int | None = option(None, at_least=1)
    devices: str | None = None
    dtype: str = option("auto", choices=DTYPES)
    gpu_memory_utilization: float = option(0.4, above=0, at_most=1)
    max_num_seqs: int | None = option(None, at_least=1)
    graph_sizes: list[int] = option([], at_least=1)
    path: str | None = None
    record: str | None = None
    template: dict[str, Any] = field(default_factory=dict)
    form: str = "native"
    midend_form: str = "native"
    plugin: dict[str, Any] = field(default_factory=dict)

    @property
    def is_configured(self) -> bool:
        """Whether there is anything to ask."""
        return self.kind is not PolicyKind.none or bool(self.plugin)


@contextmanager
def open_policy(settings: PolicySettings, group: str = "policy") -> Iterator[Policy]:
    """The policy that a group configures, with its adapters. Raises UserError for what is missing."""
    policy = _recorded(_opened(settings, group), settings.record)
    try:
        for name, folder in settings.adapters.items():
            policy.load_adapter(name, adapter_folder(folder))
        yield policy
    finally:
        policy.close()


def _opened(settings: PolicySettings, group: str) -> Policy:
    check_options(settings, f"{group}.")
    if settings.plugin:
        made: Policy = make(group, settings.plugin, complaint, **_shared(settings))
        return made
    match settings.kind:
        case PolicyKind.none:
            raise UserError(f"no policy is configured: give {group}=vllm, hf, openai or replay")
        case PolicyKind.hf:
            return _local(settings)
        case PolicyKind.vllm:
            return _engine(settings)
        case PolicyKind.openai:
            return _server(settings, group)
        case PolicyKind.replay:
            from kernelwright.serve.replay import ReplayPolicy

            if not settings.path:
                raise UserError(f"{group}=replay needs {group}.path=FILE, a file that {group}.record=FILE wrote")
            return ReplayPolicy(Path(settings.path))


# Engines are imported where they are wanted: each needs packages that others do without.


def _local(settings: PolicySettings) -> Policy:
    """A model in this process."""
    from kernelwright.serve.hf import HfPolicy, HfSettings

    held = HfSettings(
        settings.model,
        settings.dtype,
        device=_only(settings.devices),
        context=settings.max_model_len,
        template=settings.template,
    )
    return HfPolicy(held if settings.max_num_seqs is None else replace(held, batch=settings.max_num_seqs))


def _engine(settings: PolicySettings) -> Policy:
    """A vLLM engine, in processes of its own."""
    from kernelwright.serve.vllm_engine import VllmPolicy, VllmSettings

    engine = VllmSettings(
        settings.model,
        settings.max_model_len,
        max_loras=max(2, len(settings.adapters) + 1),  # one more, for what a training run is measured by
        max_lora_rank=settings.max_rank,
        devices=settings.devices,
        dtype=settings.dtype,
        gpu_memory_utilization=settings.gpu_memory_utilization,
        options=_graphs(settings.graph_sizes),
        template=settings.template,
    )
    return VllmPolicy(engine if settings.max_num_seqs is None else replace(engine, max_num_seqs=settings.max_num_seqs))


def _server(settings: PolicySettings, group: str) -> Policy:
    """Servers that speak OpenAI's protocol."""
    from kernelwright.serve.http_link import Quota, Retry
    from kernelwright.serve.openai_server import ServerPolicy, ServerSettings

    return ServerPolicy(
        ServerSettings(
            server_urls(settings, f"{group}."),
            settings.model,
            settings.key_env or "",
            vllm=settings.vllm,
            retry=Retry(settings.attempts),
            quota=Quota(settings.max_requests, settings.max_spent),
            concurrency=settings.concurrency,
            template=settings.template,
        )
    )


def server_urls(settings: PolicySettings, prefix: str) -> tuple[str, ...]:
    """The addresses of a policy's servers. Raises UserError if the policy has none, or if one is not an address."""
    from kernelwright.serve.http_link import check_address  # late: few policies are servers

    urls = tuple(filter(None, map(str.strip, (settings.url or "").split(","))))
    for url in urls or ("",):
        check_address(url, f"{prefix}url=")
    return urls


def complaint(made: object) -> str:
    """What is wrong with a policy that a package makes."""
    missing = [name for name in ("sample", "load_adapter", "close") if not callable(getattr(made, name, None))]
    return f"{type(made).__name__} has no method {missing[0]}; see kernelwright.agent.policy.Policy" if missing else ""


def _shared(settings: PolicySettings) -> dict[str, Any]:
    """What every policy may be told, by name; None where an option of ours would have to say it."""
    return {one.name: None for one in fields(settings) if one.name != "plugin"}


def _recorded(policy: Policy, record: str | None) -> Policy:
    """The policy; with a file that it is to write, one that answers a batch at a time."""
    if record is None:
        return policy
    from kernelwright.serve.replay import RecordingPolicy

    return RecordingPolicy(policy, Path(record))


def _only(devices: str | None) -> str:
    """The one device of a policy that takes no more."""
    if devices is None:
        return "auto"
    if not str(devices).isdigit():
        raise UserError(f"policy.devices={devices}: policy=hf takes one device, such as 1; policy=vllm takes several")
    import torch  # slow, and settings are read without it

    if int(devices) >= (found := torch.cuda.device_count()):
        raise UserError(f"policy.devices={devices}: torch finds {found} CUDA devices here; leave policy.devices out")
    return f"cuda:{devices}"


def _graphs(sizes: list[int]) -> dict[str, Any]:
    """vLLM's arguments for CUDA graphs of some batch sizes alone, without its minute of compilation."""
    if not sizes:
        return {}
    chosen = {"mode": 0, "cudagraph_mode": "FULL_DECODE_ONLY", "cudagraph_specialize_lora": False}
    return {"compilation_config": {**chosen, "cudagraph_capture_sizes": sorted(sizes)}}
