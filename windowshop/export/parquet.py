"""Two tables: `steps.parquet`, a row a step, and `episodes.parquet`, a row an episode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from windowshop.episodes import EpisodeResult, Step
from windowshop.errors import ConfigError
from windowshop.export.record import Played

_STEP = (
    *("episode", "step", "action", "decision", "note", "observation", "state_url", "url", "page_digest"),
    *("screenshot", "done", "visits", "bytes", "credits", "tokens", "cost", "at", "seconds", "agent_seconds"),
)


def write(episodes: Iterator[Played], run: Path, out: Path) -> int:
    """Write both tables into the folder `out`; unknown is null. Raises `ConfigError` without pyarrow."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise ConfigError("Parquet needs pyarrow: pip install 'windowshop[export]'") from None
    text, number, whole = arrow.string(), arrow.float64(), arrow.int64()
    at, flag, texts = arrow.timestamp("us", tz="UTC"), arrow.bool_(), arrow.list_(arrow.string())
    kinds = {
        **dict.fromkeys(("step", "visits", "bytes", "tokens"), whole),
        **dict.fromkeys(("credits", "cost", "seconds", "agent_seconds"), number),
        "at": at,
        "done": flag,
    }
    steps = arrow.schema(
        [*((name, kinds.get(name, text)) for name in _STEP), ("has_search_bar", flag), ("clickables", texts)]
    )
    ends = arrow.schema(
        [
            *((name, text) for name in ("episode", "task", "instruction", "goal", "site", "locale", "agent")),
            *(("repeat", whole), ("outcome", text), ("reason", text), ("steps", whole), ("visits", whole)),
            *(
                ("seconds", number),
                ("item_id", text),
                ("variant_id", text),
                ("title", text),
                ("options", text),
            ),
            *(("price", number), ("price_high", number), ("currency", text), ("url", text)),
        ]
    )
    out.mkdir(parents=True, exist_ok=True)
    count = 0
    with (
        parquet.ParquetWriter(out / "steps.parquet", steps) as step_table,
        parquet.ParquetWriter(out / "episodes.parquet", ends) as episode_table,
    ):
        for episode in episodes:
            rows = [_step(step) for step in episode.steps]
            step_table.write_table(arrow.Table.from_pylist(rows, schema=steps))
            episode_table.write_table(arrow.Table.from_pylist([_end(episode.result)], schema=ends))
            count += 1
    return count


def _step(step: Step) -> dict[str, Any]:
    return {
        **step.model_dump(include=set(_STEP)),
        "has_search_bar": step.available_actions.has_search_bar,
        "clickables": list(step.available_actions.clickables),
    }


def _end(result: EpisodeResult) -> dict[str, Any]:
    row: dict[str, Any] = result.model_dump(
        include={
            "episode",
            "site",
            "locale",
            "agent",
            "repeat",
            "outcome",
            "reason",
            "steps",
            "visits",
            "seconds",
        }
    )
    task, intent = result.task, result.intent
    goal = None if task.goal is None else json.dumps(task.goal, ensure_ascii=False)
    row |= {"task": task.id, "instruction": task.instruction, "goal": goal}
    if intent is not None:
        price = intent.unit_price
        row |= intent.model_dump(include={"item_id", "variant_id", "title", "currency", "url"})
        row["options"] = json.dumps({**intent.options, **intent.chosen}, ensure_ascii=False)
        row |= {"price": price.amount, "price_high": price.high} if price else {}
    return row
