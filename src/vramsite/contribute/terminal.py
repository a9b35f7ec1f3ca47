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
    """The checked catalog without files that are still TODO; ends with faults where it has some."""
    from vramsite.catalog.catalog import read_catalog

    catalog, faults = read_catalog(data_dir)
    # Files that are still being filled in must not keep anybody from beginning another.
    faults = [fault for fault in faults if "is still TODO" not in fault.message]
    if catalog is None or faults:
        for fault in faults:
            typer.echo(str(fault), err=True)
        fail(f"{len(faults)} faults in the catalog; put them right first")
    return catalog


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
