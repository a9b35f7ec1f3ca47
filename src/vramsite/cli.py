"""The commands. Each imports what it needs when it runs, so that `--help` and `size` start fast."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from vramsite.contribute.app import app as contribute_app
from vramsite.contribute.examples import STATUS, with_examples
from vramsite.contribute.terminal import DataDir, data_folder, fail

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, Fault
    from vramsite.site.spec import BuildSpec

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Sizing reports for every open-weight LLM on every GPU.",
    epilog=STATUS,
)
accuracy_app = typer.Typer(no_args_is_help=True, help="The engine against published evidence.")
app.add_typer(accuracy_app, name="accuracy")
app.add_typer(contribute_app)  # add-model, add-gpu, add-measurement, fmt, schema, diff, ...

OutDir = Annotated[Path, typer.Option("--out", help="Output folder.")]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Address the site will have.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, max=256, help="Worker processes.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="models=a,b or devices=c: a part of the site.")
]
Shard = Annotated[str, typer.Option("--shard", metavar="K/N", help="One part of several.")]
RowsFile = Annotated[
    Path | None, typer.Option("--rows", help="Judge the rows of this file instead of our own.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def open_catalog(data: Path | None) -> Catalog:
    """The checked catalog; ends with all faults where it has some."""
    from vramsite.catalog import CatalogError, load_catalog

    try:
        return load_catalog(data_folder(data))
    except CatalogError as error:
        print_faults(error.faults)


def print_faults(faults: list[Fault]) -> NoReturn:
    """All faults on standard error, one a line, and status 1."""
    for fault in faults:
        typer.echo(str(fault), err=True)
    fail(
        f"{len(faults)} fault{'s' if len(faults) != 1 else ''} in the catalog; nothing was written"
    )


def build_spec(data: Path | None, base_url: str | None, only: list[str] | None) -> BuildSpec:
    """What a build is asked for; ends with a message where that cannot be."""
    from dataclasses import replace

    from vramsite.site.spec import SpecError, narrowed, project_spec

    try:
        spec = project_spec(base_url=base_url)
        if data is not None:
            spec = replace(spec, data_dir=str(data_folder(data).resolve()))
        return narrowed(spec, only or [])
    except SpecError as error:
        fail(str(error))


@app.command()
def build(
    out: Annotated[
        str, typer.Option("--out", help="Output folder; with --scheduler also s3://… and the like.")
    ] = "out",
    data: DataDir = None,
    base_url: BaseUrl = None,
    jobs: Jobs = None,
    only: Only = None,
    shard: Shard = "",
    force: Annotated[bool, typer.Option("--force", help="Make every page anew.")] = False,
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Build on a Dask cluster, e.g. tcp://host:8786.")
    ] = "",
) -> None:
    """Build the site and publish it by one rename; only what changed is made again.

    A build that fails changes nothing.
    """
    from dataclasses import replace

    from vramsite.site.build import build_site
    from vramsite.site.executor import BuildError
    from vramsite.site.progress import progress_for
    from vramsite.site.publish import PublishError
    from vramsite.site.urls import UrlError

    spec = replace(build_spec(data, base_url, only), shard=shard)
    if scheduler:
        build_on_cluster(spec, scheduler, out)
        return
    try:
        summary = build_site(spec, Path(out), jobs, progress_for(), force=force)
    except (BuildError, PublishError, UrlError) as error:
        fail(str(error))
    typer.echo(summary.text())


def build_on_cluster(spec: BuildSpec, address: str, url: str) -> None:
    """Build with the workers of a Dask scheduler; ends with a message where that fails."""
    try:
        from vramsite.site.cluster import ClusterError, build_on_cluster
        from vramsite.site.progress import progress_for

        whole = build_on_cluster(spec, address, url, progress_for())
    except ModuleNotFoundError as error:
        fail(f"{error.name} is missing: install the extra, pip install 'vramsite[dask]'")
    except ClusterError as error:
        fail(str(error))
    typer.echo(f"{whole.files} files → {url}")


@app.command()
def merge(
    parts: Annotated[list[Path], typer.Argument(help="Folders made with `build --shard`.")],
    out: OutDir = Path("out"),
) -> None:
    """Put a site together that was built in parts; it is the same as one built whole."""
    from vramsite.site.publish import PublishError
    from vramsite.site.shards import ShardError, merge

    try:
        whole = merge(parts, out)
    except (ShardError, PublishError) as error:
        fail(str(error))
    typer.echo(f"{whole.files} files from {len(parts)} parts → {out}")


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="A built site.")] = Path("out"),
) -> None:
    """Compare a site with its list of SHA-256: names what is missing, changed or extra."""
    from vramsite.site.manifest import MANIFEST, ManifestError, differences, read_manifest

    try:
        found = differences(folder)
    except ManifestError as error:
        fail(str(error))
    for difference in found:
        typer.echo(str(difference), err=True)
    if found:
        fail(f"{folder}: {len(found)} files are not as built")
    typer.echo(f"{folder}: {len(read_manifest(folder))} files as in {MANIFEST}")


@app.command()
def serve(
    out: OutDir = Path("out"),
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    jobs: Jobs = None,
    only: Only = None,
) -> None:
    """Build, serve on the loopback address, and rebuild when a file changes."""
    from vramsite.site.serve import serve_site

    serve_site(build_spec(None, None, only), out, port, jobs, typer.echo)


@app.command()
def check(data: DataDir = None) -> None:
    """Read every catalog file and print all faults as file:line: key: what to type."""
    from vramsite.catalog.check import check_with_notes

    folder = data_folder(data)
    faults, notes = check_with_notes(folder)
    if faults:
        print_faults(faults)
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"{folder}: no faults")


@app.command()
def size(
    model: Annotated[str, typer.Argument(help="Model id, e.g. glm-4.5.")],
    device: Annotated[str, typer.Argument(help="Device id, e.g. rtx-4090.")],
    engine: Annotated[str, typer.Option(help="Engine, e.g. vllm or ollama.")] = "llama.cpp",
    quant: Annotated[
        str | None, typer.Option("--quant", help="Weight format (default Q4_K_M for GGUF engines).")
    ] = None,
    context: Annotated[
        int | None,
        typer.Option(min=1, max=2**24, help="Tokens of context (default 8,192, or the engine's)."),
    ] = None,
    kv: Annotated[str | None, typer.Option(help="KV cache type (default f16).")] = None,
    parallel: Annotated[int, typer.Option(min=1, max=4096, help="Parallel sequences.")] = 1,
    gpus: Annotated[int, typer.Option(min=1, max=16, help="Number of devices.")] = 1,
    split: Annotated[str | None, typer.Option(help="layer or tensor.")] = None,
    data: DataDir = None,
    as_json: Json = False,
) -> None:
    """Print the numbers that the page of this pair shows."""
    from vramsite.catalog.faults import CatalogError
    from vramsite.catalog.on_demand import open_on_demand
    from vramsite.report.capacity import capacity
    from vramsite.report.nearest import Published
    from vramsite.report.size_text import capacity_json, run_json, size_json, size_text
    from vramsite.report.sizer import Sizer, SizerError

    try:
        sizer = Sizer(open_on_demand(data_folder(data)))
        settings = sizer.settings(
            model,
            device,
            format_name=quant,
            context_tokens=context,
            engine=engine,
            kv_type=kv,
            parallel=parallel,
            gpus=gpus,
            split=split,
        )
        answer = sizer.size(model, device, settings)
        room = capacity(sizer, model, answer)
        near = Published(sizer.catalog, (model, device)).nearest(model, device)
    except SizerError as error:
        fail(str(error))
    except CatalogError as error:
        print_faults(error.faults)
    if as_json:
        runs = {"nearest_measurements": [run_json(row) for row in near.rows]}
        found = size_json(model, device, answer) | capacity_json(room) | runs
        typer.echo(json.dumps(found, indent=2))
    else:
        typer.echo(size_text(sizer.catalog, model, device, answer, room, near))


@app.command()
def calibrate(data: DataDir = None) -> None:
    """Fit data/*calibration.yaml from data/measurements/ (needs the extra `calibrate`)."""
    try:
        from vramsite.evidence.calibrate import run
        from vramsite.evidence.finetune_calibrate import run as run_finetune
    except ModuleNotFoundError as error:
        fail(f"{error.name} is missing: install the extra, pip install 'vramsite[calibrate]'")
    typer.echo(run(data_folder(data)))
    typer.echo("\n".join(run_finetune(open_catalog(data), data_folder(data))))


@app.command()
def i18n() -> None:
    """Refresh locales/messages.pot and every language's messages.po from templates and code."""
    from vramsite.site.i18n import catalog_faults, update_catalogs
    from vramsite.site.spec import project_root

    root = project_root()
    for path in update_catalogs(root):
        typer.echo(f"wrote {path}")
    for fault in catalog_faults(root):
        typer.echo(fault, err=True)


@accuracy_app.command("memory")
def accuracy_memory(rows: RowsFile = None, data: DataDir = None, as_json: Json = False) -> None:
    """Memory terms against llama.cpp's own accounting and published logs."""
    from vramsite.evidence.memory import judge_memory, memory_text
    from vramsite.evidence.rows import RowsError

    try:
        result = judge_memory(open_catalog(data), data_folder(data), rows)
    except RowsError as error:
        fail(str(error))
    typer.echo(json.dumps(result, indent=2) if as_json else memory_text(result))


@accuracy_app.command("speed")
def accuracy_speed(rows: RowsFile = None, data: DataDir = None, as_json: Json = False) -> None:
    """Speeds against published measurements."""
    from vramsite.catalog.measurements import measurements
    from vramsite.evidence.measurement_file import MeasurementFileError
    from vramsite.evidence.speed import SpeedJudge, summaries, text_report

    folder = data_folder(data)
    judge = SpeedJudge(open_catalog(data), folder)
    try:
        result = judge.judge(rows) if rows else summaries(judge.compare(measurements(folder)))
    except MeasurementFileError as error:
        fail(str(error))
    typer.echo(json.dumps(result, indent=2) if as_json else text_report(result))


@accuracy_app.command("finetune")
def accuracy_finetune(rows: RowsFile = None, data: DataDir = None, as_json: Json = False) -> None:
    """Peaks of fine-tuning memory against published ones."""
    from vramsite.evidence.finetune import finetune_text, judge_finetune
    from vramsite.evidence.rows import RowsError

    try:
        result = judge_finetune(open_catalog(data), data_folder(data), rows)
    except RowsError as error:
        fail(str(error))
    typer.echo(json.dumps(result, indent=2) if as_json else finetune_text(result))


with_examples(app)


def main() -> None:
    """Entry point of the `vramsite` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # where the terminal lacks → it is spelt out
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except BrokenPipeError:  # `vramsite size … | head`
        sys.stderr.close()
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
