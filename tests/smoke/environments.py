"""Builds the wheel and the sdist, installs them in environments of their own, and runs the smoke suite there.

    python tests/smoke/environments.py shared 3.7.1 3.8.0    # Triton releases, over this interpreter's packages
    python tests/smoke/environments.py fresh 2.14.1 2.15.0   # torch releases with all that pip installs for them

A shared environment takes everything but Triton and Kernelwright from the interpreter that runs this, by links. The
first has what Kernelwright needs and no extra; the others have the extra `train` as well. Wheel and sdist take turns.
"""

import argparse
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
SMOKE = Path(__file__).with_name("smoke.py")
#: The runner's own needs.
RUNNER = ("pytest",)


def main() -> int:
    """Run the suite in each environment; 0 where it passes in all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("shared", "fresh"))
    parser.add_argument("versions", nargs="+")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kernelwright-smoke-") as folder:
        place = Path(folder)
        built = build(place)
        failed = []
        for number, version in enumerate(given.versions):
            python, extras = place / version / "bin" / "python", ["train"] if number or given.kind == "fresh" else []
            run(sys.executable, "-m", "venv", "--without-pip", str(place / version))
            package = built[number % len(built)]
            if given.kind == "shared":
                link_packages(site_packages(place / version), extras)
                pip(python, "--no-build-isolation", "--no-deps", f"triton=={version}", str(package))
            else:
                pip(python, f"{package}[{','.join(extras)}]", f"torch=={version}", *RUNNER)
            if smoke(python, place / f"in-{version}", "train" if extras else "base", package.name):
                failed.append(version)
            shutil.rmtree(place / version)
    if failed:
        sys.stdout.write(f"the smoke suite fails with {', '.join(failed)}\n")
    return 1 if failed else 0


def build(place: Path) -> list[Path]:
    """The wheel that is built from the checkout, and the sdist; the checkout stays as it is."""
    made, source = place / "dist", place / "source"
    made.mkdir()
    kept_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.egg-info", "build", "dist", "runs")
    shutil.copytree(ROOT, source, symlinks=True, ignore=kept_out)
    script = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    run(sys.executable, "-c", script, str(made), cwd=source)
    wheel = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(made), str(source)]
    run(sys.executable, "-m", "pip", *wheel)
    return [*made.glob("*.whl"), *made.glob("*.tar.gz")]


def pip(python: Path, *words: str) -> None:
    """Install into another environment."""
    run(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile", *words)


def site_packages(environment: Path) -> Path:
    """Where an environment's packages lie."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return environment / "lib" / version / "site-packages"


def link_packages(target: Path, extras: Sequence[str]) -> None:
    """Link what Kernelwright needs, with these extras, out of this interpreter's packages; Triton is left out."""
    for distribution in needed(extras):
        for file in distribution.files or ():
            top = file.parts[0]
            source, link = Path(str(distribution.locate_file(top))), target / top
            if top not in ("..", "__pycache__") and source.exists() and not link.exists():
                link.symlink_to(source)


def needed(extras: Sequence[str]) -> Iterator[importlib.metadata.Distribution]:
    """The distributions that are installed for Kernelwright and the runner, each once."""
    from packaging.requirements import Requirement

    waiting = [Requirement(f"kernelwright[{','.join(extras)}]"), *map(Requirement, RUNNER)]
    seen: set[tuple[str, str]] = set()
    found: set[str] = {"kernelwright", "triton"}
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if name not in found:
            found.add(name)
            yield distribution
        for extra in ("", *wanted.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            every = map(Requirement, distribution.requires or ())
            waiting += [one for one in every if one.marker is None or one.marker.evaluate({"extra": extra})]


def smoke(python: Path, folder: Path, extras: str, package: str) -> int:
    """Run the suite from another folder; the exit status."""
    folder.mkdir()
    shutil.copy(SMOKE, folder)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    gpu: needs a CUDA device\n")
    script = "import torch, triton; print('torch', torch.__version__, 'triton', triton.__version__)"
    versions = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True).stdout.strip()
    sys.stdout.write(f"== {package} with {versions}, {extras}\n")
    sys.stdout.flush()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["KERNELWRIGHT_SMOKE"] = f"installed,{extras}"
    words = [python, "-m", "pytest", "-q", "-W", "ignore", "--durations=5", SMOKE.name]
    return subprocess.run(words, cwd=folder, env=environment).returncode


def run(*words: str, cwd: Path | None = None) -> None:
    """Run a command; its output is shown where it fails, which ends everything."""
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
