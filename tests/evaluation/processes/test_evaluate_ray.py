"""The pool on Ray: the local pool's verdicts, also where a worker is killed, and one sentence where Ray is missing."""

import os
import signal
import sys
from collections.abc import Iterator

import pytest
from test_evaluate_pool import OPTIONS, mixed

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item
from kernelwright.evaluation.pools.ray_pool import RayPool, _connect, _own_sigterm
from kernelwright.ir.errors import Terminated, UserError


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"^evaluator=ray needs the package ray: .*kernelwright\[ray\]"):
        RayPool(OPTIONS, 2)


@pytest.mark.slow
def test_a_cluster_that_cannot_be_joined_is_named() -> None:
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()
    with pytest.raises(UserError, match=r"evaluator.address='127.0.0.1:1'"):
        RayPool(OPTIONS, 1, address="127.0.0.1:1")


def test_sigterm_while_ray_starts_does_what_it_did_before() -> None:
    def end(_number: int, _frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(Terminated), _own_sigterm():
            signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(number))  # as ray.init does
            os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is end
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
def test_sigterm_does_what_it_did_before_a_cluster_was_joined() -> None:
    ray, before = pytest.importorskip("ray"), signal.getsignal(signal.SIGTERM)
    try:
        _connect(ray, None, 1)
        assert ray.is_initialized() and signal.getsignal(signal.SIGTERM) is before
    finally:
        ray.shutdown()


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A local Ray cluster with two cores."""
    ray = pytest.importorskip("ray")
    for left in (2, 1, 0):
        try:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            break
        except Exception:  # Ray gives its own processes 30 s to start, whatever else the machine does
            ray.shutdown()
            if not left:
                raise
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def pool(cluster: None) -> Iterator[RayPool]:  # noqa: ARG001 - it is there first
    """Two actors for all that follows: each takes ten seconds to start."""
    with RayPool(OPTIONS, 2) as pool:
        yield pool
    assert sys.modules["ray"].is_initialized()  # it was not the pool that started it


def actor_pids(pool: RayPool) -> list[int]:
    ray = sys.modules["ray"]
    return [ray.get(worker.actor.pid.remote()) for worker in pool.idle]


@pytest.mark.slow
def test_ray_gives_the_verdicts_of_the_local_pool(pool: RayPool, capfd: pytest.CaptureFixture[str]) -> None:
    given = [item for item, _ in mixed(14)]
    assert pool.workers == 2 and len(set(actor_pids(pool))) == 2
    with EvaluatorPool(OPTIONS, 2) as local:
        assert list(pool.evaluate_many(given)) == list(local.evaluate_many(given))
    with pytest.raises(UserError, match="rung run needs a CUDA device"):
        list(pool.evaluate_many([Item(given[0].program, given[0].reference, (Rung.RUN,))]))
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_killing_a_worker_loses_nothing(pool: RayPool) -> None:
    given = mixed(24)
    killed = actor_pids(pool)[0]

    def feed() -> Iterator[Item]:
        for number, (item, _) in enumerate(given):
            if number == 12:  # both workers have items now
                os.kill(killed, signal.SIGKILL)
            yield item

    statuses = [verdict.status for verdict in pool.evaluate_many(feed())]
    assert statuses == [want for _, want in given]
    assert killed not in actor_pids(pool)


@pytest.mark.slow
def test_an_actor_that_is_gone_for_good_is_replaced(pool: RayPool) -> None:
    given = mixed(6)
    for worker in pool.idle:
        worker.close()
    assert [verdict.status for verdict in pool.evaluate_many(item for item, _ in given)] == [w for _, w in given]
