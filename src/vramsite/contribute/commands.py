"""The contributor's commands. Each imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vramsite.contribute.terminal import DataDir, data_folder, fail, shown

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("fmt")
def fmt(
    data: DataDir = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if not.")] = False,
) -> None:
    """Bring all entries into form: keys in order, schema line; values and comments stay."""
    from vramsite.contribute.format_files import format_all

    folder = data_folder(data)
    result = format_all(folder, write=not check)
    for path in result.changed:
        typer.echo(f"{'not in form' if check else 'formatted'}: {shown(path)}")
    if result.unreadable:
        fail("\n".join(result.unreadable))
    if check and result.changed:
        fail(f"{len(result.changed)} files are not in form; run `vramsite fmt`")
    if not result.changed:
        typer.echo(f"{shown(folder)}: all files are in form")


@app.command("schema")
def schema(data: DataDir = None) -> None:
    """Write data/schema/ from the records; editors use it for help and checks while typing."""
    from vramsite.contribute.json_schema import write_schemas

    folder = data_folder(data)
    for path in write_schemas(folder):
        typer.echo(f"wrote {shown(path)}")
