"""Answers arrive as they were sent, and what a child has forged is one clear error."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.protocol.answers import (
    CallMade,
    CandidateProfiled,
    CandidateRan,
    CandidateTimed,
    CheckedSample,
    CompiledKernels,
    DeviceWork,
    Failed,
    Failing,
    LeftBehind,
    Machine,
    OffsetsFit,
    ProfileRow,
    ReferencePass,
    ReferenceRan,
    ReferenceTimed,
    Reply,
    Returned,
    TimeEstimate,
)
from kernelwright.evaluation.protocol.decoding import MalformedError, Place
from kernelwright.evaluation.protocol.jobs import (
    Call,
    CallNamed,
    CheckOffsets,
    CompileCandidate,
    CompileKernels,
    Describe,
    HostProgram,
    Job,
    ProfileCandidate,
    RunCandidate,
    RunReference,
    Sampling,
    TimeCandidate,
    TimeReference,
    decode_answer,
)
from kernelwright.evaluation.protocol.link import Origin
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.values import Resources

#: How many tensors come with each answer.
TENSORS = 6
FIRST = (Place(0),)
PROGRAM = HostProgram("…", "ModelNew", "class", False, "", 0, False, ("x",), (), 4)
CANDIDATE = (PROGRAM, (), "ieee", None, 1 << 30, "cpu", (Call((0,), (None,), {}),) * 2)
DRAWN = ({}, "ieee", "cpu", 5, (asdict(Draw(0)), asdict(Draw(1, "normal"))))
RESOURCES = {"k": Resources(32, 0, 1024)}
CALL = CallMade(FIRST, {"w": Place(1)}, "tensor", ("w",), (Origin.KERNEL,), (False,), 2, (("x", "output 0"),))
ESTIMATE = TimeEstimate((0.5, 0.25), ("a note",), (CheckedSample(0, FIRST),))
PASS = ReferencePass(
    number=1,
    inputs=(Place(0), None),
    digests=(1 << 60,),
    state={"w": Place(1)},
    eager=(Place(2),),
    gold=(Place(3),),
    note="",
    cut=None,
    nudged=((Place(4),), (Place(5),)),
    respelled=(Place(4),),
    autocast=None,
    reordered=(),
    computed=(True,),
    of_inputs=(True,),
    random=False,
    tf32=False,
    kept=("x",),
    shared=(("x",),),
    returns="tuple",
    left={"w": LeftBehind(Place(4), Place(5))},
)
SERIES = ((0.5, 0.25), (0.5,), (0.75,), (0.125,))
ROWS = (
    ProfileRow(DeviceWork.GENERATED, "k", 2.0, 1.0, 64.0, 8.0, {"f16": 4.0}),
    ProfileRow(DeviceWork.COPY, "fill", 1.0, 2.0),
)
ANSWERS: tuple[tuple[Job, Reply], ...] = (
    (Describe(True), Machine(True, {"device": "H100", "capability": [9, 0]})),
    (CompileKernels({}, {}), CompiledKernels(RESOURCES)),
    (CompileCandidate(*CANDIDATE), CompiledKernels(RESOURCES)),
    (CheckOffsets({}), OffsetsFit()),
    (CallNamed("module:name", {}), Returned([{"any": 1}])),
    (
        RunReference(*DRAWN),
        ReferenceRan((PASS,), {"w": Place(0)}, "[4]", False, ("nan",), True, {"x": ("signs",)}, 0.0, {}),
    ),
    (TimeReference(*DRAWN, "", Sampling()), ReferenceTimed(*SERIES, ("a note",), {"before": {}}, 7, Place(0))),
    (RunCandidate(*CANDIDATE), CandidateRan((CALL, CALL), ("buffer",), ("seccomp",), RESOURCES)),
    (RunCandidate(*CANDIDATE, timing=Sampling()), CandidateRan((CALL, CALL), (), (), None, ESTIMATE)),
    (TimeCandidate(*CANDIDATE), CandidateTimed(*SERIES, (), None, 7, (CheckedSample(0, FIRST),), 3, ("seccomp",))),
    (ProfileCandidate(*CANDIDATE), CandidateProfiled(5, ROWS, {"f32": 2.0}, (), (CheckedSample(0, FIRST),), 3, ())),
)
FAILED = Failed(Failing.COMPILE_ERROR, "why", Diagnostic("what", 3, 0, text="x = y", kernel="k"), left=True)


def sent(answer: Reply | Failed) -> Any:
    """An answer as it arrives."""
    return json.loads(json.dumps(answer.encode()))


def test_every_kind_of_job_has_its_answer_here() -> None:
    assert {job.kind for job, _ in ANSWERS} == {one.kind for one in _kinds(Job)}


def _kinds(kind: type[Job]) -> list[type[Job]]:
    return [found for one in kind.__subclasses__() for found in (one, *_kinds(one))]


@pytest.mark.parametrize(("job", "answer"), ANSWERS, ids=lambda one: type(one).__name__)
def test_an_answer_arrives_as_it_was_sent(job: Job, answer: Reply) -> None:
    assert decode_answer(job, sent(answer), TENSORS) == answer
    assert decode_answer(job, sent(FAILED), 0) == FAILED


def test_an_answer_to_another_job_is_refused() -> None:
    for job, _ in ANSWERS:
        for other, answer in ANSWERS:
            if type(answer) is not job.gives:
                with pytest.raises(MalformedError):
                    decode_answer(job, sent(answer), TENSORS)
            elif other is not job and isinstance(job, RunCandidate) and isinstance(answer, CandidateRan):
                with pytest.raises(MalformedError, match="estimated"):
                    decode_answer(job, sent(answer), TENSORS)


def _places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Ways to all parts of JSON."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [path, *(found for key, one in items for found in _places(one, (*path, key)))]


def _with(content: Any, path: tuple[Any, ...], forged: Any) -> Any:
    if not path:
        return forged
    copy = dict(content) if isinstance(content, dict) else list(content)
    copy[path[0]] = _with(content[path[0]], path[1:], forged)
    return copy


FORGED = [None, True, -1, 1 << 70, 10**4000, 0.5, float("nan"), "text", [], [[]], {}, {"a": 1}, [1, "x"], "output 99"]


@pytest.mark.parametrize(("job", "answer"), ANSWERS, ids=lambda one: type(one).__name__)
def test_whatever_is_forged_is_an_answer_or_one_error(job: Job, answer: Reply) -> None:
    """Every part of every answer replaced by everything: it is read as a value that is sent just so, or refused."""
    for content in (sent(answer), sent(FAILED)):
        for path in _places(content)[1:]:
            for forged in FORGED:
                try:
                    found = decode_answer(job, _with(content, path, forged), TENSORS)
                except MalformedError as error:
                    assert len(str(error)) < 400
                else:
                    assert json.loads(json.dumps(found.encode())).keys() == content.keys()


RAN = CandidateRan((CALL, CALL), (), ())
WRONG: list[tuple[Job, Any, str]] = [
    (Describe(True), {}, "neither"),
    (Describe(True), {"gave": {}, "failed": {}}, "neither"),
    (Describe(True), {"status": "ok", "gpu": True, "facts": {}}, "neither"),
    (Describe(True), {"gave": {"gpu": 1, "facts": {}}}, "it.gpu is int where bool is wanted"),
    (Describe(True), {"gave": {"gpu": True}}, "it has no facts"),
    (Describe(True), {"gave": {"gpu": True, "facts": {}, "more": 1}}, "it has 'more'"),
    (Describe(True), {"failed": {"status": "ok", "detail": ""}}, "it.status is no Failing: 'ok'"),
    (RunCandidate(*CANDIDATE), sent(replace(RAN, calls=())), "0 calls where 2 were asked for"),
    (RunCandidate(*CANDIDATE), sent(replace(RAN, calls=(CALL,) * 3)), "3 calls where 2"),
    (RunCandidate(*CANDIDATE), sent(replace(RAN, estimate=ESTIMATE)), "nowhere else"),
    (
        TimeCandidate(*CANDIDATE),
        sent(CandidateTimed(*SERIES, verified=(CheckedSample(1, FIRST),))),
        "a draw that was not",
    ),
    (
        TimeCandidate(*CANDIDATE),
        sent(CandidateTimed(*SERIES, verified=(CheckedSample(-1, FIRST),))),
        "a draw that was not",
    ),
    (
        RunReference(*DRAWN[:4], ()),
        sent(ReferenceRan((PASS,), {}, None, False, (), False, {}, 0.0, {})),
        "not asked for",
    ),
]


@pytest.mark.parametrize(("job", "header", "told"), WRONG, ids=[told for *_, told in WRONG])
def test_what_is_wrong_is_told(job: Job, header: Any, told: str) -> None:
    with pytest.raises(MalformedError, match=told):
        decode_answer(job, header, TENSORS)


@pytest.mark.parametrize("place", [-1, TENSORS, 1 << 40, True, "0", None, 0.0])
def test_a_tensor_that_does_not_come_along_is_refused(place: Any) -> None:
    header = _with(sent(RAN), ("gave", "calls", 0, "outputs", 0), place)
    with pytest.raises(MalformedError, match=r"it.calls\[0\].outputs\[0\] is no number of a tensor"):
        decode_answer(RunCandidate(*CANDIDATE), header, TENSORS)


@pytest.mark.parametrize(
    "forged",
    [
        {"events": []},
        {"direct": [], "wall": []},
        {"wall": [1.0, 2.0]},
        {"wall": [float("nan")]},
        {"graph": [float("inf")]},
        {"events": [0.0]},
        {"events": [-1.0]},
        {"events": ["x"]},
    ],
)
def test_times_that_are_none_are_refused(forged: dict[str, Any]) -> None:
    content = {"events": [1.0], "direct": [1.0], "wall": [1.0], "graph": [], "notes": [], **forged}
    for job in (TimeReference(*DRAWN, "", Sampling()), TimeCandidate(*CANDIDATE)):
        with pytest.raises(MalformedError):
            decode_answer(job, {"gave": content}, TENSORS)
