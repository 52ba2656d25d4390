"""Turn a trained adapter into the one that ships: bfloat16 weights, a plain configuration, a model card.

usage: ship_adapter.py ADAPTER OUT_FOLDER [--results RESULTS.json --data TEXT --trained TEXT]

RESULTS.json comes from `benchmarks/agents/agents.py` or, for the mid-end's agent, from
`benchmarks/agents/midend_agents.py`. The card's figures are read from it.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import FRONTEND, MIDEND
from kernelwright.serve.adapters import adapter_rank

LIMIT = 12_000_000
CARD = """# {name}: a LoRA adapter of SmolLM2-135M-Instruct

{use} with `policy=smollm`. Every answer is verified before it is used.

Base model: SmolLM2-135M-Instruct (Apache-2.0), `kernelwright model fetch smollm`. The adapter is under this package's
licence.

## Data

{data}

## Training

{trained}

## Figures

{figures}

## Limits

{limits}
"""
USE = {
    FRONTEND: "The agent writes the Triton program for a PyTorch program: `fe-agent{{adapter=frontend,form={form}}}`",
    MIDEND: "The agent chooses passes for a Triton program: `me-agent{{adapter=midend,action=pipeline,form={form}}}`",
}
LIMITS = {
    FRONTEND: """\
The adapter was trained on generated programs of one or two small float operations, without matrix products and
convolutions, at fixed sizes of at most a few thousand elements. Its answers have at most a few hundred tokens. On other
programs most of its answers are wrong: see KernelBench above. Training rewarded correctness only, and the speed of the
adapter's kernels was not measured. The figures come from the interpreter, not from a GPU.""",
    MIDEND: """\
The adapter was trained on generated programs that Inductor lowered. It sees the program and no times, so its choice is
a guess. `pipeline=search` uses a cost model or a GPU; it takes longer and finds faster kernels.""",
}


def figures(results: dict[str, Any]) -> str:
    """What a run found, as tables, and how."""
    caliber, sampling = results["caliber"], results["sampling"]
    versions = ", ".join(f"{name} {version}" for name, version in caliber["versions"].items() if version)
    lines = [
        f"On {caliber['device']} ({versions}). Judged: {caliber['judged']}. {sampling['n']} answers per problem at",
        f"temperature {sampling['temperature']:g}, of at most {sampling['max_tokens']} tokens each. Intervals are 95%.",
        "",
        *(rates(results) if "rates" in results else speedups(results)),
    ]
    return "\n".join([*lines, "", f"Command: `{caliber['command']}`"])


def speedups(results: dict[str, Any]) -> Iterator[str]:
    """Of mid-end agents, over the module that was given, and over one another."""
    for part in ("speedups", "quotients"):
        yield from (f"| {part} | modules | single attempt | best of {results['sampling']['n']} |", "|---|---|---|---|")
        for key, entry in results[part].items():
            if not {"single", "best"} & set(entry):
                continue
            modules = str(entry.get("modules", ""))
            yield f"| {key} | {modules} | {_text(entry.get('single'))} | {_text(entry.get('best'))} |"
        yield ""


def rates(results: dict[str, Any]) -> Iterator[str]:
    """How often answers of frontend agents are right."""
    yield from ("| what | problems | single attempt | pass@k | cheats |", "|---|---|---|---|---|")
    for key, entry in results["rates"].items():
        at = next((value for name, value in entry.items() if name.startswith("pass@")), None)
        yield f"| {key} | {entry['problems']} | {_text(entry['single'])} | {_text(at)} | {_text(entry['cheat'])} |"
    if results["differences"]:
        yield from ("", "| difference | problems | single attempt | errors removed |", "|---|---|---|---|")
    for key, entry in results["differences"].items():
        yield f"| {key} | {entry['problems']} | {_text(entry['single'])} | {_text(entry['errors_removed'])} |"


def _text(value: list[float] | None) -> str:
    return "" if value is None else "{:.3f} [{:.3f}, {:.3f}]".format(*value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--data", default="")
    parser.add_argument("--trained", default="")
    given = parser.parse_args()
    form, stage, results = "", FRONTEND, {}
    try:
        adapter_rank(given.adapter)
        if given.results:
            results = json.loads(given.results.read_text("utf-8"))
            forms = [arm["form"] for arm in results["caliber"]["arms"].values() if arm["adapter"]]
            if not forms:
                raise UserError(f"--results {given.results}: no arm there has an adapter")
            form, stage = forms[-1], FRONTEND if "rates" in results else MIDEND
    except (UserError, OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    given.out.mkdir(parents=True, exist_ok=True)
    weights = load_file(given.adapter / "adapter_model.safetensors")
    low = {name: value.to(torch.bfloat16).contiguous() for name, value in weights.items()}
    save_file(low, given.out / "adapter_model.safetensors", metadata={"format": "pt"})
    config = json.loads((given.adapter / "adapter_config.json").read_text("utf-8"))
    config |= {"base_model_name_or_path": "smollm", "inference_mode": True}
    config["target_modules"].sort()  # PEFT writes a set
    (given.out / "adapter_config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n", "utf-8")
    if results:
        card = CARD.format(
            name=given.out.name,
            use=USE[stage].format(form=form),
            data=given.data,
            trained=given.trained,
            figures=figures(results).strip(),
            limits=LIMITS[stage],
        )
        (given.out / "README.md").write_text(card, "utf-8")
    size = (given.out / "adapter_model.safetensors").stat().st_size
    sys.stdout.write(f"{given.out}: {size / 1e6:.1f} MB\n")
    if size > LIMIT:
        sys.exit(f"more than the {LIMIT / 1e6:.0f} MB that are shipped")


if __name__ == "__main__":
    main()
