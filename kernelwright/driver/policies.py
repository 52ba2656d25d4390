"""Policies as they are configured."""

from kernelwright.agent.policy import Policy
from kernelwright.driver.train_settings import PolicyKind, PolicySettings
from kernelwright.ir.errors import UserError


def open_policy(settings: PolicySettings, rank: int) -> Policy:
    """The policy that is configured, with room for adapters of that rank. Raises UserError for what is missing."""
    if settings.kind is PolicyKind.hf:
        from kernelwright.serve.hf import HfPolicy, HfSettings

        return HfPolicy(HfSettings(settings.model, context=settings.max_model_len))
    if settings.kind is PolicyKind.vllm:
        from kernelwright.serve.vllm_engine import VllmPolicy, VllmSettings

        return VllmPolicy(
            VllmSettings(
                settings.model,
                settings.max_model_len,
                max_lora_rank=rank,
                gpu_memory_utilization=settings.gpu_memory_utilization,
            )
        )
    from kernelwright.serve.openai_server import ServerPolicy, ServerSettings

    if not settings.url:
        raise UserError("policy=openai needs policy.url=http://…/v1")
    return ServerPolicy(ServerSettings(settings.url, settings.model, settings.key_env or "", vllm=settings.vllm))
