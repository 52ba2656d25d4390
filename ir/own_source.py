"""A digest of this project's own code: what code found before it was changed does not count."""

import hashlib
from functools import cache
from importlib import resources
from pathlib import Path

#: The packages that judge and estimate.
JUDGING = ("agent", "backend", "evaluation", "ir")


@cache
def source_digest(*packages: str) -> str:
    """A SHA-256 digest, as hexadecimal digits, of all Python files of some of `kernelwright`'s packages."""
    found = hashlib.sha256()
    for package in packages:
        folder = Path(str(resources.files("kernelwright"))) / package
        for path in sorted(folder.rglob("*.py")):
            found.update(f"{package}/{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return found.hexdigest()
