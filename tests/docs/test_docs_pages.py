"""What README and the documentation say stays true: figures, the picture, links, and a site that builds."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


@pytest.mark.parametrize(
    "script", ["-m benchmarks.pages.quote", "-m benchmarks.pages.pipeline_picture", "docs/configuration_page.py"]
)
def test_generated_parts_are_those_of_the_results_and_of_the_code(script: str) -> None:
    checked = subprocess.run([sys.executable, *script.split(), "--check"], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_figures_that_drifted_are_told() -> None:
    filled = runpy.run_path(str(BENCHMARKS / "pages" / "quote.py"))["filled"]
    text = "a\n<!-- figures: kernelbench -->\nold\n<!-- end of figures -->\nb\n"
    assert "| Inductor | " in filled(text) and "old" not in filled(text)
    assert filled(filled(text)) == filled(text)
    with pytest.raises(KeyError, match="none-such"):
        filled(text.replace("kernelbench", "none-such"))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text("utf-8"))
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert not missing


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_nobody(tmp_path: Path) -> None:
    """`--strict` fails for a link or an anchor that leads nowhere, and for a name that the reference lacks."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert "estimate_eager_us" in (tmp_path / "reference.html").read_text("utf-8")
    fetched = [
        (page.name, url)
        for page in pages
        for url in re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?://[^\"]+)", page.read_text("utf-8"))
    ]
    assert not fetched
