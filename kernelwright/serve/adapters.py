"""LoRA adapters as policies keep them: checked, numbered, and copied so that nobody changes them underneath."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright.backend.scratch import Scratch
from kernelwright.ir.errors import UserError
from kernelwright.serve.optional import require

_CONFIG = "adapter_config.json"
_WEIGHTS = ("adapter_model.safetensors", "adapter_model.bin")
#: How the adapters that come with this package are named: `shipped:frontend`.
_SHIPPED, _SHELF = "shipped:", Path(__file__).parent / "shipped"


@dataclass(frozen=True)
class Adapter:
    """One state of an adapter: the `number`-th that a policy loaded, of any name; `label` is never used twice."""

    name: str
    number: int
    folder: Path

    @property
    def label(self) -> str:
        return f"{self.name}@{self.number}"

    @property
    def config(self) -> dict[str, Any]:
        """What peft says of it."""
        return adapter_config(self.folder)


def adapter_folder(place: str) -> Path:
    """The folder of an adapter: a path, or `shipped:NAME`. Raises UserError for a name that is not shipped."""
    if not place.startswith(_SHIPPED):
        return Path(place)
    folder = _SHELF / place.removeprefix(_SHIPPED)
    if not (folder / _CONFIG).is_file():
        known = ", ".join(sorted(path.parent.name for path in _SHELF.glob(f"*/{_CONFIG}"))) or "none"
        raise UserError(f"no adapter {place} comes with this package (there: {known}); give its folder")
    return folder


def adapter_config(folder: Path) -> dict[str, Any]:
    """What peft says of the adapter in a folder. Raises UserError for a folder without one."""
    try:
        found: dict[str, Any] = json.loads((folder / _CONFIG).read_text())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"no LoRA adapter in {folder}: {_CONFIG}: {reason}") from None
    return found


def adapter_rank(folder: Path) -> int:
    """The largest rank of the LoRA adapter in a folder as peft saves it.

    Raises UserError for a folder without an adapter, for an adapter that is not LoRA, and for a damaged file.
    """
    config = adapter_config(folder)
    if not any((folder / name).is_file() for name in _WEIGHTS):
        raise UserError(f"no LoRA adapter in {folder}: it has no {_WEIGHTS[0]}")
    if config.get("peft_type") != "LORA":
        raise UserError(f"the adapter in {folder} is not a LoRA adapter but {config.get('peft_type')}")
    _check_whole(folder / _WEIGHTS[0])
    ranks: list[int] = [config.get("r", 0), *(config.get("rank_pattern") or {}).values()]
    return max(ranks)


def _check_whole(path: Path) -> None:
    """UserError for a file of safetensors that was cut; what it holds is not read. A file that is not there is none."""
    if not path.is_file():
        return
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        try:
            header = json.loads(file.read(min(length, size)))
            ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
            whole = size == 8 + length + max(ends, default=0)
        except (ValueError, LookupError, TypeError, AttributeError):
            whole = False
    if not whole:
        raise UserError(f"{path} is damaged, for example copied in part; copy the adapter again")


def adapter_weights(folder: Path) -> tuple[dict[str, Any], dict[str, str] | None]:
    """The tensors of the LoRA adapter in a folder by name, and their file's metadata.

    Raises UserError as `adapter_rank`, and for weights that are not in safetensors or cannot be read.
    """
    adapter_rank(folder)
    path = folder / _WEIGHTS[0]
    if not path.is_file():
        raise UserError(f"the adapter in {folder} is not in safetensors")
    safetensors = require("safetensors", "train")
    try:
        with safetensors.safe_open(path, "pt") as stream:
            return {name: stream.get_tensor(name) for name in stream.keys()}, stream.metadata()  # noqa: SIM118 - no dict
    except (OSError, safetensors.SafetensorError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error


def write_adapter(target: Path, weights: dict[str, Any], like: Path, metadata: dict[str, str] | None) -> None:
    """Write an adapter that has other weights than that in `like`, and is as that one else."""
    target.mkdir(parents=True, exist_ok=True)
    require("safetensors.torch", "train").save_file(weights, target / _WEIGHTS[0], metadata)
    shutil.copyfile(like / _CONFIG, target / _CONFIG)


class AdapterShelf:
    """The adapters of one policy, by name; holds copies of their folders until `close`.

    Copies, because engines read a folder again whenever they need its weights, and a trainer writes the next state
    into the same one.
    """

    def __init__(self) -> None:
        self._scratch = Scratch("adapters")
        self._current: dict[str, Adapter] = {}
        self._count = 0

    def copy(self, name: str, folder: Path) -> Adapter:
        """The next state of an adapter, not yet current. Raises UserError for a folder without an adapter."""
        if not name or any(character in name for character in "@/ "):
            raise UserError(f"`{name}` cannot name an adapter")
        adapter_rank(folder)
        self._count += 1
        target = self._scratch.folder / f"{name}-{self._count}"
        target.mkdir()
        for file in (_CONFIG, *_WEIGHTS):
            if (folder / file).is_file():
                shutil.copyfile(folder / file, target / file)
        return Adapter(name, self._count, target)

    def put(self, adapter: Adapter) -> Adapter | None:
        """Make a state the current one; the one before, whose folder is `drop`'s to remove."""
        before = self._current.get(adapter.name)
        self._current[adapter.name] = adapter
        return before

    def drop(self, adapter: Adapter) -> None:
        """Forget a state that is not current."""
        shutil.rmtree(adapter.folder, ignore_errors=True)

    def find(self, name: str) -> Adapter | None:
        """The current state of an adapter, None if it was never loaded."""
        return self._current.get(name)

    def size(self) -> int:
        """How many adapters there are."""
        return len(self._current)

    def get(self, name: str | None) -> Adapter | None:
        """The current state of an adapter, None for the base. Raises UserError for a name that was never loaded."""
        if name is None:
            return None
        if name not in self._current:
            known = ", ".join(sorted(self._current)) or "none"
            raise UserError(f"no adapter `{name}` is loaded (loaded: {known})")
        return self._current[name]

    def close(self) -> None:
        self._scratch.close()


def version(base: str, adapter: Adapter | None) -> str:
    """What `Completion.version` says: `smollm`, or `smollm+frontend@3`."""
    return base if adapter is None else f"{base}+{adapter.label}"
