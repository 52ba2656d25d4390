"""Arguments and exit status that the campaigns of this folder share."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from kernelwright.driver.campaigns.campaign import Campaign
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.ir.errors import UserError


def campaign_parser(description: str | None, out: str, timeout_s: float) -> argparse.ArgumentParser:
    """A parser with the arguments of every campaign."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/kernelbench", out))
    parser.add_argument("--timeout", type=float, default=timeout_s, help="seconds for one program")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--resume", action="store_true", help="keep the results that OUT has")
    parser.add_argument("--again", default="", help="with --resume: statuses to try again, such as timeout,crash")
    parser.add_argument("--standalone", action="store_true", help="also run each emitted file by itself")
    parser.add_argument("overrides", nargs="*")
    return parser


def run_campaign(
    arguments: argparse.Namespace, name: str, overrides: Sequence[str], read: Callable[[], list[Program]]
) -> int:
    """Run the campaign; 0 if every program is verified, 1 if not, 2 for bad arguments."""
    console = Console(stderr=True)
    discover()
    again = frozenset(filter(None, arguments.again.split(",")))
    try:
        settings = read_settings(name, [*overrides, *arguments.overrides])
        campaign = Campaign(
            arguments.out, settings, arguments.timeout, arguments.standalone, arguments.resume, arguments.jobs, again
        )
        summary = campaign.run(read(), console)["summary"]
    except (UserError, OSError, ValueError, KeyError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 2
    print(json.dumps(summary, indent=1))
    return 0 if summary["verified"] == summary["programs"] else 1
