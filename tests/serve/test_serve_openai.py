"""Policies behind a server: a stub on this machine that fails in every way a server does."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from adapter_files import NO_WEIGHTS

from kernelwright.agent.policy import Message, PolicyError, Sampling
from kernelwright.driver.config.policies import PolicyKind, PolicySettings, open_policy
from kernelwright.ir.errors import UserError
from kernelwright.serve.http_link import Quota, Retry, check_runs
from kernelwright.serve.openai_server import ServerPolicy, ServerSettings

PROMPT = (Message("system", "be brief"), Message("user", "hello"))
QUICK = Retry(attempts=3, first_s=0.01, most_s=0.05)
KEY = "sk-very-secret"

#: What the stub does with a request: (path, body) -> (status, reply, headers).
Answer = Callable[[str, dict[str, Any]], tuple[int, Any, dict[str, str]]]


class Stub:
    """A server that keeps what it was asked, and answers in turn what it is told, the last for ever."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], str | None]] = []
        self.answers: list[Answer] = [chat()]
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with stub._lock:
                    stub.asked.append((self.path, body, self.headers["Authorization"]))
                    answer = stub.answers.pop(0) if len(stub.answers) > 1 else stub.answers[0]
                status, reply, headers = answer(self.path, body)
                data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def chat(choices: int | None = None, usage: bool = True, ids: bool = False) -> Answer:
    """A well-formed reply: as many choices as asked for, or as said."""

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        if not path.endswith("/chat/completions"):
            return 200, b"Success", {}
        made: list[dict[str, Any]] = [
            {
                "message": {"role": "assistant", "content": f"{body['messages'][-1]['content']} {i}"},
                "finish_reason": "length" if i else "stop",
                "logprobs": {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.0}]},
                **({"token_ids": [7, 8]} if ids else {}),
            }
            for i in range(choices or body["n"])
        ]
        reply: dict[str, Any] = {"choices": made}
        if usage:
            reply["usage"] = {"total_tokens": 10}
        if ids:
            reply["prompt_token_ids"] = [1, 2, 3]
        return 200, reply, {}

    return answer


def status(code: int, message: str = "no", **headers: str) -> Answer:
    return lambda *_: (code, {"error": message}, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("STUB_KEY", KEY)
    made = Stub()
    yield made
    made.close()


def policy(stub: Stub, **settings: Any) -> ServerPolicy:
    return ServerPolicy(ServerSettings((stub.url,), "stub-model", retry=QUICK, **settings))


def test_prompts_are_answered_in_order(stub: Stub) -> None:
    with policy(stub, key_variable="STUB_KEY") as server:
        prompts = [(Message("user", f"question {i}"),) for i in range(20)]
        answers = server.sample(prompts, Sampling(n=2, max_tokens=9, temperature=0.5, top_p=0.9, stop=("x",), seed=1))
        assert [[one.text for one in group] for group in answers] == [
            [f"question {i} 0", f"question {i} 1"] for i in range(20)
        ]
        assert [one.finish for one in answers[0]] == ["stop", "length"]
        assert answers[0][0].version == "stub-model"
        assert answers[0][0].token_ids == ()
        assert (server.spent_requests, server.spent_tokens) == (20, 200)
    path, body, key = next(one for one in stub.asked if one[1]["messages"][0]["content"] == "question 3")
    assert (path, key) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body == {
        "model": "stub-model",
        "messages": [{"role": "user", "content": "question 3"}],
        "n": 2,
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["x"],
        "seed": 7,
    }


def test_passing_faults_are_tried_again(stub: Stub) -> None:
    stub.answers = [status(429, Retry_After="0.01"), status(503), chat()]
    with policy(stub) as server:
        assert server.sample([PROMPT], Sampling())[0][0].text == "hello 0"
        assert server.spent_requests == 3


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (status(500, "broken"), "gave up after 3 attempts; the last: 500 .*broken"),
        (lambda *_: (200, b"<html>", {}), "malformed reply: JSONDecodeError"),
        (lambda *_: (200, {"choices": []}, {}), "malformed reply: ValueError.*no choices"),
        (lambda *_: (200, {"surprise": 1}, {}), "malformed reply: KeyError"),
        (lambda *_: (200, ["list"], {}), "malformed reply: TypeError"),
        (lambda *_: (200, {"choices": [{"message": None}]}, {}), "malformed reply"),
    ],
)
def test_lasting_faults_end_in_an_error(stub: Stub, answer: Answer, says: str) -> None:
    stub.answers = [answer]
    with policy(stub) as server, pytest.raises(PolicyError, match=says):
        server.sample([PROMPT], Sampling())
    assert len(stub.asked) == 3


def test_a_refusal_is_final_and_never_shows_the_key(stub: Stub) -> None:
    stub.answers = [status(401, f"Incorrect API key provided: {KEY}")]
    with policy(stub, key_variable="STUB_KEY") as server, pytest.raises(PolicyError, match=r"401 .*\*\*\*") as caught:
        server.sample([PROMPT], Sampling())
    assert KEY not in str(caught.value)
    assert KEY not in repr(server.settings)
    assert len(stub.asked) == 1


def test_a_redirect_is_not_followed(stub: Stub) -> None:
    stub.answers = [status(302, Location=f"{stub.url}/elsewhere")]
    with policy(stub, key_variable="STUB_KEY") as server, pytest.raises(PolicyError, match="302"):
        server.sample([PROMPT], Sampling())
    assert len(stub.asked) == 1


def test_a_server_that_is_not_there_or_slow_is_an_error(stub: Stub) -> None:
    silent = threading.Event()

    def wait(*_: Any) -> tuple[int, Any, dict[str, str]]:
        silent.wait(5)
        return 200, {}, {}

    stub.answers = [wait]
    with policy(stub, timeout_s=0.1) as server, pytest.raises(PolicyError, match="timed out"):
        server.sample([PROMPT], Sampling())
    silent.set()
    stub.close()
    with policy(stub) as server, pytest.raises(PolicyError, match=r"3 attempts; the last: \[Errno \d+\] Conn"):
        server.sample([PROMPT], Sampling())


def test_a_server_that_gives_fewer_answers_is_asked_for_the_rest(stub: Stub) -> None:
    stub.answers = [chat(choices=1)]
    with policy(stub) as server:
        assert len(server.sample([PROMPT], Sampling(n=3))[0]) == 3
    assert [body["n"] for _, body, _ in stub.asked] == [3, 2, 1]


def test_the_budget_of_requests_counts_repeated_ones(stub: Stub) -> None:
    stub.answers = [status(500), chat()]
    with policy(stub, quota=Quota(max_requests=3)) as server:
        server.sample([PROMPT], Sampling())
        server.sample([PROMPT], Sampling())
        with pytest.raises(PolicyError, match="is spent: 3 requests"):
            server.sample([PROMPT], Sampling())
    assert len(stub.asked) == 3


def test_the_budget_of_tokens_holds_what_an_answer_may_take(stub: Stub) -> None:
    with policy(stub, quota=Quota(max_tokens=100)) as server:
        server.sample([PROMPT], Sampling(max_tokens=90))
        server.sample([PROMPT], Sampling(max_tokens=90))  # the first took 10
        with pytest.raises(PolicyError, match="20 of 100 tokens, and the next answer may take 90"):
            server.sample([PROMPT], Sampling(max_tokens=90))
    stub.answers = [chat(usage=False)]
    with policy(stub, quota=Quota(max_tokens=100)) as server:
        server.sample([PROMPT], Sampling(max_tokens=60))
        assert server.spent_tokens == 60


def test_log_probabilities_are_asked_for_and_kept(stub: Stub) -> None:
    with policy(stub, logprobs=True, max_tokens_field="max_completion_tokens") as server:
        (one,) = server.sample([PROMPT], Sampling(max_tokens=5))[0]
    assert one.logprobs == (-0.5, -1.0)
    assert stub.asked[0][1]["logprobs"] is True
    assert stub.asked[0][1]["max_completion_tokens"] == 5


def test_vllm_serve_gives_tokens_and_takes_adapters(stub: Stub, tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 4}')
    (tmp_path / "adapter_model.safetensors").write_bytes(NO_WEIGHTS)
    stub.answers = [chat(ids=True)]
    with policy(stub, vllm=True) as server:
        for _ in range(2):
            server.load_adapter("frontend", tmp_path)
        (one,) = server.sample([PROMPT], Sampling(), "frontend")[0]
        assert (one.prompt_ids, one.token_ids, one.logprobs) == ((1, 2, 3), (7, 8), (-0.5, -1.0))
        assert one.version == "stub-model+frontend@2"
        with pytest.raises(UserError, match="no adapter `midend` is loaded"):
            server.sample([PROMPT], Sampling(), "midend")
    calls = [(path.removeprefix("/v1/"), body) for path, body, _ in stub.asked]
    assert [(path, body.get("lora_name")) for path, body in calls[:3]] == [
        ("load_lora_adapter", "frontend@1"),
        ("load_lora_adapter", "frontend@2"),
        ("unload_lora_adapter", "frontend@1"),
    ]
    assert calls[3][1]["model"] == "frontend@2"
    assert calls[3][1]["return_token_ids"] is True
    assert calls[3][1]["top_k"] == 0


def test_servers_share_prompts_and_all_take_an_adapter(stub: Stub, tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 4}')
    (tmp_path / "adapter_model.safetensors").write_bytes(NO_WEIGHTS)
    both = threading.Barrier(2, timeout=10.0)

    def meeting(path: str, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        if path.endswith("/chat/completions"):
            both.wait()  # answers only while the other server is asked as well
        return chat(ids=True)(path, body)

    with contextlib.closing(Stub()) as other:
        stub.answers, other.answers = [meeting], [meeting]
        settings = ServerSettings((stub.url, other.url), "stub-model", vllm=True, retry=QUICK, concurrency=1)
        with ServerPolicy(settings) as server:
            server.load_adapter("frontend", tmp_path)
            assert [len(answers) for answers in server.sample([PROMPT] * 4, Sampling(), "frontend")] == [1] * 4
    for one in (stub, other):
        asked = [path.removeprefix("/v1/") for path, _, _ in one.asked]
        assert asked == ["load_lora_adapter", "chat/completions", "chat/completions"]


def test_another_server_is_asked_where_one_fails(stub: Stub) -> None:
    with contextlib.closing(Stub()) as other:
        stub.answers = [status(503)]
        with ServerPolicy(ServerSettings((stub.url, other.url), "stub-model", retry=QUICK)) as server:
            server.sample([PROMPT] * 6, Sampling())
            assert len(other.asked) == 6
            assert server.spent_requests == 6 + len(stub.asked)
        other.answers = [status(503)]
        with (
            ServerPolicy(ServerSettings((stub.url, other.url), "stub-model", retry=QUICK)) as server,
            pytest.raises(PolicyError, match="gave up after 3 attempts; the last: 503"),
        ):
            server.sample([PROMPT], Sampling())


def test_a_vllm_server_without_token_ids_or_adapters_is_an_error(stub: Stub, tmp_path: Path) -> None:
    with policy(stub, vllm=True) as server, pytest.raises(PolicyError, match="no token ids"):
        server.sample([PROMPT], Sampling())
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 4}')
    (tmp_path / "adapter_model.safetensors").write_bytes(NO_WEIGHTS)
    with policy(stub) as server, pytest.raises(UserError, match="takes no adapters"):
        server.load_adapter("frontend", tmp_path)
    stub.answers = [status(404)]
    with policy(stub, vllm=True) as server, pytest.raises(UserError, match="VLLM_ALLOW_RUNTIME_LORA_UPDATING"):
        server.load_adapter("frontend", tmp_path)


def test_servers_are_configured(stub: Stub) -> None:
    with contextlib.closing(Stub()) as other:
        urls = f"{stub.url}, {other.url}/"
        settings = PolicySettings(PolicyKind.openai, "stub-model", url=urls, vllm=False, attempts=2, max_requests=4)
        stub.answers = [status(500, retry_after="0")]
        with open_policy(settings) as server:
            server.sample([PROMPT], Sampling())
            other.answers = stub.answers
            with pytest.raises(PolicyError, match="gave up after 2 attempts"):
                server.sample([PROMPT], Sampling())
            with pytest.raises(PolicyError, match="is spent: 4 requests"):
                server.sample([PROMPT], Sampling())
    for wrong in ({"attempts": 0}, {"concurrency": 0}, {"max_requests": 0}, {"max_spent": -1}, {"url": " , "}):
        with pytest.raises(UserError, match=f"policy.*{next(iter(wrong))}"), open_policy(replace(settings, **wrong)):
            pass


def test_settings_that_cannot_work_are_refused(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="is not a server"):
        ServerPolicy(ServerSettings(("localhost:8000",), "m"))
    monkeypatch.delenv("STUB_KEY")
    with pytest.raises(UserError, match="environment variable STUB_KEY holds no key"):
        policy(stub, key_variable="STUB_KEY")


def test_a_server_runs_whatever_it_answers_if_it_can_be_connected_to(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    check_runs(f"{stub.url}/", "policy.url=")  # its answer is 501
    stub.close()
    told = rf"^policy\.url={stub.url}: no server answers there \(Connection refused\); start it, or give its address$"
    with pytest.raises(UserError, match=told):
        check_runs(stub.url, "policy.url=")
    for url in ("http://nowhere.invalid/v1", "http://127.0.0.1:port/v1", "http:///v1"):
        with pytest.raises(UserError, match=f"^policy.url={url}: no server answers there "):
            check_runs(url, "policy.url=")


def test_a_closed_policy_says_so(stub: Stub) -> None:
    server = policy(stub)
    server.close()
    server.close()
    with pytest.raises(PolicyError, match="closed"):
        server.sample([PROMPT], Sampling())


def test_options_of_the_chat_template_are_sent(stub: Stub) -> None:
    told = PolicySettings(PolicyKind.openai, url=stub.url, vllm=False, template={"enable_thinking": False})
    for settings in (told, replace(told, template={})):
        with open_policy(settings) as policy:
            policy.sample([PROMPT], Sampling())
    first, second = (body for _, body, _ in stub.asked)
    assert first["chat_template_kwargs"] == {"enable_thinking": False} and "chat_template_kwargs" not in second
