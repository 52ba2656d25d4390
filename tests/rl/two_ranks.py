"""What torchrun runs in `test_rl_ranks`: FOLDER [die|stop], where a run dies, or is stopped, after two steps."""

import contextlib
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from test_rl_sft import ROWS
from test_rl_sft import tiny as two_layers
from test_rl_trainer import MODULES, Toy, tiny
from torch import distributed

from kernelwright.rl.algorithms.presets import preset
from kernelwright.rl.trainer.learner import Learner, LoraSettings, OptimizerSettings
from kernelwright.rl.trainer.ranks import ALONE, Ranks, joined, shard_layers
from kernelwright.rl.trainer.reinforced import Trainer
from kernelwright.rl.trainer.rl_settings import RlSettings
from kernelwright.rl.trainer.sft import train_sft
from kernelwright.rl.trainer.sft_settings import SftSettings

STEPS = 4


@contextlib.contextmanager
def signalled() -> Iterator[None]:
    """Goes on when a signal has come to this process, however long that takes; after a minute without one, too."""
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)
        before = signal.set_wakeup_fd(writer.fileno())
        try:
            yield
            select.select([reader], [], [], 60)
        finally:
            signal.set_wakeup_fd(before)


def supervised(folder: Path, ranks: Ranks = ALONE, epochs: int = 2, signalled: Sequence[int] = ()) -> None:
    """Batches of 5, in packs of one row or two: the processes have unequal shares. After two steps each process that is
    `signalled` gets SIGINT."""
    from peft import get_peft_model

    model = two_layers()
    torch.manual_seed(1)
    model = get_peft_model(model, LoraSettings(rank=8, alpha=16).config())
    shard_layers(model, ranks, "cpu")
    learner = Learner(model, None, OptimizerSettings(lr=6e-3, clip=0.5), budget=8, ranks=ranks)

    def tell(step: int, _steps: int, _metrics: Any) -> None:
        for pid in signalled if step == 2 else ():
            os.kill(pid, signal.SIGINT)

    settings = SftSettings(epochs, batch=5, save_every=100 if signalled else 1)
    train_sft(learner, ROWS, settings, folder, held_out=ROWS, tell=tell)


def reinforced(folder: Path, ranks: Ranks = ALONE, ahead: int = 0, die: bool = False, stop: bool = False) -> Toy:
    """A few steps on the toy. After two the first process dies, or torchrun is told to stop."""
    model = tiny()
    shard_layers(model, ranks, "cpu")
    learner = Learner(model, None, OptimizerSettings(lr=1e-2), budget=16, ranks=ranks)
    toy = Toy()
    algorithm = preset("grpo", kl=0.05, tis_cap=2.0)
    settings = RlSettings(steps=STEPS, problems=3, imitate=3, pairs=2, ahead=ahead, save_every=100 if stop else 1)
    made = Trainer(learner, MODULES, toy.roll_out, toy.push, algorithm, settings, folder, pairs=ROWS[:9])

    def tell(step: int, _steps: int, _metrics: Any) -> None:
        if die and step == 2:
            (folder.parent / "dying").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if stop and step == 2:
            with signalled():
                os.kill(os.getppid(), signal.SIGTERM)

    made.tell = tell
    made.run()
    return toy


if __name__ == "__main__":
    torch.set_num_threads(1)
    place, dies, stops = Path(sys.argv[1]), "die" in sys.argv, "stop" in sys.argv
    with joined(cuda=False) as several:
        layer = tiny()
        shard_layers(layer, several, "cpu")
        weight = layer.get_base_model().model.layers[0].mlp.up_proj.base_layer.weight
        assert weight.to_local().numel() * several.world == weight.numel()  # it is split
        if stops:
            pids: list[Any] = [None] * several.world
            distributed.all_gather_object(pids, os.getpid())
            with contextlib.suppress(KeyboardInterrupt):
                supervised(place / "stopped-sft", several, signalled=pids)
                raise AssertionError("it was not stopped")
            try:
                reinforced(place / "stopped", several, ahead=2, stop=True)
            except KeyboardInterrupt as ended:
                sys.stdout.write(f"{type(ended).__name__} {several.rank} {ended}\n")
            sys.exit()
        if dies:
            supervised(place / "sft", several)
            reinforced(place / "rl", several)
            supervised(place / "first", several, epochs=1)
        else:
            supervised(place / "second", several)
            supervised(place / "stopped-sft", several)
            reinforced(place / "stopped", several, ahead=2)
        reinforced(place / "cut", several, ahead=2, die=dies)
