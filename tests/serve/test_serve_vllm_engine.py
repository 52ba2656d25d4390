"""The engine's process: what is said when it fails, dies or hangs, and that it is gone after close. No vLLM here."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from adapter_files import NO_WEIGHTS

from kernelwright.agent.policy import Message, PolicyError, Sampling
from kernelwright.ir.errors import UserError
from kernelwright.serve import vllm_engine
from kernelwright.serve.vllm_engine import VllmPolicy, VllmSettings

PROMPT = (Message("user", "hello"),)

#: Speaks as `vllm_worker` does: answers with the adapter's label, loads with what it was told to drop.
WORKER = """#!{python}
import os, sys, time
from dataclasses import replace
from multiprocessing.connection import Connection
from kernelwright.agent.policy import Completion
from kernelwright.ir.errors import UserError

connection = Connection(int(sys.argv[-1]))
settings = connection.recv()
print("starting", settings.max_lora_rank, flush=True)
connection.send("ready")
try:
    while (request := connection.recv()) is not None:
        match request:
            case ("stream", prompts, sampling, lora):
                loaded = None if lora is None else (lora[0], lora[1], os.path.isdir(lora[2]))
                for index, prompt in enumerate(prompts):
                    if prompt[-1].content == "sleep":
                        open(os.path.join(settings.model, "asleep"), "w").close()
                        time.sleep(60)
                    if prompt[-1].content == "die":
                        print("out of memory", flush=True)
                        os._exit(3)
                    connection.send([(index, 0, Completion(str(loaded), "stop", ""))])
                connection.send(None)
            case ("load", lora, drop):
                connection.send(UserError("bad weights") if lora[0].startswith("bad") else None)
except EOFError:
    pass
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model folder, with the stand-in for the engine's process."""
    script = tmp_path / "worker"
    script.write_text(WORKER.format(python=sys.executable))
    script.chmod(0o755)
    monkeypatch.setattr(vllm_engine.sys, "executable", str(script))
    monkeypatch.setattr(vllm_engine, "require_installed", lambda *_: None)
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return str(folder)


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 8, "rank_pattern": {"q_proj": 12}}')
    (folder / "adapter_model.safetensors").write_bytes(NO_WEIGHTS)
    return folder


def text(policy: VllmPolicy, adapter: str | None = None) -> str:
    return policy.sample([PROMPT], Sampling(), adapter)[0][0].text


def gone(pid: int | None) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_a_name_means_a_fresh_adapter_each_time_it_is_loaded(model: str, adapter: Path) -> None:
    with VllmPolicy(VllmSettings(model), {"frontend": adapter}) as policy:
        assert text(policy) == "None"
        assert text(policy, "frontend") == "('frontend@1', 1, True)"
        policy.load_adapter("midend", adapter)
        policy.load_adapter("frontend", adapter)
        answer = policy.sample([PROMPT], Sampling(), "frontend")[0][0]
        assert (answer.text, answer.version) == ("('frontend@3', 3, True)", "base+frontend@3")
        assert text(policy, "midend") == "('midend@2', 2, True)"
        with pytest.raises(UserError, match="no room for adapter `third`: max_loras is 2"):
            policy.load_adapter("third", adapter)


def test_an_adapter_that_is_refused_leaves_what_was_there(model: str, adapter: Path) -> None:
    with VllmPolicy(VllmSettings(model)) as policy:
        with pytest.raises(UserError, match="bad weights"):
            policy.load_adapter("bad", adapter)
        with pytest.raises(UserError, match="no adapter `bad` is loaded"):
            text(policy, "bad")
    with VllmPolicy(VllmSettings(model, max_lora_rank=8)) as policy, pytest.raises(UserError, match="has rank 12"):
        policy.load_adapter("frontend", adapter)


def test_closing_ends_the_process(model: str) -> None:
    policy = VllmPolicy(VllmSettings(model))
    pid = policy.pid
    assert not gone(pid)
    policy.close()
    policy.close()
    assert gone(pid)
    with pytest.raises(PolicyError, match="closed"):
        text(policy)


def test_an_engine_that_does_not_start_shows_what_it_wrote(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Path(model).parent / "failing"
    script.write_text("#!/bin/sh\necho 'no kernel image' >&2\nexit 4\n")
    script.chmod(0o755)
    monkeypatch.setattr(vllm_engine.sys, "executable", str(script))
    with pytest.raises(PolicyError, match=r"(?s)ended \(exit status 4\).*no kernel image"):
        VllmPolicy(VllmSettings(model))


def test_an_engine_that_dies_is_an_error_each_time(model: str) -> None:
    with VllmPolicy(VllmSettings(model)) as policy:
        with pytest.raises(PolicyError, match=r"(?s)ended \(exit status 3\).*starting 16.*out of memory"):
            policy.sample([(Message("user", "die"),)], Sampling())
        with pytest.raises(PolicyError, match="has ended: make another policy"):
            text(policy)
    with VllmPolicy(VllmSettings(model)) as policy:
        assert policy.pid is not None
        os.kill(policy.pid, signal.SIGKILL)
        with pytest.raises(PolicyError, match=r"ended \(exit status -9\)"):
            text(policy)


def test_an_engine_that_hangs_is_ended(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_engine, "_GRACE_S", 0.2)
    with VllmPolicy(VllmSettings(model, timeout_s=0.3)) as policy:
        pid = policy.pid
        with pytest.raises(PolicyError, match="did not answer within"):
            policy.sample([(Message("user", "sleep"),)], Sampling())
        assert gone(pid)


def test_an_interrupted_request_leaves_no_answer_for_the_next(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_engine, "_GRACE_S", 0.2)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def wake() -> None:
        while not Path(model, "asleep").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGALRM)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with VllmPolicy(VllmSettings(model)) as policy:
            pid = policy.pid
            threading.Thread(target=wake, daemon=True).start()
            with pytest.raises(KeyboardInterrupt):
                policy.sample([(Message("user", "sleep"),)], Sampling())
            assert gone(pid)
            with pytest.raises(PolicyError, match="has ended"):
                text(policy)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_process_forked_meanwhile_does_not_keep_the_engine(model: str) -> None:
    policy = VllmPolicy(VllmSettings(model))
    assert policy._engine is not None
    process = policy._engine._child
    child = os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    try:
        policy.close()
        assert process.returncode == 0  # it ended by itself
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_the_environment_is_the_users_where_they_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "DEBUG")
    monkeypatch.delenv("VLLM_CPU_KVCACHE_SPACE", raising=False)
    made = vllm_engine._environment(VllmSettings(kv_cache_gb=3))
    assert (made["VLLM_LOGGING_LEVEL"], made["VLLM_CPU_KVCACHE_SPACE"]) == ("DEBUG", "3")
    assert made["VLLM_ENABLE_V1_MULTIPROCESSING"] == "0"


@pytest.mark.parametrize(
    ("on_gpu", "eager", "compiles"), [(False, True, False), (False, False, True), (True, True, True)]
)
def test_an_eager_engine_on_a_cpu_compiles_nothing(
    monkeypatch: pytest.MonkeyPatch, on_gpu: bool, eager: bool, compiles: bool
) -> None:
    monkeypatch.delenv("TORCH_COMPILE_DISABLE", raising=False)
    monkeypatch.setattr(vllm_engine, "_has_gpu_build", lambda: on_gpu)
    made = vllm_engine._environment(VllmSettings(enforce_eager=eager))
    assert (made.get("TORCH_COMPILE_DISABLE") != "1") == compiles


def test_closing_does_not_wait_for_answers_that_another_thread_waits_for(model: str) -> None:
    policy, said, asked = VllmPolicy(VllmSettings(model)), list[str](), threading.Event()

    def ask() -> None:
        stream = policy.stream([(Message("user", "first"),), (Message("user", "sleep"),)], Sampling())
        try:
            for _ in stream:
                asked.set()
        except PolicyError as error:
            said.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    assert asked.wait(30)  # the first answer is there, the second takes a minute
    pid = policy.pid
    policy.close()
    thread.join(30)
    assert "vLLM's engine ended (exit status -9)" in said[0]
    assert gone(pid)
    with pytest.raises(PolicyError, match="closed"):
        text(policy)
