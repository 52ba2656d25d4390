"""Make data for training the agents, and files of problems: KernelBench's, and the kernels of a model.

usage: kernelwright data pairs [key=value …]
       kernelwright data rollouts policy=NAME [suite=PLACE] [key=value …]
       kernelwright data kernelbench PLACE [out=kernelbench.jsonl]
       kernelwright data kernels PROGRAM [out=kernels.jsonl] [modes=eval,train] [seed=0]

`data kernelbench` writes KernelBench's problems to one file, a JSON object a line: `level`, `problem_id`, `name`,
`code`, `origin` and `license`. PLACE is a checkout of https://github.com/ScalingIntelligence/KernelBench, or
hub:ScalingIntelligence/KernelBench, which needs a network and `pip install 'kernelwright[hub]'`. The number of
problems of each level goes to stdout.

`data rollouts` lets a policy answer problems, or the tasks of a file of pairs. It keeps right answers and repairs. A
repair has wrong answers, the feedback on each of them, and the right answer after them. `kernelwright sft` reads these
rows. compose=false leaves out repairs whose right answer comes from another trajectory or from the pair. The other
keys:
suite=kernelbench|jsonl:FILE|FOLDER|hub:OWNER/NAME  levels=[1,2]  split=train|test|null  limit=N  n=4  turns=2
per_problem=N  against=[PLACE,…]  batch=16  seed=0  rollout.form=native|modelnew|kernels  rollout.temperature=1.0
policy=smollm|hf|vllm|openai|replay  out=runs/rollouts/STAGE.jsonl, which gets a journal, a summary and a data card
(FILE.card.md) beside it. The same command resumes a stopped run.

`data kernels` compiles PROGRAM, a file in KernelBench's format, as `torch.compile` does, and runs none of the kernels
that Inductor generates. Each kernel becomes a problem of its own in out=FILE, which other commands read as they read
KernelBench's: the aten operations that the kernel stands for, between tensors that lie as Inductor's buffers do and are
drawn like the values that the model has there. modes: some of eval, train (forward and backward) and autocast (the same
in bf16). The summary on stdout says how many kernels there are, how many have a problem, and why the others have none.
The same command resumes a stopped run after its last mode.

Everything below is about `data pairs`.

`data pairs` turns generated programs, and the programs of problems=…, into verified pairs. A pair of the frontend is a
program and its Triton. A pair of the mid-end is Triton and the fastest Triton that a search finds by the cost model.
out=FILE gets one JSON object a line: `id`, `problem`, `stage`, `before`, `after` (the answer's program, without the
reference), `digest`, `split` (train or test) and `provenance`. FILE.journal saves every result at once. The same
command resumes a stopped run, and writes the same file as a run without a stop. FILE.summary.json counts the outcomes,
and the summary goes to stdout.

No program occurs twice, and none is a copy of an evaluation problem. Evaluation problems are the ones in against=…, the
test split of problems=…, and held-out generated programs. A program counts as a copy even if names, comments, sizes,
spelling or small parts differ. A program with the same operators in the same order also counts as a copy. The summary
lists the copied problems. A program's normal form is its text without names, comments and sizes. One normal form in
five is held out from the training programs. The form's digest decides, so every run holds out the same forms. Each of
these forms gives at most one held-out program, the first that was generated.

configuration (defaults first):
  stage=frontend|midend
  out=runs/pairs/STAGE.jsonl
  count=1000  first=0   generated programs to learn from, and the seed of the first
  held_out=100          generated programs for measuring, of the normal forms that training leaves out
  per_form=N            the most training programs of one normal form; forms ignore sizes, so without a limit a simple
                        form may occur a hundred times
  difficulty=mixed|0|1|2|3|4|5   5: few operations on about a million elements, for the mid-end
  families=NAME,…|all   generate programs of these families in turn, without a difficulty: activations, attention,
                        chains, convolutions, grouped_convolutions, losses, norms, pooling, products, reductions, scans,
                        softmaxes, transposed_convolutions
  problems=PLACE,…      real problems, whose train split is used; a PLACE is a JSONL file, a KernelBench checkout, a
                        folder of robust-kbench's tasks or of *.py files, or hub:OWNER/NAME
  ratio=0.8  split_seed=42   the share of training problems, and the seed, for sources without a split
  against=PLACE,…       evaluation problems; a PLACE may also be a file of TritonBench-G
  similarity=0.8        a program with at least this share of common shingles counts as a copy
  rungs=parse,compile,interpret   the rungs that both programs of a pair must pass
  answers=true|false    false: write tasks without answers (`after` is ""), for reinforcement learning; nothing is
                        verified, so this is several times as fast
  max_chars=N           leave out pairs with more characters
  max_mb=N              leave out programs whose inputs, state and outputs take more megabytes
  externs=true|false    false: leave out programs and answers that call library operators, which agents may not call
  tokenizer=MODEL       count tokens too: smollm, a folder, a *.gguf file, or the HUB-ID of a model on this machine
  workers=N  timeout_s=300  target=…  evaluator.seeds=3  import.shrink=auto|never|always
  lower=PASSES          frontend: the passes that make the answer; lower-inductor{written_out=true} writes products and
                        convolutions as sums, so that no answer calls a library
  starts=[…] search=[…] margin=1.05   mid-end: modules to make faster, pipelines to try, and the least speedup
  action=program|pipeline  trials=12  mid-end: answer with a program, or with the best of `trials` choices of passes

  kernelwright data kernelbench hub:ScalingIntelligence/KernelBench out=kernelbench.jsonl
  kernelwright data pairs count=2000 out=pairs.jsonl against=kernelbench.jsonl
  kernelwright data pairs families=all lower='lower-inductor{written_out=true,tiles=1}' count=32500 per_form=1
  kernelwright data rollouts policy=smollm suite=jsonl:pairs.jsonl n=8 out=rollouts.jsonl
  kernelwright data pairs stage=midend problems=KernelBench/level1 count=0 target=h100
  kernelwright data kernels model.py out=kernels.jsonl modes=train

Exit status: 0 done, 1 no pair, row or problem was made, 2 bad usage or input, 130 interrupted, 143 terminated.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kernelwright.driver.config.arguments import Arguments, Flag, check_program, whole_number
from kernelwright.driver.config.paths import check_new_file, check_replaced
from kernelwright.driver.extraction.modes import MODES
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import FRONTEND, write_text

if TYPE_CHECKING:  # Hydra is imported when all that needs no configuration is right
    from kernelwright.driver.benchmarking.settings import BenchSettings, RolloutsSchema
    from kernelwright.driver.pairs.settings import PairSettings

FLAGS: tuple[Flag, ...] = ()
ROOT = "data"
#: The configuration of each first word that has a configuration of its own.
ROOTS = {"rollouts": "rollouts"}


def check(arguments: Arguments) -> "PairSettings | BenchSettings[RolloutsSchema] | None":
    """What is asked for, None for `kernelbench` and `kernels`. Raises UserError, without torch, for what cannot be
    done."""
    if arguments.positional == ("rollouts",):
        return _check_rollouts(arguments)
    if arguments.positional[:1] == ("kernelbench",):
        out = _kernelbench_out(arguments)
        check_new_file(out, "out=")
        check_replaced(out, "out=", "problems of KernelBench", ("level", "problem_id", "code"))
        return None
    if arguments.positional[:1] == ("kernels",):
        kernels = _kernels_asked(arguments)
        check_new_file(kernels["out"], "out=")
        check_replaced(kernels["out"], "out=", "problems of kernels", ("id", "source", "provenance"))
        return None
    if arguments.positional != ("pairs",):
        given = " ".join(arguments.positional) or "nothing"
        raise UserError(
            f"data takes `pairs`, `rollouts`, `kernelbench` or `kernels`, got {given}; write `kernelwright data pairs "
            "key=value …`, `kernelwright data rollouts policy=NAME`, `kernelwright data kernelbench PLACE` or "
            "`kernelwright data kernels PROGRAM`"
        )
    from kernelwright.driver.pairs.settings import read_pair_settings

    settings = read_pair_settings(arguments.composed, arguments.root(ROOT))
    from kernelwright.driver.config.beginnings import check_places, check_tokenizer

    check_new_file(settings.out, "out=")
    check_replaced(settings.out, "out=", "pairs", ("stage", "before", "after"), without=("answer",))
    check_places(settings.problems, "problems=")
    check_places(settings.against, "against=")
    if settings.tokenizer is not None:
        check_tokenizer(settings.tokenizer)
    return settings


def run(arguments: Arguments) -> int:
    """Make what the first word asks for, print the summary."""
    settings = check(arguments)
    if settings is None:
        return _kernels(arguments) if arguments.positional[0] == "kernels" else _kernelbench(arguments)
    from kernelwright.driver.pairs.settings import PairSettings

    return _pairs(settings) if isinstance(settings, PairSettings) else _rollouts(settings)


def _check_rollouts(arguments: Arguments) -> "BenchSettings[RolloutsSchema]":
    from kernelwright.driver.benchmarking.settings import read_rollouts_settings

    settings = read_rollouts_settings(arguments.composed, arguments.root(ROOTS["rollouts"]))
    from kernelwright.driver.config.beginnings import check_answering, check_packages, check_places

    plain = settings.plain
    check_new_file(plain.out, "out=")
    check_replaced(plain.out, "out=", "rollouts", ("stage", "before", "answer"))
    check_packages(plain.policy)
    check_places([str(plain.problems.place)], "suite=")
    check_places(plain.against, "against=")
    check_answering(plain.policy)
    return settings


def _rollouts(settings: "BenchSettings[RolloutsSchema]") -> int:
    """Let the policy answer, print the summary."""
    from rich.console import Console

    from kernelwright.driver.benchmarking.rollouts import Rollouts

    summary = Rollouts(settings, Console(stderr=True)).run()
    sys.stdout.write(json.dumps(summary, indent=1) + "\n")
    return 0 if summary["rows"] else 1


def _pairs(settings: "PairSettings") -> int:
    """Make the pairs."""
    from rich.console import Console  # late, as what follows: what is wrong with arguments is told without torch

    from kernelwright.driver.pairs.making import PairRun, PairSet
    from kernelwright.driver.pairs.summary import summarize_pairs, token_counter

    count_tokens = None if settings.tokenizer is None else token_counter(settings.tokenizer)
    making = PairRun(settings)
    pipeline = str(settings.plan.lower) if settings.plan.stage == FRONTEND else "search"
    made = 0

    def report(found: PairSet) -> None:
        nonlocal made
        made = len(found.pairs)
        summary = json.dumps(summarize_pairs(found, making.size, pipeline, count_tokens), indent=1) + "\n"
        write_text(Path(f"{making.out}.summary.json"), summary)
        sys.stdout.write(summary)

    making.run(Console(stderr=True), report)
    return 0 if made else 1


def _kernelbench(arguments: Arguments) -> int:
    """Write the file, print how many problems each level has."""
    from kernelwright.rl.data.kernelbench_file import write_kernelbench

    out = _kernelbench_out(arguments)
    levels = write_kernelbench(arguments.positional[1], Path(out))
    sys.stdout.write(json.dumps({"out": out, **levels}) + "\n")
    return 0


#: What `data kernels` can be told, and what it does where it is told nothing.
_KERNELS = {"out": "kernels.jsonl", "modes": "eval,train", "seed": "0"}


def _kernels_asked(arguments: Arguments) -> dict[str, str]:
    """The program and the keys; UserError for anything else."""
    programs = arguments.positional[1:]
    if len(programs) != 1:
        given = f"got {' '.join(programs)}" if programs else "got none"
        raise UserError(f"data kernels takes one PROGRAM, a *.py file with Model and get_inputs, {given}")
    check_program(programs[0])
    asked = arguments.keys("data kernels", _KERNELS)
    wrong = next((mode for mode in asked["modes"].split(",") if mode not in MODES), None)
    if wrong is not None:
        raise UserError(f"modes={asked['modes']}: {wrong!r} is none of {', '.join(MODES)}")
    whole_number("seed", asked["seed"])
    return {**asked, "program": programs[0]}


def _kernels(arguments: Arguments) -> int:
    """Write the file, print how many kernels have a problem."""
    from rich.console import Console

    from kernelwright.driver.extraction.kernels_file import KernelsFile

    asked = _kernels_asked(arguments)
    modes = tuple(dict.fromkeys(asked["modes"].split(",")))
    made = KernelsFile(Path(asked["program"]), Path(asked["out"]), modes, int(asked["seed"])).write(
        Console(stderr=True)
    )
    sys.stdout.write(json.dumps(made) + "\n")
    return 0 if made["problems"] else 1


def _kernelbench_out(arguments: Arguments) -> str:
    """The file that is asked for; UserError for anything but one PLACE and out=FILE."""
    from kernelwright.rl.data.problems import KERNELBENCH_HUB

    places, out = arguments.positional[1:], "kernelbench.jsonl"
    if len(places) != 1:
        given = f"got {' '.join(places)}" if places else "got none"
        raise UserError(f"data kernelbench takes one PLACE, a KernelBench checkout or {KERNELBENCH_HUB}, {given}")
    for override in arguments.overrides:
        key, _, out = override.partition("=")
        if key != "out" or not out:
            raise UserError(f"data kernelbench takes out=FILE and nothing else, got {override}")
    return out
