"""The description of the HTTP environment, made from its messages."""

from __future__ import annotations

from html import escape
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from windowshop.env.messages import (
    AvailableActionsResponse,
    CloseQuery,
    CloseResponse,
    CreateQuery,
    Problem,
    ResetQuery,
    StateResponse,
    StepQuery,
    StepResponse,
)
from windowshop.version import __version__

_MODELS: tuple[type[BaseModel], ...] = (
    AvailableActionsResponse,
    CloseQuery,
    CloseResponse,
    CreateQuery,
    Problem,
    ResetQuery,
    StateResponse,
    StepQuery,
    StepResponse,
)
_REF = "#/components/schemas/{model}"
_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
_PROBLEMS = {
    "403": "Not from this machine.",
    "404": "There is no such session, or no such goal.",
    "413": "The body is too long.",
    "415": "The body is not JSON.",
    "422": "The message is not understood.",
    "429": "Too many sessions are open.",
    "502": "The shop cannot be opened.",
}


def describe() -> dict[str, Any]:
    """Return the OpenAPI document."""
    _, schemas = models_json_schema([(model, "validation") for model in _MODELS], ref_template=_REF)
    reset = {"type": "array", "items": {"type": ["string", "null"]}, "minItems": 2, "maxItems": 2}
    session = ("404",)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "windowshop environment",
            "version": __version__,
            "description": "A shop as WebShop's text environment. Dry-run: a purchase is recorded, not made.",
        },
        "paths": {
            "/": _get("Say that the server is there.", {"const": "ok"}),
            "/list_envs": _get("List the open sessions.", {"type": "array", "items": _NUMBER}),
            "/create": _post("Open a session.", CreateQuery, _NUMBER, ("404", "429", "502"), False),
            "/step": _post("Do one action.", StepQuery, _ref(StepResponse), (*session, "502")),
            "/reset": _post(
                "Begin an episode: its first state, and null.", ResetQuery, reset, (*session, "502")
            ),
            "/close": _post("End a session.", CloseQuery, _ref(CloseResponse), ()),
            "/observation": _look("Look again, without the memory of a step.", _TEXT),
            "/available_actions": _look("List what can be done.", _ref(AvailableActionsResponse)),
            "/instruction_text": _look("Read the instruction.", _TEXT),
            "/state": _look("Read the address, the page and the instruction.", _ref(StateResponse)),
        },
        "components": {"schemas": schemas["$defs"]},
    }


def page(described: dict[str, Any]) -> str:
    """Return the description as a page that needs nothing from elsewhere."""
    rows = "".join(
        f"<tr><td><code>{method.upper()} {escape(path)}</code></td><td>{escape(entry['summary'])}</td>"
        f"<td>{escape(_takes(entry))}</td><td>{escape(', '.join(entry['responses']))}</td></tr>"
        for path, methods in described["paths"].items()
        for method, entry in methods.items()
    )
    title = escape(described["info"]["title"])
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>'
        f"<h1>{title}</h1><p>{escape(described['info']['description'])} "
        '<a href="/openapi.json">openapi.json</a></p><table><thead><tr><th>call</th><th>does</th>'
        f"<th>takes</th><th>answers</th></tr></thead><tbody>{rows}</tbody></table></body></html>"
    )


def _get(summary: str, schema: dict[str, Any], problems: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"get": {"summary": summary, "responses": _responses(schema, ("403", *problems))}}


def _look(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    entry = _get(summary, schema, ("404", "422"))
    parameter = {"name": "env_idx", "in": "query", "required": True, "schema": _NUMBER}
    return {"get": {**entry["get"], "parameters": [parameter]}}


def _post(
    summary: str,
    query: type[BaseModel],
    schema: dict[str, Any],
    problems: tuple[str, ...],
    required: bool = True,
) -> dict[str, Any]:
    body = {"required": required, "content": {"application/json": {"schema": _ref(query)}}}
    responses = _responses(schema, ("403", "413", "415", "422", *problems))
    return {"post": {"summary": summary, "requestBody": body, "responses": responses}}


def _responses(schema: dict[str, Any], problems: tuple[str, ...]) -> dict[str, Any]:
    well = {"200": {"description": "Done.", "content": {"application/json": {"schema": schema}}}}
    failed = {
        code: {"description": _PROBLEMS[code], "content": {"application/json": {"schema": _ref(Problem)}}}
        for code in sorted(problems)
    }
    return {**well, **failed}


def _ref(model: type[BaseModel]) -> dict[str, Any]:
    return {"$ref": _REF.format(model=model.__name__)}


def _takes(entry: dict[str, Any]) -> str:
    if "requestBody" in entry:
        reference: str = entry["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        return reference.rpartition("/")[2]
    return ", ".join(parameter["name"] for parameter in entry.get("parameters", ()))
