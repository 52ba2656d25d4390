"""Requests to a server over HTTP: tried again after passing faults, within a budget, the key never shown."""

import http.client
import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from kernelwright.agent.policy import PolicyError
from kernelwright.ir.errors import UserError

#: Statuses that may pass by themselves: timeout, conflict, too early, too many requests, and all from 500 on.
_PASSING = frozenset({408, 409, 425, 429})
#: Characters of a server's message that are shown.
_SHOWN = 300
#: Seconds that a server has for its first word before a run begins; one that is busy may take longer.
_FIRST_WORD_SECONDS = 5.0

T = TypeVar("T")


def check_address(url: str, key: str = "") -> None:
    """UserError for what is no server's address; `key` stands before it."""
    if not url.startswith(("http://", "https://")):
        raise UserError(
            f"{key}{url}: give a server's address, such as http://localhost:8000/v1; this is not a server's"
        )


def check_runs(url: str, key: str) -> None:
    """UserError where nothing can be connected to at a server's address; `key` stands before it.

    Whatever the server answers, and that it takes its time, is no fault here.
    """
    try:
        urllib.request.build_opener(_NoRedirect).open(f"{url.rstrip('/')}/models", timeout=_FIRST_WORD_SECONDS).close()
    except (urllib.error.HTTPError, TimeoutError):
        return
    except (OSError, http.client.InvalidURL) as error:
        reason = getattr(error, "reason", None) or error  # what urllib puts into words of its own
        if isinstance(reason, TimeoutError):
            return
        told = getattr(reason, "strerror", None) or reason
        raise UserError(f"{key}{url}: no server answers there ({told}); start it, or give its address") from None
    except http.client.HTTPException:  # something that does not speak HTTP, as the first request will tell
        return


@dataclass(frozen=True)
class Retry:
    """How often and when a request is sent again: after `first_s` seconds, then each time twice as many.

    A server's Retry-After is kept to, both at most `most_s`.
    """

    attempts: int = 6
    first_s: float = 1.0
    most_s: float = 60.0


@dataclass(frozen=True)
class Quota:
    """What may be spent, None without bound: requests, repeated ones included, and tokens of prompts and answers.

    A request is sent only while its longest possible answer still fits, so that answers never go over.
    """

    max_requests: int | None = None
    max_tokens: int | None = None


class RefusedError(PolicyError):
    """A request that the server will not answer, sent again or not; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


class _Passing(Exception):  # noqa: N818 - never leaves this module
    """A fault that may pass; `wait_s` is what the server asks for."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        self.wait_s = wait_s
        super().__init__(message)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer: following one would carry the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Link:
    """Sends requests to servers that answer alike, each to the one with the fewest under way, and after a fault to
    another; may be used from several threads, which share the budget."""

    def __init__(
        self, base_urls: Sequence[str], key_variable: str, timeout_s: float, retry: Retry, quota: Quota
    ) -> None:
        self._key_variable, self._timeout_s = key_variable, timeout_s
        self._under_way = dict.fromkeys(base_urls, 0)
        self._name = ", ".join(base_urls)
        self._retry, self._quota = retry, quota
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._lock = threading.Lock()
        self._held_tokens = 0
        self.spent_requests = 0
        self.spent_tokens = 0
        self._key()

    def post(
        self,
        path: str,
        body: dict[str, Any],
        most_tokens: int = 0,
        read: Callable[[Any], T] | None = None,
        server: str | None = None,
    ) -> T:
        """What `read` makes of the reply to a request, which may cost `most_tokens` tokens for the answer. With
        `server`, a base URL, no other is asked.

        A reply that is no JSON, or that `read` refuses with ValueError, KeyError or TypeError, counts as a fault.
        Without `read` the reply is not looked at. Raises PolicyError once the budget or the attempts are spent, and
        RefusedError for a request that the server finds fault with.
        """
        fault, base_url = "", self._name
        for attempt in range(self._retry.attempts):
            self._hold(most_tokens)
            used = 0
            try:
                with self._chosen(server, base_url) as base_url:
                    text = self._send(base_url, path, body)
                used = most_tokens  # until the server says otherwise
                reply = json.loads(text) if read else None
                used = _used(reply, most_tokens)
                return read(reply) if read else reply  # type: ignore[return-value]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                fault, wait_s = f"a malformed reply: {error!r}", None
            except _Passing as passing:
                fault, wait_s = str(passing), passing.wait_s
            finally:
                self._settle(most_tokens, used)
            if attempt + 1 < self._retry.attempts:
                time.sleep(self._pause_s(attempt, wait_s))
        attempts = f"{self._retry.attempts} attempt{'s' * (self._retry.attempts > 1)}"
        raise PolicyError(f"{base_url}/{path}: gave up after {attempts}; the last: {fault}")

    @contextmanager
    def _chosen(self, server: str | None, last: str) -> Iterator[str]:
        """The server to ask, which counts as busy meanwhile: if there is another, not the one that was asked `last`."""
        with self._lock:
            chosen = server or min(self._under_way, key=lambda url: (url == last, self._under_way[url]))
            self._under_way[chosen] += 1
        try:
            yield chosen
        finally:
            with self._lock:
                self._under_way[chosen] -= 1

    def _send(self, base_url: str, path: str, body: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "kernelwright"}
        if key := self._key():
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(f"{base_url}/{path}", json.dumps(body).encode(), headers)
        try:
            with self._opener.open(request, timeout=self._timeout_s) as reply:
                return bytes(reply.read())
        except urllib.error.HTTPError as error:
            with error:
                message = f"{error.code} {error.reason}: {self._shown(error.read())}"
            if error.code in _PASSING or error.code >= 500:
                raise _Passing(message, _seconds(error.headers.get("Retry-After"))) from None
            raise RefusedError(error.code, f"{base_url}/{path}: {message}") from None
        except (OSError, http.client.HTTPException) as error:  # URLError and timeouts are OSErrors
            reason = getattr(error, "reason", None) or error  # what urllib puts into words of its own
            raise _Passing(self._shown(str(reason).encode()) or type(error).__name__) from None

    def _key(self) -> str:
        """The key. Raises UserError where its variable is named and not set."""
        if not self._key_variable:
            return ""
        key = os.environ.get(self._key_variable, "").strip()
        if not key:
            raise UserError(f"the environment variable {self._key_variable} holds no key for {self._name}")
        return key

    def _shown(self, message: bytes) -> str:
        """A server's message, on one line and without the key, should it echo that."""
        text = " ".join(message.decode(errors="replace").split())
        if key := self._key():
            text = text.replace(key, "***")
        return text[:_SHOWN]

    def _hold(self, tokens: int) -> None:
        """Put by what a request may cost. Raises PolicyError where that is more than is left."""
        with self._lock:
            requests, most = self._quota.max_requests, self._quota.max_tokens
            if requests is not None and self.spent_requests >= requests:
                raise PolicyError(f"the budget for {self._name} is spent: {requests} requests")
            if most is not None and self.spent_tokens + self._held_tokens + tokens > most:
                raise PolicyError(
                    f"the budget for {self._name} is spent: {self.spent_tokens} of {most} tokens, "
                    f"and the next answer may take {tokens}"
                )
            self.spent_requests += 1
            self._held_tokens += tokens

    def _settle(self, held: int, used: int) -> None:
        with self._lock:
            self._held_tokens -= held
            self.spent_tokens += used

    def _pause_s(self, attempt: int, wait_s: float | None) -> float:
        pause = self._retry.first_s * float(2**attempt) * random.uniform(0.75, 1.25)
        return min(max(pause, wait_s or 0.0), self._retry.most_s)


def _used(reply: Any, most_tokens: int) -> int:
    """Tokens that a reply says it took; a server that does not say is taken to have used all it could."""
    usage = reply.get("usage") if isinstance(reply, dict) else None
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) else most_tokens


def _seconds(header: Any) -> float | None:
    """Retry-After in seconds; None where there is none, or a date."""
    try:
        seconds = float(header) if header else None
    except ValueError:
        return None
    return None if seconds is None else max(0.0, seconds)
