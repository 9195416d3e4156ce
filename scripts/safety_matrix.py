"""Write docs/safety.md: every known threat, what stops it, the tests that show it, and what they find.

    python scripts/safety_matrix.py           # write it
    python scripts/safety_matrix.py --check   # fail where it is stale

Addresses are judged here and now; a test is named only where it is there to be run.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs/safety.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

HEAD = """# What the guard is known to stop

{count} ways past a naive guard, each with what stops it here and what shows that. The addresses are judged
when this page is written (`python scripts/safety_matrix.py`), and a test fails when the page is stale, a
row is missing or a test that it names is gone. How the layers work: [the guard](design/guard.md).

- **refused** and **intercepted** are equally closed: nothing leaves. Intercepted requests are recorded as
  purchases.
- `never.*` rules hold whatever a site's adapter claims to read; the others are the default: what nothing
  allows is refused.
- Each layer of the policy is needed: `tests/threats/test_layers.py` takes them off one by one, and each
  time a threat comes through. `tests/threats/test_mutations.py` spells what is refused in 100,000 other
  ways, of which none is let out, and finds each layer that is taken off.
- {vectors} ways out of a browser are tried in the installed Chromium, with scripts and without, and without
  the guard as well, where they do arrive (`tests/test_guard_vectors.py`; on any machine: `windowshop guard
  test`).

Ask for any address yourself: `windowshop guard check URL`.
"""
URLS = "tests/threats/test_refusals.py::test_it_stays_here_by_its_rule"
BROWSER = "tests/test_guard_vectors.py::test_every_vector_reaches_the_shop_without_the_guard_and_none_with_it"


@cache
def _policy(site: str) -> Any:
    from windowshop.adapters import load_site
    from windowshop.safety.policy import policy_for

    return policy_for(site, "us", tuple(load_site(site).readable))


@cache
def tests_in(file: str) -> frozenset[str]:
    """Name the tests that stand in a file."""
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def missing_tests() -> list[str]:
    """Name the tests that a row points at and that are not there."""
    from threats.rows import ROWS

    return [f"{row.id}: {test}" for row in ROWS for test in _named(row) if not _is_there(test)]


def _named(row: Any) -> list[str]:
    own = [*([URLS] if row.cases else []), *([BROWSER] if _vectors(row) else [])]
    return [*own, *row.tests]


def _vectors(row: Any) -> list[str]:
    from windowshop.demo.hostile_vectors import VECTORS

    return [vector.name for vector in VECTORS if vector.threat == row.id]


def _is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return (ROOT / file).is_file() and name.partition("[")[0] in tests_in(file)


def _result(row: Any) -> str:
    """Say what the policy makes of a row's addresses, and what its tests show."""
    from windowshop.safety.policy import judge

    found: Counter[str] = Counter()
    for case in row.cases:
        decision = judge(_policy(case.site), case.url, case.method, case.resource)
        verdict = {"refuse": "refused", "intercept": "intercepted", "allow": "allowed"}[decision.verdict]
        found[f"{verdict} `{decision.rule}`"] += 1
    told = [f"{text} ({count})" if count > 1 else text for text, count in found.items()]
    tried = _vectors(row)
    if tried:
        told.append(f"{len(tried)} in a browser, 0 arrive: {', '.join(tried)}")
    return "; ".join([*(told or ["does not happen"]), *([row.why] if row.why else [])])


def _tests(row: Any) -> str:
    return "<br>".join(f"`{test.removeprefix('tests/')}`" for test in _named(row))


def page() -> str:
    """Return the whole page."""
    from threats.rows import ROWS, TITLES

    from windowshop.demo.hostile_vectors import VECTORS

    parts = [HEAD.format(count=len(ROWS), vectors=len(VECTORS))]
    for family, title in TITLES.items():
        parts.append(
            f"\n## {family}. {title}\n\n| | what | layer | result | tests |\n|---|---|---|---|---|\n"
        )
        for row in ROWS:
            if row.id.rstrip("0123456789") == family:
                parts.append(f"| {row.id} | {row.what} | {row.layer} | {_result(row)} | {_tests(row)} |\n")
    return "".join(parts)


def main() -> int:
    """Write the page, or with --check say whether it is stale."""
    missing = missing_tests()
    if missing:
        print("rows point at tests that are not there:", *missing, sep="\n  ", file=sys.stderr)
        return 1
    text = page()
    if "--check" in sys.argv[1:]:
        fresh = TARGET.exists() and TARGET.read_text("utf-8") == text
        print("docs/safety.md is " + ("fresh" if fresh else "stale: run python scripts/safety_matrix.py"))
        return 0 if fresh else 1
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
