"""Commands that start the configuration of a page, with flags that today's releases have.

A repository or file name comes from a catalog that anyone may propose changes to: it passes a
strict pattern and is quoted for the shell, or there is no command.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vramsite.report.cards import REPO_PATTERN
from vramsite.report.choices import native_format, with_format
from vramsite.sizing.figures import devices_in_share, tensor_parallel_devices

if TYPE_CHECKING:
    from collections.abc import Callable

    from vramsite.catalog import ModelRecord
    from vramsite.catalog.model_record import PublishedFile
    from vramsite.report.book import Book
    from vramsite.sizing.records import Settings

TAG_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
NAMED_PATTERN = re.compile(r"named (\S+) in the repository")

# The hub takes files of up to 50 GB; what is larger is uploaded in parts, which Ollama refuses.
SINGLE_FILE_LIMIT_BYTES = 50e9
ALL_LAYERS = 99
DEFAULT_UBATCH_TOKENS = 512.0


@dataclass(frozen=True, slots=True)
class Command:
    """A command to copy. `engine` is a name of data/engines.yaml, `notes` are codes.

    Notes: "nearest_format" (the repository has no file of the page's format; `format` is the
    one used), "unlisted" (whether it has one is not on record), "needs_devices" (`devices` of
    them hold the checkpoint), "converts_first".
    """

    engine: str
    text: str
    format: str
    devices: int = 1
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A weight file to name in a command; `bytes` is an estimate where it is not `listed`."""

    repo: str
    format: str
    tag: str
    bytes: float
    listed: bool


def _hub_tag(file: PublishedFile) -> str | None:
    """The tag under which the repository offers a file: as its note says, else its format."""
    named = NAMED_PATTERN.fullmatch(file.note or "")
    tag = named[1] if named else file.format
    return tag if TAG_PATTERN.fullmatch(tag) else None


def listed_files(model: ModelRecord) -> list[GgufFile]:
    """The model's files on record whose tag is safe to name."""
    return [
        GgufFile(file.repo or "", file.format, tag, float(file.bytes), True)
        for file in model.files
        if file.kind == "model" and (tag := _hub_tag(file)) is not None
    ]


def gguf_file(model: ModelRecord, wanted: str, wanted_bytes: float) -> GgufFile | None:
    """The file of the wanted format, in the model's repository or another one that lists it.

    Where the files of the model's repository are on record and the wanted one is not among them,
    the largest that is no larger than `wanted_bytes`, else the smallest. Where none of its files
    are on record, the wanted one, unlisted. None without a repository whose name is safe.
    """
    listed = listed_files(model)
    for home in (model.gguf_repo, None):
        for file in listed:
            known = REPO_PATTERN.fullmatch(file.repo) and home in (file.repo, None)
            if known and file.format == wanted:
                return file
    repo = model.gguf_repo
    if not repo or not REPO_PATTERN.fullmatch(repo):
        return None
    own = [file for file in listed if file.repo == repo]
    if not own:
        return GgufFile(repo, wanted, wanted, wanted_bytes, False)
    smaller = [file for file in own if file.bytes <= wanted_bytes]
    if smaller:
        return max(smaller, key=lambda file: (file.bytes, file.tag))
    return min(own, key=lambda file: (file.bytes, file.tag))


def _tokens(value: float) -> str:
    return str(int(value))


def llama_cpp(repo: str, tag: str, settings: Settings, *, moe: bool, layer_count: int) -> str:
    """`llama-server` for these settings; offload flags only where something is offloaded."""
    words = ["llama-server", "-hf", f"{repo}:{tag}", "-c", _tokens(settings.context_tokens)]
    layers = settings.gpu_layers
    on_device = ALL_LAYERS if layers is None or layers > layer_count else int(layers)
    words += ["-ngl", str(on_device)]
    if moe and settings.cpu_moe_layers is not None and settings.cpu_moe_layers > 0:
        words += ["--n-cpu-moe", _tokens(settings.cpu_moe_layers)]
    if settings.kv_type_k != "f16":
        words += ["-ctk", settings.kv_type_k]
    if settings.kv_type_v != "f16":
        words += ["-ctv", settings.kv_type_v]
    if not settings.flash_attention:
        words += ["-fa", "off"]
    elif settings.kv_type_k != "f16" or settings.kv_type_v != "f16":
        words += ["-fa", "on"]
    # Without -np the server opens four slots, and recurrent state is kept for each of them.
    words += ["-np", _tokens(settings.parallel)]
    if settings.kv_unified:
        words += ["-kvu"]
    if settings.full_window_cache:
        words += ["--swa-full"]
    if not settings.kv_offload:
        words += ["-nkvo"]
    if settings.ubatch_tokens != DEFAULT_UBATCH_TOKENS:
        words += ["-ub", _tokens(settings.ubatch_tokens)]
    if settings.gpus > 1 and settings.split == "tensor":
        words += ["-sm", "row"]
    return shlex.join(words)


def vllm(repo: str, settings: Settings, devices: int) -> str:
    """`vllm serve` of the original checkpoint on so many equal devices."""
    own_context = settings.context_tokens // settings.parallel
    words = ["vllm", "serve", repo, "--max-model-len", _tokens(own_context)]
    if devices > 1:
        words += ["--tensor-parallel-size", str(devices)]
    if settings.kv_type_k == "q8_0":
        words += ["--kv-cache-dtype", "fp8"]
    if settings.parallel > 1:
        words += ["--max-num-seqs", _tokens(settings.parallel)]
    return shlex.join(words)


def ollama(repo: str, tag: str, settings: Settings) -> str:
    """`ollama run` of the same file; the context is a setting of its server."""
    server = f"OLLAMA_CONTEXT_LENGTH={_tokens(settings.context_tokens)}"
    if settings.kv_type_k != "f16":
        server += f" OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE={settings.kv_type_k}"
    run = shlex.join(["ollama", "run", f"hf.co/{repo}:{tag}"])
    return f"{server} ollama serve\n{run}"


def mlx(repo: str, bits: int) -> str:
    """Convert the checkpoint to MLX at so many bits, then serve it."""
    folder = f"{repo.rpartition('/')[2]}-mlx-{bits}bit"
    convert = ["mlx_lm.convert", "--hf-path", repo, "--mlx-path", folder, "-q", "--q-bits"]
    return (
        f"{shlex.join([*convert, str(bits)])}\n{shlex.join(['mlx_lm.server', '--model', folder])}"
    )


def checkpoint_devices(book: Book, model_id: str, gpu_id: str, settings: Settings) -> float | None:
    """How many such devices hold the vendor's checkpoint in the share that vLLM reserves."""
    native = native_format(book.catalog.models[model_id])
    alone = replace(with_format(settings, native), gpus=1.0, engine="llama.cpp")
    held = book.whole(model_id, alone)
    if held is None:
        return None
    record = book.catalog.engines.get("vllm")
    share = (record.memory_utilization if record else None) or 1.0
    capacity = book.device_card(gpu_id).capacity_bytes
    return devices_in_share(held.device_bytes, capacity, share)


def launch_commands(
    model: ModelRecord,
    settings: Settings,
    *,
    runs_on: Callable[[str, str], bool],
    weights_bytes: float,
    checkpoint_devices: float | None,
    attention_heads: float,
    layer_count: int,
    moe: bool,
    runs: bool,
) -> list[Command]:
    """Every engine's command that this model and device allow, llama.cpp first.

    `runs_on(engine, backend)` says which engine runs where. `settings` is the page's
    configuration as the engine resolved it; `weights_bytes` the size of its weight file;
    `checkpoint_devices` how many such devices vLLM needs for the original; `runs` is False where
    no file would fit, so that only the command for several devices is left.
    """
    commands: list[Command] = []
    backend = settings.backend
    file = gguf_file(model, settings.format, weights_bytes) if runs else None
    if file is not None:
        notes: tuple[str, ...] = ()
        if file.format != settings.format:
            notes = ("nearest_format",)
        elif not file.listed:
            notes = ("unlisted",)
        if runs_on("llama.cpp", backend):
            text = llama_cpp(file.repo, file.tag, settings, moe=moe, layer_count=layer_count)
            commands.append(Command("llama.cpp", text, file.format, notes=notes))
        if runs_on("ollama", backend) and file.bytes < SINGLE_FILE_LIMIT_BYTES:
            text = ollama(file.repo, file.tag, settings)
            commands.append(Command("ollama", text, file.format, notes=notes))
    if REPO_PATTERN.fullmatch(model.hf_repo):
        devices = tensor_parallel_devices(checkpoint_devices, attention_heads)
        if runs_on("vllm", backend) and devices is not None:
            notes = ("needs_devices",) if devices > 1 else ()
            text = vllm(model.hf_repo, settings, int(devices))
            commands.append(Command("vllm", text, "native", int(devices), notes))
        if backend == "metal" and runs:
            commands.append(Command("mlx", mlx(model.hf_repo, 4), "4bit", 1, ("converts_first",)))
    return commands
