"""What the commands of this package share: finding the catalog, ending with a message."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

DataDir = Annotated[Path | None, typer.Option("--data", help="Catalog folder (default: data/).")]


def fail(message: str) -> NoReturn:
    """Say what is wrong on standard error and end with status 1."""
    typer.echo(message, err=True)
    raise typer.Exit(1)


def data_folder(data: Path | None) -> Path:
    """The folder of the catalog; ends with a message where there is none."""
    from vramsite.site.spec import SpecError, project_root

    if data is not None:
        if not data.is_dir():
            fail(f"{data}: no such folder; --data must name a catalog folder like data/")
        return data
    try:
        return project_root() / "data"
    except SpecError as error:
        fail(str(error))


def open_catalog(data_dir: Path) -> Catalog:
    """The checked catalog; ends with all faults where it has some."""
    from vramsite.catalog import CatalogError, load_catalog

    try:
        return load_catalog(data_dir)
    except CatalogError as error:
        for fault in error.faults:
            typer.echo(str(fault), err=True)
        fail(f"{len(error.faults)} faults in the catalog; put them right first")


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
