"""How long the device is kept busy while calls are queued: as long as it takes, and not for ever."""

import random
from collections.abc import Callable

import pytest

from kernelwright.driver.optimize.watches import LEAD, TRIES, Lead

#: What a try takes the host behind a lead, and whether it was queued as a whole; in microseconds.
Host = Callable[[float], tuple[float, bool]]


def queued(lead: Lead, host: Host) -> tuple[int, float, bool]:
    """The tries of one call, what they took in all, and whether the last one was queued as a whole."""
    tries, all_us, again = 0, 0.0, True
    while again:
        us, enough = host(lead.us)
        tries, all_us = tries + 1, all_us + us
        again = lead.tried(us, enough)
    return tries, all_us, enough


def waiting(us: float, share: float) -> Host:
    """A call that waits for the device when a share of its work is queued."""
    return lambda lead_us: (max(share * us, lead_us) + (1 - share) * us, False)


def steady(us: float, noise: random.Random) -> Host:
    def took(lead_us: float) -> tuple[float, bool]:
        host_us = us * noise.uniform(0.9, 1.3)
        return host_us, lead_us > host_us

    return took


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("us", [300.0, 20_000.0, 300_000.0])
def test_calls_that_wait_for_the_device_take_no_longer_each_time(share: float, us: float) -> None:
    lead, host = Lead(), waiting(us, share)
    found = [queued(lead, host) for _ in range(30)]
    assert lead.waits and {tries for tries, *_ in found[5:]} == {1}
    assert max(all_us for _, all_us, _ in found[5:]) <= 3 * us + LEAD * 100.0


@pytest.mark.parametrize("seed", range(20))
def test_others_are_queued_as_a_whole(seed: int) -> None:
    noise, lead = random.Random(seed), Lead()
    found = [queued(lead, steady(20_000.0, noise)) for _ in range(50)]
    assert not lead.waits and max(tries for tries, *_ in found) <= TRIES
    assert sum(enough for *_, enough in found) >= 48


def test_a_call_that_waits_no_more_is_queued_as_a_whole_again() -> None:
    lead = Lead()
    for _ in range(5):
        queued(lead, waiting(20_000.0, 0.5))
    assert lead.waits
    *_, enough = queued(lead, lambda lead_us: (0.5 * lead_us, True))
    assert enough and not lead.waits
