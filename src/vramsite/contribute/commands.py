"""The contributor's commands. Each imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vramsite.contribute.terminal import DataDir, data_folder, fail, open_catalog, shown

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


@app.command("add-model")
def add_model_command(
    source: Annotated[
        str, typer.Argument(help="config.json, - for standard input, or owner/name.")
    ],
    repo: Annotated[str | None, typer.Option(help="owner/name of the official weights.")] = None,
    name: Annotated[
        str | None, typer.Option(help="Name with its size, as the vendor says.")
    ] = None,
    model_id: Annotated[str | None, typer.Option("--id", help="Id (default: from name).")] = None,
    vendor: Annotated[str | None, typer.Option(help="Company or group that trained it.")] = None,
    license_name: Annotated[str | None, typer.Option("--license", help="Licence.")] = None,
    released: Annotated[str | None, typer.Option(help="2026 or 2026-11.")] = None,
    context: Annotated[int | None, typer.Option(min=1, help="Longest context in tokens.")] = None,
    params_total: Annotated[
        int | None, typer.Option(min=1, help="Safetensors total of the model page.")
    ] = None,
    headline: Annotated[
        float | None, typer.Option("--params-b", help="Size as the vendor names it, 10**9.")
    ] = None,
    active: Annotated[
        float | None, typer.Option("--active-b", help="Active parameters, 10**9.")
    ] = None,
    index: Annotated[
        Path | None, typer.Option(help="model.safetensors.index.json, for the exact size.")
    ] = None,
    gguf: Annotated[
        list[Path] | None, typer.Option(help="GGUF file or its first megabytes; repeatable.")
    ] = None,
    gguf_repo: Annotated[str | None, typer.Option(help="owner/name of the GGUF files.")] = None,
    gguf_arch: Annotated[str | None, typer.Option(help="general.architecture.")] = None,
    config_source: Annotated[
        str | None, typer.Option("--source", help="Where the config.json was read, with its date.")
    ] = None,
    data: DataDir = None,
) -> None:
    """Begin a model's file from its config.json; what is not known is a TODO line."""
    from vramsite.contribute.add_model import add_model
    from vramsite.contribute.config_source import SourceError, read_source
    from vramsite.contribute.gguf_header import GgufError
    from vramsite.contribute.model_draft import DraftError, Given

    catalog = open_catalog(data_folder(data))
    given = Given(
        repo=repo,
        name=name,
        model_id=model_id,
        vendor=vendor,
        license=license_name,
        released=released,
        context_max_tokens=context,
        params_total=params_total,
        params_source="model page: safetensors total" if params_total else "",
        headline_b=headline,
        active_b=active,
        gguf_repo=gguf_repo,
        gguf_arch=gguf_arch,
        config_source=config_source or "",
    )
    try:
        added = add_model(catalog, read_source(source), given, index, gguf)
    except (SourceError, DraftError, GgufError) as error:
        fail(str(error))
    except FileExistsError as error:
        fail(f"{error}: nothing is overwritten")
    typer.echo(f"wrote {shown(added.path)}")
    for remark in added.remarks:
        typer.echo(f"  {remark}")
    typer.echo(f"\nWhat the new pages would show (Q4_K_M, 8,192 tokens):\n{added.numbers}")
    _say_todo(added.path, added.draft.todo)


@app.command("add-gpu")
def add_gpu_command(
    gpu_id: Annotated[str, typer.Argument(help="Id, e.g. rtx-4090; with memory if it varies.")],
    name: Annotated[str, typer.Option(help="Name with its memory size where there are several.")],
    vendor: Annotated[str, typer.Option(help="Company that makes the chip.")],
    kind: Annotated[str, typer.Option(help="consumer, workstation, datacenter or unified.")],
    backend: Annotated[
        list[str], typer.Option(help="cuda, rocm, vulkan, metal, ...; usual first.")
    ],
    memory_gb: Annotated[float, typer.Option(help="Memory as it is sold, in GB.")],
    bandwidth: Annotated[float | None, typer.Option(help="GB/s, from the data sheet.")] = None,
    family: Annotated[str | None, typer.Option(help="Generation, e.g. nvidia-ada.")] = None,
    memory_type: Annotated[str | None, typer.Option(help="GDDR6, HBM3e, LPDDR5X, ...")] = None,
    reported_mib: Annotated[int | None, typer.Option(help="MiB that the driver shows.")] = None,
    fp16: Annotated[float | None, typer.Option(help="Dense FP16 TFLOPS, FP32 sums.")] = None,
    bf16: Annotated[float | None, typer.Option(help="Dense BF16 TFLOPS.")] = None,
    fp8: Annotated[float | None, typer.Option(help="Dense FP8 TFLOPS.")] = None,
    int8: Annotated[float | None, typer.Option(help="Dense INT8 TOPS.")] = None,
    fp4: Annotated[float | None, typer.Option(help="Dense FP4 TFLOPS.")] = None,
    tdp: Annotated[float | None, typer.Option(help="Board power in watts.")] = None,
    link: Annotated[str | None, typer.Option(help="Link between devices, or PCIe only.")] = None,
    link_gb_s: Annotated[float | None, typer.Option(help="GB/s, both directions.")] = None,
    pcie: Annotated[str | None, typer.Option(help='Slot, such as "4.0 x16".')] = None,
    msrp: Annotated[float | None, typer.Option(help="List price at launch in USD.")] = None,
    launched: Annotated[str | None, typer.Option(help="2026, 2026-11 or a day.")] = None,
    usable_gib: Annotated[float | None, typer.Option(help="Unified: GiB for the GPU.")] = None,
    usable_rule: Annotated[str | None, typer.Option(help="Unified: the rule behind it.")] = None,
    source: Annotated[str | None, typer.Option(help="Where all of this was read, dated.")] = None,
    data: DataDir = None,
) -> None:
    """Begin a device's file; what is not known is a TODO line."""
    from pydantic import ValidationError

    from vramsite.catalog.messages import what_is_wrong
    from vramsite.catalog.yaml_source import dotted
    from vramsite.contribute.add_gpu import DeviceError, add_gpu

    rates = {"fp16": fp16, "bf16": bf16, "fp8": fp8, "int8": int8, "fp4": fp4}
    usable = {"gib": usable_gib, "rule": usable_rule} if usable_gib else None
    values = {
        "name": name,
        "vendor": vendor,
        "kind": kind,
        "family": family,
        "backends": backend,
        "memory_gb": memory_gb,
        "memory_mib_reported": reported_mib,
        "memory_type": memory_type,
        "bandwidth_gb_s": bandwidth,
        "tflops": {key: value for key, value in rates.items() if value is not None} or None,
        "tdp_w": tdp,
        "interconnect": {"type": link} | ({"gb_s": link_gb_s} if link_gb_s else {})
        if link
        else None,
        "pcie": pcie,
        "msrp_usd": msrp,
        "launched": launched,
        "usable_default": {key: value for key, value in usable.items() if value is not None}
        if usable
        else None,
    }
    try:
        added = add_gpu(open_catalog(data_folder(data)), gpu_id, values, source)
    except DeviceError as error:
        fail(str(error))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        fail(f"{dotted(first['loc'])}: {what_is_wrong(first)}")
    except FileExistsError as error:
        fail(f"{error}: nothing is overwritten")
    typer.echo(f"wrote {shown(added.path)}")
    if added.numbers:
        typer.echo(f"\nWhat the new pages would show (Q4_K_M, 8,192 tokens):\n{added.numbers}")
    _say_todo(added.path, added.todo)


def _say_todo(path: Path, todo: dict[str, str]) -> None:
    if todo:
        typer.echo("\nStill to do, on the lines marked TODO:")
        for key, hint in todo.items():
            typer.echo(f"  {key}: {hint}")
    typer.echo(f"\nNext: edit {shown(path)}, then run `vramsite check`.")
