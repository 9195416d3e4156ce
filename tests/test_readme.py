"""The README tells the truth: its figures, its verbs, its options."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from click.testing import CliRunner

from windowshop.cli import VERBS, group

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_figures_are_those_that_the_commands_print(shared: Path) -> None:
    spec = importlib.util.spec_from_file_location("readme", ROOT / "bench/readme.py")
    assert spec is not None
    assert spec.loader is not None
    readme = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(readme)
    assert readme.figures(shared) in README, "a figure changed: python bench/readme.py ../shared"


def test_every_verb_and_option_that_is_shown_exists() -> None:
    shown = re.findall(r"windowshop ((?:--config \S+ )?)([a-z]+)([^#\n`]*)", README)
    assert {verb for _, verb, _ in shown} & set(VERBS)
    for _, verb, rest in shown:
        if verb in VERBS:
            words = [verb, rest.split()[0]] if verb in ("guard", "site", "tasks") else [verb]
            said = CliRunner().invoke(group, [*words, "--help"]).stdout
            for option in re.findall(r"(--[a-z-]+)", rest):
                assert option in said, f"windowshop {verb} has no {option}"


def test_every_verb_has_a_help_page_that_names_it() -> None:
    for verb in VERBS:
        result = CliRunner().invoke(group, [verb, "--help"])
        assert result.exit_code == 0, verb
        assert len(result.stdout.splitlines()) > 5


def test_every_page_that_is_linked_is_there() -> None:
    for link in re.findall(r"\]\(((?!http)[^)#]+)", README):
        assert (ROOT / link).exists(), link
