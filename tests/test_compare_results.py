"""What counts as right on a page of results: its tiles, and what it says of the list itself."""

from __future__ import annotations

from typing import Any

from windowshop.scoring.accuracy import compare


def price(amount: float) -> dict[str, Any]:
    return {"amount": amount, "high": None, "currency": "USD", "text": None}


def tile(item_id: str, **fields: Any) -> dict[str, Any]:
    return {"item_id": item_id, "title": "Lamp", "price": price(5.0), "sponsored": None, **fields}


def result(item_id: str, **fields: Any) -> dict[str, Any]:
    return {"item_id": item_id, "title": "Lamp", "price": 5.0, "sponsored": None, **fields}


def results(tiles: list[dict[str, Any]], truths: list[dict[str, Any]], **truth: Any) -> dict[str, list[str]]:
    page = {
        "kind": "results",
        "query": "lamp",
        "page": 1,
        "has_next": False,
        "total_text": None,
        "tiles": tiles,
    }
    found: dict[str, list[str]] = {}
    for verdict in compare(page, {"kind": "results", "results": truths, **truth}):
        found.setdefault(verdict.field, []).append(verdict.verdict)
    return found


def test_tiles_are_found_missing_or_invented() -> None:
    found = results([tile("1"), tile("3")], [result("1"), result("2")], n_results=2)
    assert found["tile"] == ["right", "missing", "invented"]
    assert found["tile.title"] == ["right"]
    assert found["tile.price"] == ["right"]
    assert found["n_results"] == ["right"]


def test_an_item_shown_twice_is_two_tiles() -> None:
    truths = [result("1", sponsored=True), result("1", sponsored=False)]
    twice = results([tile("1", sponsored=True), tile("1", sponsored=False)], truths)
    assert twice["tile"] == ["right", "right"]
    assert twice["tile.sponsored"] == ["right", "right"]
    assert results([tile("1")], truths)["tile"] == ["right", "missing"]
    assert results([tile("1"), tile("1")], truths[:1])["tile"] == ["right", "invented"]


def test_a_hidden_sponsored_label_is_left_out() -> None:
    assert "tile.sponsored" not in results([tile("1", sponsored=True)], [result("1")])
    said = results([tile("1", sponsored=None)], [result("1", sponsored=True)])
    assert said["tile.sponsored"] == ["missing"]


def test_a_tile_may_accept_readings_of_its_own() -> None:
    truths = [result("1", price=None, accept={"price": [None, 6.0]})]
    assert results([tile("1", price=price(6.0))], truths)["tile.price"] == ["right"]
    assert results([tile("1", price=None)], truths)["tile.price"] == ["none"]


def test_the_list_itself_is_compared() -> None:
    truth = {"query": "Lamp", "page": 2, "has_next": False, "total_text": "1 result"}
    found = results([], [], **truth)
    assert [found[field] for field in truth] == [["right"], ["wrong"], ["right"], ["missing"]]
