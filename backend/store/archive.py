"""Entries in one file, for other machines: a ZIP archive with a text `DIGEST.json` for each of them."""

import re
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from kernelwright.backend.store.entry import Entry, OtherFormatError, digest_of
from kernelwright.ir.errors import UserError

#: The most that a text and an archive may hold, in bytes: what is bigger was not made by `store export`.
_TEXT_BYTES, _ARCHIVE_BYTES = 2**26, 2**30


def write_archive(entries: Iterable[Entry], path: Path) -> int:
    """Write entries to a file, whole or not at all, and return how many. The same entries give the same bytes.

    Where they came from and whether they are trusted is left out. Raises UserError where the file cannot be written.
    """
    shared = {one.digest: one for one in (replace(entry, origin="", trusted=True) for entry in entries)}
    if not shared:
        raise UserError("there is no entry to export")
    try:
        with NamedTemporaryFile(dir=path.absolute().parent, delete=False) as file:
            try:
                with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                    for digest, entry in sorted(shared.items()):
                        archive.writestr(zipfile.ZipInfo(f"{digest}.json"), entry.text, zipfile.ZIP_DEFLATED)
                file.close()
                Path(file.name).chmod(0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}); name another file") from None
    return len(shared)


def read_archive(path: Path) -> list[Entry]:
    """The entries in a file, each with the digest in its name. They say where they came from, and are not trusted.

    Raises UserError, which names the file and what is wrong, also where one entry of many is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            files = archive.infolist()
            if sum(one.file_size for one in files) > _ARCHIVE_BYTES:
                raise UserError(f"{path} is no archive of kernels: it holds more than {_ARCHIVE_BYTES >> 20} MiB")
            found = [_entry(archive, one, path) for one in files]
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; give a file that `kernelwright store export` wrote") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise UserError(f"{path} is no archive of kernels, or is damaged: {error}") from None
    return [replace(entry, origin=path.name, trusted=False) for entry in found]


def _entry(archive: zipfile.ZipFile, file: zipfile.ZipInfo, path: Path) -> Entry:
    match = re.fullmatch(r"([0-9a-f]{64})\.json", file.filename)
    if match is None or file.file_size > _TEXT_BYTES:
        raise UserError(f"{path} is no archive of kernels: it holds {file.filename!r}")
    try:
        text = archive.read(file).decode()
        if digest_of(text) != match[1]:
            raise ValueError("its content does not have the digest in its name")
        return Entry.parse(text)
    except OtherFormatError as error:
        raise UserError(f"{path}: entry {match[1][:12]} is not imported, nor any other: {error}") from None
    except ValueError as error:
        raise UserError(f"{path}: entry {match[1][:12]} is damaged ({error}); nothing is imported") from None
