"""What a run begins with, checked before torch is imported: packages, files of pairs, adapters, places of problems."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from kernelwright.driver.config.policies import PolicyKind, PolicySettings, server_urls
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.problems import check_place
from kernelwright.rl.data.rows import pairs_of
from kernelwright.serve.adapters import adapter_folder, adapter_rank
from kernelwright.serve.base import SMOLLM, find_base
from kernelwright.serve.optional import require_installed
from kernelwright.serve.replay import read_recording

if TYPE_CHECKING:
    from kernelwright.driver.config.train_settings import ProblemSettings, SftSchema, TrainSchema

#: The place of this project's own examples, which are in a checkout and not in a wheel.
EXAMPLES = "examples:"


def check_training(plain: "TrainSchema | SftSchema", prefix: str = "") -> None:
    """UserError for what a training begins with, where it is not there or not of its kind."""
    require_installed("peft", "train")
    if plain.pairs:
        _check_file(plain.pairs, f"{prefix}pairs=")
    if plain.adapter is not None:
        checked_rank(plain.adapter, f"{prefix}adapter=")
    if plain.pairs:
        _check_pairs(plain.pairs, plain.stage.name, f"{prefix}pairs=")


def check_packages(policy: PolicySettings) -> None:
    """UserError for a package that a policy needs, naming the extra that installs it."""
    if policy.plugin:
        return
    if policy.kind is PolicyKind.vllm:
        require_installed("vllm", "vllm")
    if policy.kind is PolicyKind.hf:
        require_installed("transformers", "train")
        if policy.adapters:
            require_installed("peft", "train")


def check_models(plain: "TrainSchema", prefix: str = "") -> None:
    """UserError for models of a training by reinforcement that are not on this machine."""
    check_model(plain.policy.model, f"{prefix}policy.model=")  # the learner's as well
    check_answering(plain.policy, f"{prefix}policy.")
    check_answering(plain.judge, f"{prefix}judge.")


def check_answering(policy: PolicySettings, prefix: str = "policy.") -> None:
    """Raises UserError if the policy cannot answer: a model in a process of ours is not on this machine, a file of
    answers is not a recording, or a server has no address, does not run, or its key is not set."""
    if policy.plugin:
        return
    if policy.kind is PolicyKind.openai:
        urls = server_urls(policy, prefix)
        if policy.key_env and not os.environ.get(policy.key_env, "").strip():
            way_out = f"set it to the servers' key, or give {prefix}key_env=null for servers that want none"
            raise UserError(f"{prefix}key_env={policy.key_env}: this environment variable is not set; {way_out}")
        from kernelwright.serve.http_link import check_runs  # late: few policies are servers

        for url in urls:
            check_runs(url, f"{prefix}url=")
    if policy.kind in (PolicyKind.hf, PolicyKind.vllm):
        check_model(policy.model, f"{prefix}model=")
        for name, place in policy.adapters.items():
            if place:  # an arm's own adapter is trained later
                checked_rank(place, f"{prefix}adapters.{name}=")
    if policy.kind is PolicyKind.replay:
        try:
            if not policy.path:
                raise UserError(f"FILE is missing; give a file that {prefix}record=FILE wrote")
            read_recording(Path(policy.path))
        except UserError as error:
            raise UserError(f"{prefix}path={error}") from error


def check_model(name: str, key: str) -> None:
    """UserError for a base model that is not on this machine; the default is looked for when it is loaded."""
    if name == SMOLLM:
        return
    try:
        find_base(name, whole=False)
    except UserError as error:
        raise UserError(f"{key}{name}: {error}") from error


def check_problems(problems: "ProblemSettings", prefix: str = "") -> None:
    """UserError for a place of problems that is no good; a package's own source knows what its places are."""
    if problems.place not in (None, EXAMPLES) and not problems.plugin:
        check_places([str(problems.place)], f"{prefix}problems.place=")


def check_places(places: Iterable[str], key: str) -> None:
    """UserError for places of problems that are not there, or of a kind that holds none."""
    for place in places:
        try:
            check_place(place)
        except UserError as error:
            raise UserError(f"{key}{error}") from error


def check_tokenizer(name: str) -> None:
    """UserError for a tokenizer that is not on this machine; a folder may hold a tokenizer alone."""
    if not name.endswith(".gguf") and not Path(name).is_dir():
        check_model(name, "tokenizer=")
    elif not Path(name).exists():
        raise UserError(f"tokenizer={name}: no such file; give a *.gguf, or a model")


def _check_file(place: str, key: str) -> None:
    wanted, path = "give the file that `kernelwright data pairs` wrote", Path(place)
    if not path.is_file():
        raise UserError(f"{key}{place}: {'not a file' if path.exists() else 'no such file'}; {wanted}")
    if not os.access(path, os.R_OK):
        raise UserError(f"{key}{place}: Permission denied; {wanted}")


def _check_pairs(place: str, stage: str, key: str) -> None:
    try:
        pairs_of(Path(place), stage)
    except UserError as error:
        raise UserError(f"{key}{error}") from error


def checked_rank(place: str, key: str) -> int:
    """The rank of an adapter that is given; UserError, naming the key, where there is none."""
    try:
        return adapter_rank(adapter_folder(place))
    except UserError as error:
        raise UserError(f"{key}{place}: {error}; give an adapter's folder, or shipped:NAME") from error
