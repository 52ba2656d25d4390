"""Loaders of problems: KernelBench, robust-kbench, TritonBench-G, and plain files. Nothing that they read is executed.

A place is a file, a folder, or `hub:OWNER/NAME` (a data set of the Hugging Face Hub); what it holds is seen from it:

    *.jsonl   rows of KernelBench {level, problem_id, name, code}, or plain ones {id, source} with split and provenance
    *.json    TritonBench-G's statistics or instructions: a list of {output, …}
    *.py      one program in KernelBench's format
    folder    a KernelBench checkout (level1/*.py, …), robust-kbench's tasks (…/func_forward.py), TritonBench-G's
              programs (TritonBench_G_v1*), else every *.py in it
"""

import ast
import importlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import Problem, read_lines

HUB = "hub:"
KERNELBENCH_HUB = "hub:ScalingIntelligence/KernelBench"

_NUMBERED = re.compile(r"(\d+)_.*")
_LEVEL = re.compile(r"level_?(\d+)")
_TRITON = "TritonBench_G_v1"
_HUB_SECONDS = 10


def load_problems(place: str | Path) -> tuple[Problem, ...]:
    """Every problem of a place, in an order that does not depend on the file system.

    Raises UserError for a place that is not there or holds none, for rows that lack something, and where two problems
    have one id.
    """
    where = str(place)
    found = tuple(_from_hub(where) if where.startswith(HUB) else _from_path(Path(place)))
    if not found:
        raise UserError(f"{where}: no problems there; {_FORMATS}")
    seen: set[str] = set()
    for problem in found:
        if problem.id in seen:
            raise UserError(f"{where}: the id {problem.id!r} occurs twice")
        seen.add(problem.id)
    return found


_FORMATS = (
    "give a JSONL file of rows {id, source} or {level, problem_id, name, code}, a KernelBench checkout, "
    "robust-kbench's tasks, TritonBench-G's data, *.py files, or hub:OWNER/NAME"
)


def check_place(place: str | Path) -> None:
    """UserError for a place that is not there, or a file of a kind that holds no problems; the Hub is not asked."""
    path = Path(place)
    if str(place).startswith(HUB) or path.is_dir():
        return
    if not path.is_file():
        raise UserError(f"{path}: no such file or folder; {_FORMATS}")
    if path.suffix not in (".jsonl", ".json", ".py"):
        raise UserError(f"{path}: a {path.suffix or 'file without a suffix'} holds no problems; {_FORMATS}")


def _from_path(path: Path) -> Iterable[Problem]:
    check_place(path)
    if path.is_dir():
        return _from_folder(path)
    loaders: Mapping[str, Callable[[Path], Iterable[Problem]]]
    loaders = {".jsonl": _from_jsonl, ".json": _from_triton_json, ".py": lambda file: [_program(file, file.stem)]}
    return loaders[path.suffix](path)


def _from_jsonl(path: Path) -> Iterator[Problem]:
    for number, content in read_lines(path):
        yield _row(content, f"{path}:{number}")


def _row(content: Mapping[str, Any], where: str) -> Problem:
    """A row of KernelBench, or a plain one."""
    if "problem_id" in content:
        level, number = content.get("level"), content["problem_id"]
        source = _text(content, "code", where)
        provenance = {"format": "kernelbench", "level": level, "name": str(content.get("name", ""))}
        return Problem(f"kernelbench/{level}/{number}", source, provenance, str(content.get("split", "")))
    provenance = content.get("provenance", {})
    if not isinstance(provenance, dict):
        raise UserError(f"{where}: provenance must be an object, not a {type(provenance).__name__}")
    return Problem(
        _text(content, "id", where), _text(content, "source", where), provenance, str(content.get("split", ""))
    )


def _text(content: Mapping[str, Any], key: str, where: str) -> str:
    value = content.get(key)
    if not isinstance(value, str) or not value:
        raise UserError(f"{where}: no text under {key!r} (keys: {', '.join(map(str, content)) or 'none'}); {_FORMATS}")
    return value


def _from_folder(folder: Path) -> Iterable[Problem]:
    root = folder / "KernelBench" if (folder / "KernelBench").is_dir() else folder
    if any(_LEVEL.fullmatch(path.name) for path in [root, *root.iterdir()]):
        return _from_checkout(root)
    tasks = sorted(folder.rglob("func_forward.py"))
    if tasks:
        return [_from_task(path.parent, folder) for path in tasks]
    if folder.name.startswith(_TRITON):
        return [_triton(_cut_test(_read(path)), path.stem, {}) for path in sorted(folder.glob("*.py"))]
    for place in (folder, folder / "data"):
        if (place / f"{_TRITON}.json").is_file():
            return _from_triton_json(place / f"{_TRITON}.json")
    return [_program(path, str(path.relative_to(folder).with_suffix(""))) for path in sorted(folder.rglob("*.py"))]


def _from_checkout(root: Path) -> Iterator[Problem]:
    """KernelBench's own layout: a folder a level, `<problem_id>_<name>.py` in it."""
    folders = [root] if _LEVEL.fullmatch(root.name) else sorted(path for path in root.iterdir() if path.is_dir())
    for folder in folders:
        level = _LEVEL.fullmatch(folder.name)
        numbered = [(path, _NUMBERED.fullmatch(path.stem)) for path in folder.glob("*.py")]
        for path, number in sorted(((p, n) for p, n in numbered if n), key=lambda pair: (int(pair[1][1]), pair[0])):
            if level:
                provenance = {"format": "kernelbench", "level": int(level[1]), "name": path.name}
                yield Problem(f"kernelbench/{level[1]}/{number[1]}", _read(path), provenance)


def _program(path: Path, name: str) -> Problem:
    return Problem(name, _read(path), {"format": "kernelbench", "name": path.name})


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {getattr(error, 'strerror', None) or 'not a text file'}") from error


def _from_task(folder: Path, root: Path) -> Problem:
    """A task of robust-kbench in KernelBench's format.

    Its `get_inputs` and `Model` take keywords whose values the first of each list in `config_forward.json` gives
    (`single_input_configs`, `single_init_configs`, and `single_shared_configs`, which go to both and win).
    """
    path = folder / "config_forward.json"
    config = _json(path) if path.is_file() else {}
    if not isinstance(config, dict):
        raise UserError(f"{path}: expected an object of configurations, got a list")
    inputs, init, shared = (_first(config, f"single_{kind}_configs", path) for kind in ("input", "init", "shared"))
    source = _as_kernelbench(_read(folder / "func_forward.py"), {**inputs, **shared}, {**init, **shared})
    name = str(folder.relative_to(root)) if folder != root else folder.name
    return Problem(f"robust-kbench/{name}", source, {"format": "robust-kbench", "name": name})


def _first(config: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    found = config.get(key) or [{}]
    if not isinstance(found, list) or not isinstance(found[0], dict):
        raise UserError(f"{path}: {key!r} is not a list of objects")
    return found[0]


def _as_kernelbench(source: str, inputs: Mapping[str, Any], init: Mapping[str, Any]) -> str:
    """The file with its settings as module-level names, where sizes can be found and made smaller."""
    shared = {**inputs, **{key: value for key, value in init.items() if inputs.get(key, value) == value}}
    lines = [f"{key} = {value!r}" for key, value in shared.items()]
    given = ", ".join(f"{key}={key}" for key in inputs)
    keywords = ", ".join(f"{key!r}: {key if shared[key] == value else repr(value)}" for key, value in init.items())
    functions = _functions(source)
    if "get_inputs" in functions:
        lines += ["make_inputs = get_inputs", "", "", "def get_inputs():", f"    return make_inputs({given})"]
    lines += ["", "", "def get_init_inputs():", f"    return [[], {{{keywords}}}]"]
    return source.rstrip("\n") + "\n\n\n" + "\n".join(lines) + "\n"


def _functions(source: str) -> set[str]:
    try:
        return {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    except SyntaxError:  # whoever runs it will say so
        return set()


def _json(path: Path) -> Any:
    try:
        return json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not JSON: {error}") from error


def _from_triton_json(path: Path) -> Iterator[Problem]:
    """TritonBench-G: `output` is a Triton program, `file` its name; instructions in `simp_instru`, `comp_instru` (or
    `instruction`). There is no PyTorch reference, so that these serve to decontaminate, not to work on."""
    rows = _json(path)
    if not isinstance(rows, list):
        raise UserError(f"{path}: no list of problems; {_FORMATS}")
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise UserError(f"{path}: item {index} is not an object; {_FORMATS}")
        name = Path(str(row.get("file") or index)).stem
        keys = ("repo", "difficulty", "simp_instru", "comp_instru", "instruction")
        yield _triton(_text(row, "output", f"{path}: item {index}"), name, {k: row[k] for k in keys if k in row})


def _triton(source: str, name: str, provenance: Mapping[str, Any]) -> Problem:
    return Problem(f"tritonbench-g/{name}", source, {"format": "tritonbench-g", **provenance})


def _cut_test(text: str) -> str:
    """What stands above the line of `#` that separates a program of TritonBench-G from its test."""
    return re.split(r"(?m)^#{20,}\s*$", text, maxsplit=1)[0]


@contextmanager
def _asking_once(name: str, datasets: Any) -> Iterator[None]:
    """Ask the Hub's libraries, which are silent meanwhile. Where the Hub does not answer at once they are offline: they
    take a copy on this machine, and do not try for half a minute."""
    hub = importlib.import_module("huggingface_hub")  # datasets needs it
    loggers = [logging.getLogger(one) for one in ("huggingface_hub", "datasets", "urllib3", "httpx", "httpx2")]
    levels, offline = (
        [logger.level for logger in loggers],
        (hub.constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE),
    )
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        try:
            hub.HfApi().dataset_info(name, timeout=_HUB_SECONDS)
        except (hub.errors.HfHubHTTPError, hub.errors.HFValidationError):  # it answers; what it says is told below
            pass
        except Exception:  # noqa: BLE001 - which errors a network has depends on the library's version
            hub.constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = True
        yield
    finally:
        hub.constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE = offline
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _from_hub(where: str) -> Iterator[Problem]:
    """A data set with KernelBench's columns; its splits are levels, not training and test."""
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise UserError(
            f"{where}: datasets is not installed: pip install 'kernelwright[hub]'; or give a file or a folder"
        ) from error
    try:
        with _asking_once(where.removeprefix(HUB), datasets):
            found = datasets.load_dataset(where.removeprefix(HUB))
        rows = [(split, dict(row)) for split in sorted(found) for row in found[split]]
    except (ConnectionError, TimeoutError) as error:
        raise UserError(
            f"{where}: the Hugging Face Hub cannot be reached, and no copy is on this machine; connect to a network, "
            "or give a file or a folder instead"
        ) from error
    except Exception as error:
        raise UserError(
            f"{where}: cannot be loaded ({type(error).__name__}); give a file or a folder instead"
        ) from error
    for index, (split, row) in enumerate(rows):
        yield _row(row, f"{where}: {split} row {index}")
