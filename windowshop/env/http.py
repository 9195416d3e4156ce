"""The environment over HTTP, under AgentGym's route names; for this machine's own programs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

try:
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Route
except ImportError:
    from windowshop.errors import ConfigError

    raise ConfigError("serving needs Starlette: pip install 'windowshop[serve]'") from None

from pydantic import BaseModel, ValidationError

from windowshop.env.messages import (
    AvailableActionsResponse,
    CloseQuery,
    CloseResponse,
    CreateQuery,
    ResetQuery,
    StateResponse,
    StepQuery,
    StepResponse,
)
from windowshop.env.openapi import describe, page
from windowshop.env.pool import Pool
from windowshop.env.text import WebAgentTextEnv
from windowshop.errors import BudgetSpent, ConfigError, WindowshopError

MAX_BODY = 1 << 20
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

Endpoint = Callable[[Request], Awaitable[Response]]
Query = TypeVar("Query", bound=BaseModel)


def make_app(pool: Pool, hosts: frozenset[str] = LOOPBACK) -> Starlette:
    """Return the application. It answers under the names `hosts`: others are another site's."""

    async def ok(request: Request) -> Response:
        return JSONResponse("ok")

    async def list_envs(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(pool.numbers))

    async def create(request: Request) -> Response:
        query = await _body(request, CreateQuery, may_be_empty=True)
        return JSONResponse(await run_in_threadpool(pool.create, query.session_id, query.instruction))

    async def step(request: Request) -> Response:
        return _json(await run_in_threadpool(_step, pool, await _body(request, StepQuery)))

    async def reset(request: Request) -> Response:
        query = await _body(request, ResetQuery)
        return JSONResponse([await run_in_threadpool(_reset, pool, query), None])

    async def close(request: Request) -> Response:
        query = await _body(request, CloseQuery)
        return _json(CloseResponse(closed=await run_in_threadpool(pool.close, query.env_idx)))

    def look(what: Callable[[WebAgentTextEnv], Any]) -> Endpoint:
        def seen(number: int) -> Any:
            with pool.lend(number) as env:
                return what(env)

        async def endpoint(request: Request) -> Response:
            found = await run_in_threadpool(seen, _number(request))
            return _json(found) if isinstance(found, BaseModel) else JSONResponse(found)

        return endpoint

    async def openapi(request: Request) -> Response:
        return JSONResponse(describe())

    async def docs(request: Request) -> Response:
        return HTMLResponse(page(describe()))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(pool.close_all)

    app = Starlette(
        routes=[
            Route("/", _guarded(ok, hosts)),
            Route("/list_envs", _guarded(list_envs, hosts)),
            Route("/create", _guarded(create, hosts), methods=["POST"]),
            Route("/step", _guarded(step, hosts), methods=["POST"]),
            Route("/reset", _guarded(reset, hosts), methods=["POST"]),
            Route("/close", _guarded(close, hosts), methods=["POST"]),
            Route("/observation", _guarded(look(lambda env: env.observation), hosts)),
            Route("/available_actions", _guarded(look(_actions), hosts)),
            Route("/instruction_text", _guarded(look(lambda env: env.get_instruction_text()), hosts)),
            Route("/state", _guarded(look(lambda env: StateResponse(**env.state)), hosts)),
            Route("/openapi.json", _guarded(openapi, hosts)),
            Route("/docs", _guarded(docs, hosts)),
        ],
        exception_handlers={HTTPException: _http_problem},  # type: ignore[dict-item]
        lifespan=lifespan,
    )
    return app


def _guarded(endpoint: Endpoint, hosts: frozenset[str]) -> Endpoint:
    """Answer this machine's programs alone: not a web page that got here by a name of its own."""

    async def answer(request: Request) -> Response:
        origin = request.headers.get("origin")
        names = [request.url.hostname, *([_host(origin)] if origin else [])]
        if any(name not in hosts for name in names):
            return _problem(HTTPStatus.FORBIDDEN, "only programs on this machine are answered")
        try:
            return await endpoint(request)
        except BudgetSpent as error:
            return _problem(HTTPStatus.TOO_MANY_REQUESTS, str(error))
        except ConfigError as error:
            return _problem(HTTPStatus.NOT_FOUND, str(error))
        except WindowshopError as error:
            return _problem(HTTPStatus.BAD_GATEWAY, f"{error.outcome}: {error}")

    return answer


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).hostname
    except ValueError:
        return None


def _actions(env: WebAgentTextEnv) -> AvailableActionsResponse:
    return AvailableActionsResponse(**env.get_available_actions())


def _step(pool: Pool, query: StepQuery) -> StepResponse:
    with pool.lend(query.env_idx) as env:
        state, reward, done, info = env.step(query.action)
    if info is not None:
        purchase = info["purchase"]
        info = {**info, "purchase": purchase and purchase.model_dump(mode="json")}
    return StepResponse(state=state, reward=reward, done=done, info=info)


def _reset(pool: Pool, query: ResetQuery) -> str:
    with pool.lend(query.env_idx) as env:
        if query.instruction is not None:
            return env.ask(query.instruction)
        return env.reset(session=query.session_id)[0]


async def _body(request: Request, kind: type[Query], may_be_empty: bool = False) -> Query:
    """Read a JSON object; a web page's form, which needs no permission to be sent here, is not one."""
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BODY:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {MAX_BODY} bytes")
    kind_of_body = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if (raw or not may_be_empty) and kind_of_body != "application/json":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json")
    try:
        return kind.model_validate_json(bytes(raw) or b"{}")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, f"{where}: {first['msg']}") from None


def _number(request: Request) -> int:
    raw = request.query_params.get("env_idx", "")
    try:
        return CloseQuery.model_validate_json(f'{{"env_idx": {raw if raw.isdecimal() else "null"}}}').env_idx
    except ValidationError as error:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, f"env_idx: {error.errors()[0]['msg']}") from None


def _json(message: BaseModel) -> Response:
    return Response(message.model_dump_json(), media_type="application/json")


def _problem(status: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status)


async def _http_problem(request: Request, error: HTTPException) -> Response:
    response = _problem(error.status_code, error.detail)
    response.headers.update(error.headers or {})
    return response
