"""The command line: one file a verb, and the only place where errors become exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from windowshop.cli.verbs import Verbs

VERBS = {
    "run": "Let an agent shop: the demo shop, a recording, or the live site. Always dry-run.",
    "replay": "Let agents shop on the pages of an earlier run or a recording; no socket is opened.",
    "show": "Show what the agent saw and did, step by step.",
    "status": "Say how a run stands: what is done, how it ended, what it took.",
    "diff": "Compare two runs: where the actions part, and what differed in the page.",
    "runs": "List the runs.",
    "record": "Keep the pages of a run under a name.",
    "recordings": "List, merge and import recordings.",
    "parse": "Print what a saved page says, as JSON.",
    "observe": "Print a saved page as the agent would read it.",
    "site": "Check whether a shop's layout has drifted; keep a page that could not be read.",
    "guard": "Ask the guard, put it to the test, or lend its wall to anyone's agent.",
    "score": "Score a run by the simulator's reward, component by component.",
    "label": "Score a run by hand, in the browser, alone or with others.",
    "judge": "Let a model judge a run, by DeepShop's protocol or WebJudge's.",
    "agreement": "Say how far annotators, and judges and people, agree.",
    "report": "Write what runs came to: a page to show, Markdown, JSON.",
    "view": "Serve the report's pages while a run goes on.",
    "tasks": "Import a benchmark's tasks, show them, and say what is wrong with a file.",
    "webmall": "Four shops to run WebMall's tasks in, and its figures of a run.",
    "shoppingbench": "Run and score ShoppingBench: tools over a catalogue, and samples to train on.",
    "export": "Write a run in other people's formats: il_trajs, chat samples, Online-Mind2Web, Parquet.",
    "env": "Serve the shop as an environment, under AgentGym's route names.",
    "mcp": "Give any MCP client the shop's read-only tools.",
    "sites": "List the sites, their marketplaces and hosts.",
    "doctor": "Check what is installed, and say how to mend what is not.",
    "accuracy": "Compare what the adapters read with hand-checked truth.",
    "conformance": "Compare our steps with those of the real simulator.",
}


class Windowshop(Verbs):
    """All verbs; their options can be set by environment, and errors become exit codes here alone."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a verb, or None where there is none of that name."""
        command = super().get_command(ctx, name)
        for option in command.params if command else ():
            if isinstance(option, click.Option):
                option.envvar = f"WINDOWSHOP_{name}_{flag(option)}".upper().replace("-", "_")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; turn windowshop's errors into one line and their exit code."""
        from windowshop.errors import WindowshopError

        try:
            return super().invoke(ctx)
        except WindowshopError as error:
            click.echo(f"windowshop: {error}", err=True)
            for note in getattr(error, "__notes__", []):
                click.echo(f"  {note}", err=True)
            ctx.exit(error.exit_code)


def flag(option: click.Parameter) -> str:
    """Return the long name under which the user knows an option, without dashes before it."""
    return max(option.opts, key=len).lstrip("-")


@click.command(
    cls=Windowshop,
    verbs=VERBS,
    module="windowshop.cli.{}",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every option can be set by environment: WINDOWSHOP_<VERB>_<OPTION>, for example "
    "WINDOWSHOP_RUN_SITE=ebay. Exit codes: 0 all well, 1 a threshold was missed or an agent failed, 2 usage, "
    "3 the site did not deliver or blocked us, 4 the guard refused, 5 a budget was spent, 6 not in the "
    "recording, 7 a page was not understood, 8 the run cannot be written, 130 interrupted.",
)
@click.version_option(package_name="windowshop")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    envvar="WINDOWSHOP_CONFIG",
    help="A TOML file, a table a verb.",
)
@click.option(
    "-v", "--verbose", count=True, envvar="WINDOWSHOP_VERBOSE", help="Log more (twice: everything)."
)
@click.option("-q", "--quiet", is_flag=True, envvar="WINDOWSHOP_QUIET", help="Log errors only.")
@click.pass_context
def group(ctx: click.Context, config: str | None, verbose: int, quiet: bool) -> None:
    """Shop on the real Amazon and eBay with agents trained in WebShop. Dry-run: look, choose, never buy."""
    ctx.ensure_object(dict)["log_level"] = "ERROR" if quiet else ("INFO", "DEBUG", "TRACE")[min(verbose, 2)]
    if config is not None:
        from windowshop.settings import load_settings

        settings = load_settings(config, {verb: _flags(ctx, verb) for verb in VERBS})
        ctx.default_map = {verb: _listed(ctx, verb, table) for verb, table in settings.items()}


def _flags(ctx: click.Context, verb: str) -> dict[str, str]:
    command = group.get_command(ctx, verb)
    options = command.params if command else ()
    return {flag(option): option.name for option in options if option.name is not None}


def _listed(ctx: click.Context, verb: str, table: dict[str, Any]) -> dict[str, Any]:
    """Return settings in which an option that is repeatable may stand once, without a list around it."""
    command = group.get_command(ctx, verb)
    repeatable = (
        {option.name for option in command.params if getattr(option, "multiple", False)} if command else ()
    )
    return {
        name: [value] if name in repeatable and isinstance(value, str) else value
        for name, value in table.items()
    }


def start_logging(ctx: click.Context) -> None:
    """Send the log to standard error, at the level that the user chose."""
    from loguru import logger

    logger.remove()
    logger.add(
        sys.stderr,
        level=ctx.obj["log_level"],
        format="<dim>{time:HH:mm:ss}</dim> {message}",
        backtrace=False,
        diagnose=False,
    )


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; an interrupt exits with 130."""
    try:
        code = group.main(args=args, prog_name="windowshop", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("windowshop: interrupted", err=True)
        code = 130
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
