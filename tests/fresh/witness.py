"""Show that each attack is wrong: run reference and candidate on the inputs of its `witness.py`.

    python tests/fresh/witness.py [NAME ...]
    FRESH_ATTACKS=tests/fresh/second/attacks python tests/fresh/witness.py [NAME ...]

The second command is for the attacks of another folder.

A `witness.py` defines `inputs(reference)`, which returns a list of inputs within the contract, and perhaps
`prepare(model)`, which gives both models the same weights; or it defines `show(reference, candidate)`, which returns
what is expected and what the candidate gives. The candidate's kernels run in Triton's interpreter on the CPU.
"""

import importlib.util
import multiprocessing
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType

os.environ["TRITON_INTERPRET"] = "1"

import torch

ATTACKS = Path(os.environ.get("FRESH_ATTACKS") or Path(__file__).parent / "attacks")
CLEAR = 0.01  # the relative error of an element that counts as a clear difference


def load(path: Path) -> ModuleType:
    """Import one file of an attack under a name of its own."""
    name = f"fresh_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def copies(value: object) -> object:
    """Copy the tensors in nested lists; strides stay."""
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype).copy_(value)
    return [copies(one) for one in value] if isinstance(value, list) else value


def models(reference: ModuleType, candidate: ModuleType, prepare=None):
    """Build the reference's model and the candidate's, a function or a module with the same weights."""
    torch.manual_seed(0)
    model = reference.Model(*reference.get_init_inputs())
    if prepare is not None:
        prepare(model)
    if not hasattr(candidate, "ModelNew"):
        return model, candidate.forward
    torch.manual_seed(0)
    new = candidate.ModelNew(*reference.get_init_inputs())
    new.load_state_dict(model.state_dict(), strict=False)
    for (name, old), (other, fresh) in zip(model.named_buffers(), new.named_buffers(), strict=False):
        if name == other:
            fresh.copy_(old)
    return model, new.train(model.training)


def outcome(reference: ModuleType, candidate: ModuleType, witness: ModuleType):
    """Return what reference and candidate give, inputs and buffers after the call included."""
    if hasattr(witness, "show"):
        return witness.show(reference, candidate)
    one, other = models(reference, candidate, getattr(witness, "prepare", None))
    given = witness.inputs(reference)
    first, second = copies(given), copies(given)
    with torch.no_grad():
        expected, got = one(*first), other(*second)
    states = [list(x.buffers()) if isinstance(x, torch.nn.Module) else [] for x in (one, other)]
    return [expected, first, states[0]], [got, second, states[1] if states[1] else states[0]]


def differs(expected: object, got: object, clear: float = CLEAR) -> str:
    """Say where two nested results differ clearly, or return an empty text."""
    if isinstance(expected, torch.Tensor):
        return tensors_differ(expected, got, clear)
    if type(expected) is not type(got):
        return f"{type(expected).__name__} is expected, and {type(got).__name__} is returned"
    if isinstance(expected, (list, tuple)):
        if len(expected) != len(got):
            return f"{len(expected)} values are expected, and {len(got)} are returned"
        return next((said for pair in zip(expected, got, strict=True) if (said := differs(*pair, clear))), "")
    if isinstance(expected, dict):
        return differs([list(expected), list(expected.values())], [list(got), list(got.values())], clear)
    return "" if expected == got else f"{expected!r} is expected, and {got!r} is returned"


def tensors_differ(expected: torch.Tensor, got: object, clear: float) -> str:
    """Say which element of two tensors differs clearly, or return an empty text."""
    if not isinstance(got, torch.Tensor):
        return f"a tensor is expected, and {type(got).__name__} is returned"
    if (expected.shape, expected.dtype) != (got.shape, got.dtype):
        return f"{expected.dtype} {list(expected.shape)} is expected, and {got.dtype} {list(got.shape)} is returned"
    one, other = expected.detach().flatten(), got.detach().flatten()
    if not expected.dtype.is_floating_point:
        wrong = one != other
    else:
        one, other = one.double(), other.double()
        size = torch.maximum(one.abs(), other.abs()).nan_to_num(posinf=0.0)
        same = (one == other) | (one.isnan() & other.isnan())
        wrong = ~same & ~((one - other).abs() <= clear * size)
    if not wrong.any():
        return ""
    at = int(wrong.nonzero()[0])
    return f"element {at}: {one[at].item()} is expected, and {other[at].item()} is returned"


def shown(name: str) -> tuple[str, str]:
    """Return the attack's name and the difference that its witness shows, or why it shows none."""
    folder = ATTACKS / name
    try:
        parts = [load(folder / f"{part}.py") for part in ("reference", "candidate", "witness")]
        said = differs(*outcome(*parts), getattr(parts[2], "CLEAR", CLEAR))
    except Exception:  # noqa: BLE001 - a candidate may raise anything
        return name, "no difference: " + traceback.format_exc()
    return name, "differs: " + said if said else "no difference"


def main() -> int:
    """Run the witnesses of the named attacks, or of all."""
    names = sys.argv[1:] or sorted(one.name for one in ATTACKS.iterdir() if one.is_dir())
    failed = 0
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        for name, said in pool.imap(shown, names, chunksize=1):
            print(f"{name}: {said}", flush=True)  # noqa: T201
            failed += not said.startswith("differs")
    print(f"{len(names) - failed} of {len(names)} witnesses show a difference")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
