"""Jobs arrive as they were sent: each kind by its name, with the values that it is made of."""

import json

import pytest

from kernelwright.evaluation.protocol.jobs import (
    Call,
    CallNamed,
    CheckOffsets,
    CompileKernels,
    Describe,
    Held,
    HostProgram,
    Job,
    ProfileCandidate,
    Profiling,
    RunCandidate,
    RunReference,
    Sampling,
    TimeCandidate,
    TimeReference,
    decode_job,
)

PROGRAM = HostProgram("def f(x): …", "f", "function", True, "", 3, False, ("x", "n"), ("aten.mm",), 4)
CALLS = (
    Call((0, None), (None, 4), {"w": 1}, fresh=True),
    Call((2, None), (None, 4), {"w": 1}, mode="grad", bump=False),
)
CANDIDATE = (PROGRAM, (Held("w", "layer.weight", 1),), "tf32", {"k": "def k(): …"}, 1 << 30, "cpu", CALLS)
REFERENCE = ({"source": "…"}, "ieee", "cpu", 5, ({"inputs": 0},))
JOBS = (
    Describe(True),
    CompileKernels({"name": "m"}, {"name": "h100"}),
    CheckOffsets({"name": "m"}),
    CallNamed("module:name", {"text": "x"}),
    RunReference(*REFERENCE, sketch={"seed": 1, "above": 2}),
    TimeReference(*REFERENCE, "default", Sampling(samples=(5, 9)), keep=7),
    RunCandidate(*CANDIDATE, timing=Sampling(verify=1), zeros=True),
    TimeCandidate(*CANDIDATE, timing=Sampling(seed=2)),
    ProfileCandidate(*CANDIDATE, profiling=Profiling(target="h200")),
)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.kind)
def test_a_job_arrives_as_it_was_sent(job: Job) -> None:
    sent = json.dumps(job.encode())
    found = decode_job(json.loads(sent))
    assert type(found) is type(job) and json.dumps(found.encode()) == sent
    if isinstance(found, RunCandidate):
        assert [call.mode for call in found.calls] == [None, "grad"] and found.state == CANDIDATE[1]
        assert found.program.externs == ["aten.mm"] and found.timing == job.timing  # type: ignore[attr-defined]
