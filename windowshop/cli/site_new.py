"""`windowshop site new`: begin an adapter for one more shop, as a package of its own."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template

import click

_TEMPLATES = {
    "{module}.py": "adapter.py.txt",
    "test_{module}.py": "test.py.txt",
    "pyproject.toml": "pyproject.toml.txt",
}


@click.command(name="new")
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="A new folder for the package [default: windowshop-NAME].",
)
def command(name: str, out: Path | None) -> None:
    """Write an adapter for the shop NAME: a package with its reader, its tests and a folder for its cases.

    It works at once on pages with the usual marks; docs/add-a-site.md goes on from there.

    Example: windowshop site new teashop
    """
    from windowshop.adapters import site_names
    from windowshop.errors import ConfigError, StorageError

    if re.fullmatch(r"[a-z][a-z0-9]{1,29}", name) is None:
        raise ConfigError(f"{name!r} cannot name a site: write 2 to 30 lower-case letters and digits")
    if name in site_names():
        raise ConfigError(f"there is a site {name!r} already: windowshop sites")
    package = f"windowshop-{name}"
    folder = out or Path(package)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty: name a new folder with --out")
    given = {"name": name, "package": package, "module": package.replace("-", "_")}
    try:
        (folder / "cases").mkdir(parents=True, exist_ok=True)
        for target, template in _TEMPLATES.items():
            text = (files("windowshop.cli") / "new_site" / template).read_text("utf-8")
            path = folder / target.format(**given)
            path.write_text(Template(text).substitute(given), "utf-8")
            click.echo(path)
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}") from error
    click.echo(
        f"\n1. pip install -e {folder}\n"
        f"2. change what is marked CHANGE in {given['module']}.py\n"
        f"3. windowshop site capture page.html --site {name} --url ADDRESS --out {folder}/cases/item\n"
        f"4. pytest {folder}"
    )
