"""Write the README's table of figures anew from what the two commands measure.

python bench/readme.py ../shared            # rewrites README.md between its two marks
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from windowshop.cli import group

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN, END = "<!-- figures: bench/readme.py -->", "<!-- end of figures -->"
FIELDS = {
    "results": ("tile", "tile.title", "tile.price", "tile.sponsored", "page", "has_next"),
    "item": (
        *("title", "price", "currency", "list_price", "rating", "review_count", "brand", "bullets"),
        *("options", "selected_options", "in_stock", "breadcrumbs"),
    ),
}


def run(*args: str | Path) -> Any:
    """Run a verb and return its JSON."""
    return json.loads(CliRunner().invoke(group, [*map(str, args), "--json"]).stdout)


def figures(shared: Path) -> str:
    """Return the table: steps identical to the simulator's, and field values read right."""
    golden, pages = shared / "golden", shared / "pages"
    tables = ("--products", golden / "products_loaded.json", "--prices", golden / "product_prices.json")
    lines = ["| against the real simulator | steps identical |", "|---|---|"]
    for mode in ("text", "text_rich", "url"):
        row = run("conformance", golden / f"{mode}.jsonl", *tables)["files"][0]
        lines.append(f"| `{mode}` | {row['identical']} of {row['steps']} |")
    rows = run("accuracy", pages)["rows"]
    lines += ["", "| on real pages | Amazon | eBay |", "|---|---|---|"]
    lines.append(_line("kind of page", [row for row in rows if row["field"] == "kind"]))
    for kind, fields in FIELDS.items():
        for field in fields:
            lines.append(
                _line(f"{kind}: {field}", [r for r in rows if (r["kind"], r["field"]) == (kind, field)])
            )
    lines.append(_line("**all fields**", rows))
    return "\n".join(lines)


def _line(name: str, rows: list[dict[str, Any]]) -> str:
    cells = []
    for site in ("amazon", "ebay"):
        count: Counter[str] = Counter()
        for row in rows:
            if row["group"] == site:
                count.update({key: row[key] for key in ("right", "wrong", "missing", "invented")})
        total = sum(count.values())
        share = f"{100 * count['right'] / total:.1f} % of {total}" if total else "-"
        cells.append(f"{share}, {count['invented']} invented" if count["invented"] else share)
    return f"| {name} | {cells[0]} | {cells[1]} |"


def main(shared: Path) -> None:
    """Rewrite the README between its marks."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n{figures(shared)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
