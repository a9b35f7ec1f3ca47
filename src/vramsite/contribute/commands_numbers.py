"""The commands about numbers: what changes, what was measured, what a device costs an hour."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vramsite.contribute.commands import app
from vramsite.contribute.terminal import DataDir, data_folder, fail, open_catalog, shown


@app.command("diff")
def diff_command(
    base: Annotated[str, typer.Argument(help="A git revision, a checkout, or a data folder.")],
    data: DataDir = None,
    annotate: Annotated[
        bool, typer.Option(help="Also print warnings as GitHub annotations on standard error.")
    ] = False,
) -> None:
    """Which pages are new, which numbers changed and by how much: a table in Markdown."""
    from vramsite.catalog import CatalogError
    from vramsite.contribute.base import BaseError, read_base
    from vramsite.contribute.diff import compare, difference_text
    from vramsite.contribute.snapshot import snapshot

    folder = data_folder(data)
    try:
        before = read_base(base, folder.resolve().parent)
        after = snapshot(folder)
    except (BaseError, CatalogError) as error:
        fail(str(error))
    difference = compare(before.numbers, after)
    typer.echo(difference_text(difference, before.name, before.own_code), nl=False)
    if annotate:
        for change in difference.warnings:
            typer.echo(
                f"::warning title=number of an untouched model::{change.model_id}: "
                f"{change.number} changes by {change.worst_share:+.1%} on {change.worst_device}",
                err=True,
            )


@app.command("add-measurement")
def add_measurement_command(
    output: Annotated[Path, typer.Argument(help="llama-bench output, llama.cpp log, vLLM JSON.")],
    model: Annotated[str, typer.Option(help="Model id of the catalog.")],
    device: Annotated[str, typer.Option(help="Device id of the catalog.")],
    source: Annotated[str, typer.Option(help="Link to the output, or who measured it where.")],
    gpus: Annotated[int | None, typer.Option(min=1, max=64, help="Number of devices.")] = None,
    quant: Annotated[
        str | None, typer.Option(help="Weight format, as in data/quants.yaml.")
    ] = None,
    engine_version: Annotated[str | None, typer.Option(help="Build or version.")] = None,
    backend: Annotated[str | None, typer.Option(help="cuda, rocm, vulkan, metal, ...")] = None,
    context: Annotated[float | None, typer.Option(min=0, help="Tokens of context.")] = None,
    kv: Annotated[str | None, typer.Option(help="KV cache type.")] = None,
    offload: Annotated[
        str | None, typer.Option(help="none, experts-on-cpu, partial, cpu or unknown.")
    ] = None,
    speculative: Annotated[bool, typer.Option(help="With a draft model or MTP.")] = False,
    power_limit: Annotated[float | None, typer.Option(min=1, help="Watts, if one was set.")] = None,
    measured_on: Annotated[str | None, typer.Option("--date", help="Day of the run.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Say what would be written.")] = False,
    data: DataDir = None,
) -> None:
    """Add measured speeds or memory from a benchmark's output; impossible rows are refused."""
    from vramsite.catalog.today import latest_today
    from vramsite.contribute.add_measurement import Stated, measured_rows, write_rows
    from vramsite.contribute.measured import MeasurementError

    if offload not in (None, "none", "experts-on-cpu", "partial", "cpu", "unknown"):
        fail(f"--offload {offload}: use none, experts-on-cpu, partial, cpu or unknown")
    catalog = open_catalog(data_folder(data))
    stated = Stated(
        model_id=model,
        gpu_id=device,
        source=source,
        gpu_count=gpus,
        quant=quant,
        engine_version=engine_version,
        backend=backend,
        context_tokens=context,
        kv_type=kv,
        offload=offload,
        speculative=speculative,
        power_limit_w=power_limit,
        date=measured_on,
    )
    try:
        added = measured_rows(catalog, output, stated, latest_today())
    except MeasurementError as error:
        fail(str(error))
    for line in added.left_out:
        typer.echo(f"left out: {line}")
    for line in added.refused:
        typer.echo(f"refused: {line}", err=True)
    for name, rows in added.rows.items():
        for row in rows:
            typer.echo(
                f"{name}: {row['id']} {row['metric']} {row['value']} ({row['quant']}, context "
                f"{row['context_tokens'] or '-'}, prompt {row['prompt_tokens'] or '-'}, "
                f"batch {row['batch']})"
            )
    if not dry_run and added.rows:
        for path in write_rows(catalog.data_dir, added):
            typer.echo(f"wrote {shown(path)}")
    if added.refused:
        fail(f"{len(added.refused)} rows refused")


@app.command("refresh-prices")
def refresh_prices_command(
    provider: Annotated[
        list[str] | None, typer.Option(help="Only this file of data/cloud/; repeatable.")
    ] = None,
    accept: Annotated[
        bool, typer.Option(help="Also write prices more than 4 times off the last.")
    ] = False,
    data: DataDir = None,
) -> None:
    """Bring data/cloud/ up to date from PyPI gpuhunt; what fails keeps its last good prices."""
    from vramsite.catalog.today import latest_today
    from vramsite.contribute.price_sources import GpuHunt, PriceError, load_names
    from vramsite.contribute.refresh_prices import refresh

    catalog = open_catalog(data_folder(data))
    names = load_names(catalog.data_dir)
    unknown = set(provider or []) - set(names.providers.values())
    if unknown:
        known = ", ".join(sorted(names.providers.values()))
        fail(f"--provider {', '.join(sorted(unknown))}: known are {known}")
    try:
        source = GpuHunt()
    except PriceError as error:
        fail(f"no prices: {error}; nothing changed")
    results = refresh(
        catalog,
        names,
        source,
        latest_today(),
        only=provider or [],
        accept=accept,
        say=typer.echo,
    )
    if all(result.failed for result in results):
        fail("no provider could be reached; is there a network? Nothing changed")


@app.command("price-age")
def price_age_command(
    days: Annotated[int, typer.Option(min=1, help="Older than this is too old.")] = 60,
    data: DataDir = None,
) -> None:
    """Say how old the prices of each provider are; fail where the newest is too old."""
    from vramsite.catalog.today import latest_today
    from vramsite.contribute.price_age import provider_ages

    today = latest_today()
    old = 0
    for age in provider_ages(open_catalog(data_folder(data))):
        behind = (today - age.newest).days
        old += behind > days
        mark = "OLD " if behind > days else "    "
        typer.echo(
            f"{mark}{age.slug:20} {age.offers:3} offers, newest {age.newest} ({behind} days)"
        )
    if old:
        fail(f"{old} providers have no price of the last {days} days")


@app.command("links")
def links_command(
    most: Annotated[int | None, typer.Option(min=1, help="Only so many links.")] = None,
    data: DataDir = None,
) -> None:
    """Ask every link that the data names as a source; list those that are gone."""
    from itertools import islice

    from vramsite.contribute.links import dead_links, links_in

    links = links_in(data_folder(data))
    chosen = dict(islice(links.items(), most))
    dead = dead_links(chosen)
    for link in dead:
        typer.echo(f"{link.places[0]}: {link.url}: {link.reason}")
    typer.echo(f"{len(chosen)} links, {len(dead)} gone")
    if dead:
        raise typer.Exit(1)


@app.command("licences")
def licences_command() -> None:
    """Write docs/licences.md from requirements.lock and the installed packages."""
    from importlib.metadata import PackageNotFoundError

    from vramsite.contribute.licences import licence_table

    root = data_folder(None).parent
    try:
        text = licence_table(root / "requirements.lock")
    except PackageNotFoundError as error:
        fail(f"{error.name} is not installed: pip install -r requirements.lock")
    path = root / "docs" / "licences.md"
    path.write_text(text, encoding="utf-8")
    typer.echo(f"wrote {shown(path)}")
