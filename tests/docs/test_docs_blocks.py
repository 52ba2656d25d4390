"""Every block of README and of the documentation runs from its own text, page by page in a fresh checkout."""

import re
from pathlib import Path

import pytest
from doc_blocks import ROOT, Block, BlockError, alike, console_steps, make_checkout, read_blocks, run_block

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_BLOCKS = {page: read_blocks(page.read_text("utf-8")) for page in PAGES}
#: Blocks that need a GPU, a network or more than two minutes, and run in another way here.
MOST_MARKS = 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page, blocks in WITH_BLOCKS.items() if blocks], ids=lambda page: str(page.relative_to(ROOT))
)
def test_blocks_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_checkout(tmp_path)
    if any(block.file for block in WITH_BLOCKS[page]):
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # the environment's package is this checkout, not its copy
    for block in WITH_BLOCKS[page]:
        try:
            run_block(block, tmp_path)
        except BlockError as error:
            pytest.fail(f"{page.relative_to(ROOT)}:{block.line}: {error}", pytrace=False)


def test_few_blocks_are_marked() -> None:
    marked = [(page.name, block.line) for page, blocks in WITH_BLOCKS.items() for block in blocks if block.instead]
    assert 0 < len(marked) <= MOST_MARKS, marked


def test_every_mark_belongs_to_a_block() -> None:
    for page, blocks in WITH_BLOCKS.items():
        marks = re.findall(r"^<!-- (?:run|file):", page.read_text("utf-8"), re.MULTILINE)
        assert len(marks) == sum((block.instead or block.file) is not None for block in blocks), page


def test_readme_is_short_and_begins_with_two_commands() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 130
    assert max(map(len, lines)) <= 120
    first = "\n".join(lines[:40])
    assert "\nmake demo" in first and "\nmake test" in first


def test_commands_of_a_page_keep_to_folders_of_their_own() -> None:
    """No two commands of a page write to one run folder."""
    for page, blocks in WITH_BLOCKS.items():
        words = [word for block in blocks for word in block.text.split() if word.startswith("out=")]
        assert len(words) == len(set(words)), (page, words)


TEXT = """
```sh
echo first
```

<!-- run:
echo other
-->
```sh
exit 1
```

```text
echo no block
```

1. A list

   ```python
   print("indented")
   ```
"""


def test_blocks_are_found_with_their_marks() -> None:
    assert read_blocks(TEXT) == [
        Block("sh", "echo first\n", 2),
        Block("sh", "exit 1\n", 9, "echo other"),
        Block("python", 'print("indented")\n', 19),
    ]


def test_what_a_block_does_is_checked(tmp_path: Path) -> None:
    for block in read_blocks(TEXT):
        run_block(block, tmp_path)
    run_block(Block("python", "whole = 1\n", 1, file="kept.py"), tmp_path)
    assert (tmp_path / "kept.py").read_text("utf-8") == "whole = 1\n"
    with pytest.raises(BlockError, match="status 3"):
        run_block(Block("sh", "false || true\nexit 3\n", 1), tmp_path)
    with pytest.raises(BlockError, match="ZeroDivisionError"):
        run_block(Block("python", "1 / 0\n", 1), tmp_path)
    run_block(Block("console", "$ echo 12 s   done; echo more >&2\n3 s done\nmore\n", 1), tmp_path)
    run_block(Block("console", "$ echo kernelwright opt: starting, 2 s so far; echo done\ndone\n", 1), tmp_path)
    with pytest.raises(BlockError, match="the page says:\ndone"):
        run_block(Block("console", "$ echo undone\ndone\n", 1), tmp_path)


def test_outputs_are_alike_up_to_numbers_and_skipped_lines() -> None:
    assert alike("took 3.2 s\n...\nend\n", "took   14.75 s\nmore\nlines\nend\n")
    assert not alike("took 3.2 s\nend\n", "took 14.75 s\nmore\nend\n")
    assert not alike("ok@interpret", "mismatch@interpret")
    assert console_steps("$ a \\\n> b\nout\n$ c\n") == [("a \\\nb", "out\n"), ("c", "")]
