"""Every task of DeepShop, ShoppingBench and WebMall by a model's agent, with a scripted model behind it.

python bench/scripted_model.py BENCHMARKS        # a folder with deepshop/, shoppingbench/ and webmall/

The model answers over HTTP, from the prompt alone and by a few rules: so the numbers are the rules' own. What
they show is that the whole way holds, from a task file to its benchmark's table, for anyone's model.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from click.testing import CliRunner  # noqa: E402
from model_server import ModelServer, Turn, says  # noqa: E402
from shoppingbench import goods  # noqa: E402

from windowshop.cli import group  # noqa: E402
from windowshop.demo.woo import Mall  # noqa: E402
from windowshop.demo.woo_goods import load_goods  # noqa: E402
from windowshop.tasks.load import load_tasks  # noqa: E402
from windowshop.tools.catalogue import build_catalogue  # noqa: E402
from windowshop.tools.rule import RuleToolAgent  # noqa: E402

_INSTRUCTION = re.compile(r"Instruction:\s*(.+)")
_CHROME = ("click[back to search]", "click[next >]", "click[< prev]", "click[shop")
_ENDS = ("click[buy now]", "click[add to answer]")
_WORDS = 8


def answer(body: dict[str, Any]) -> Turn:
    """Answer as the model: a judge's question, a tool agent's turn, or a page of a shop."""
    system, last = str(body["messages"][0]["content"]), str(body["messages"][-1]["content"])
    if "SUCCESS" in system:
        return says("The facts name what was asked for.\nSUCCESS")
    if "<tool_call>" in system:
        return says(RuleToolAgent().turn(system, last))
    actions = last.partition("Available actions:\n")[2].splitlines()
    return says(f"Thought: by rule.\nAction: {_next(last, actions, body['messages'])}")


def _next(page: str, actions: list[str], messages: list[dict[str, Any]]) -> str:
    """Search for the first words, open the first product, and end with it."""
    done = [str(message["content"]) for message in messages if message["role"] == "assistant"]
    if any("click[add to answer]" in said for said in done) and "click[submit answer]" in actions:
        return "click[submit answer]"
    for end in _ENDS:
        if end in actions:
            return end
    if any(action.startswith("search[") for action in actions) and len(done) < 2:
        said = _INSTRUCTION.search(page)
        return f"search[{' '.join(re.findall(r'[A-Za-z0-9-]+', said[1] if said else page)[:_WORDS])}]"
    products = [one for one in actions if one.startswith("click[") and not one.startswith(_CHROME[:3])]
    return products[0] if products else "click[back to search]"


def verb(*words: str | Path) -> str:
    result = CliRunner().invoke(group, [str(word) for word in words])
    if result.exit_code not in (0, 1):
        raise SystemExit(f"windowshop {' '.join(map(str, words))}: {result.output[-800:]}")
    return result.output


def deepshop(tasks: Path, place: Path) -> str:
    out = place / "deepshop"
    model = ("--agent", "llm", "--model", "scripted", "--transport", "http", "--workers", "4")
    verb("run", "--tasks", tasks, "--site", "amazon", *model, "--out", out)
    return verb("judge", out, "--model", "scripted", "--text-only").splitlines()[-2]


def shoppingbench(files: list[Path], place: Path) -> str:
    records = [task.goal or {} for file in files for task in load_tasks(file)]
    build_catalogue(goods(records), place / "catalogue")
    shown = []
    for file in files:
        out, common = place / file.name, ("--tasks", file, "--catalogue", place / "catalogue")
        verb("shoppingbench", "run", *common, "--agent", "llm", "--model", "scripted", "-o", out)
        rows = verb("shoppingbench", "score", out, *common).splitlines()
        shown.append(next(row for row in rows if "│" in row))
    return "\n".join(shown)


def webmall(tasks: Path, exports: list[Path], place: Path) -> str:
    with Mall([load_goods(path) for path in exports]) as mall:
        policy = place / "shops.toml"
        tables = (f'[[shop]]\nurl = "{url}"\nallow = ["cart", "checkout"]\n' for url in mall.addresses)
        policy.write_text("".join(tables))
        where = ("--site", "webmall", "--base-url", ",".join(mall.addresses), "--sandbox", policy)
        model = ("--agent", "llm", "--model", "scripted", "--max-steps", "15")
        verb("run", "--tasks", tasks, *where, *model, "--out", place / "webmall")
        return verb("webmall", "score", place / "webmall")


def main(folder: str) -> None:
    data = Path(folder)
    with ModelServer(answer) as server, tempfile.TemporaryDirectory() as place:
        os.environ |= {"WINDOWSHOP_LLM_BASE_URL": server.url, "WINDOWSHOP_LLM_API_KEY": "sk-none"}
        print(deepshop(data / "deepshop/deepshop.jsonl", Path(place)), flush=True)
        print(shoppingbench(sorted(data.glob("shoppingbench/synthesize_*.jsonl")), Path(place)), flush=True)
        exports = sorted(data.glob("webmall/product_data_*.csv"))
        print(webmall(data / "webmall/task_sets.json", exports, Path(place)), flush=True)
        print(f"{len(server.asked)} calls to the model")


if __name__ == "__main__":
    main(*sys.argv[1:])
