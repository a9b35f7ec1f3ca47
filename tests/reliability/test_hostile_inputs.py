"""What a stranger hands in: rows to judge, benchmark outputs, config.json, GGUF headers."""

from __future__ import annotations

import csv
import io
import json
import struct
import time
import tracemalloc
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hostile_values import NUMBERS, REMOVE, TEXTS, places, spoilt, tries, values
from hypothesis import given
from hypothesis import strategies as st
from outcomes import MOST_SECONDS
from small_catalog import ROOT, write_small

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.architectures import (
    ArchitectureError,
    ArchitectureSource,
    Keys,
    read_architecture,
)
from vramsite.contribute.add_measurement import Stated, measured_rows
from vramsite.contribute.config_source import SourceError, read_source
from vramsite.contribute.gguf_header import GgufError, read_header
from vramsite.contribute.measured import MeasurementError
from vramsite.contribute.model_draft import DraftError, Given, draft_model
from vramsite.evidence.finetune import judge_finetune
from vramsite.evidence.measurement_file import MeasurementFileError
from vramsite.evidence.memory import judge_memory
from vramsite.evidence.rows import RowsError
from vramsite.evidence.speed import SpeedJudge

DATA = ROOT / "data"
Rows = list[dict[str, str]]
CELLS = [*TEXTS, *map(str, NUMBERS), "١٢٣", "1,5", "-", "=1+1", '"', "a\nb", "9" * 400]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return load_catalog(write_small(tmp_path_factory.mktemp("inputs")))


def sound(action: Callable[[], object], refusals: tuple[type[Exception], ...]) -> object:
    """What the action gives, None where it refuses in a sentence; nothing else, and in time."""
    started = time.process_time()
    result, said = None, "nothing"
    try:
        result = action()
    except refusals as error:
        said = str(error)
    assert time.process_time() - started < MOST_SECONDS
    assert said.strip()
    assert len(said) < 6000
    assert "Traceback" not in said
    return result


def finite(result: object) -> None:
    json.dumps(result, allow_nan=False, default=str)


def rows_of(
    name: str, wanted: Callable[[dict[str, str]], bool], count: int
) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        found = [row for row in csv.DictReader(file) if wanted(row)]
    assert found
    return found[:count]


def of_ours(rows: Rows) -> Rows:
    return [{**row, "model": "qwen3-8b"} for row in rows]


def table(rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


TABLES = {
    "accounting": of_ours(rows_of("evidence/llama_cpp_memory.csv", lambda row: True, 3)),
    "weights": of_ours(rows_of("evidence/llama_cpp_weights.csv", lambda row: True, 3)),
    "speed": rows_of(
        "measurements/decode.csv",
        lambda row: row["gpu_id"] == "rtx-4090" and row["model_id"] in ("gpt-oss-20b", "qwen3-8b"),
        3,
    ),
    "memory": rows_of("measurements/memory.csv", lambda r: bool(r["model_id"]), 3),
}


@pytest.mark.parametrize("name", TABLES)
def test_rows_with_spoilt_cells(name: str, catalog: Catalog, tmp_path: Path) -> None:
    rows, path = TABLES[name], tmp_path / "rows.csv"
    speed = SpeedJudge(catalog, catalog.data_dir)

    @tries(25)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        changed = [dict(row) for row in rows]
        for _ in range(drawn.draw(st.integers(1, 3))):
            row = drawn.draw(st.sampled_from(changed))
            cell = drawn.draw(st.one_of(st.sampled_from(CELLS), st.text(max_size=12)))
            row[drawn.draw(st.sampled_from(list(row)))] = cell
        path.write_bytes(table(changed).encode("utf-8", "surrogatepass"))
        finite(sound(lambda: judge_memory(catalog, catalog.data_dir, path), (RowsError,)))
        finite(sound(lambda: speed.judge(path), (MeasurementFileError, RowsError)))

    spoil()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"\x00" * 100,
        b"\xff\xfe" + "model,quant,bytes".encode("utf-16-le"),
        b"model,quant,bytes\n",
        b"model,model,quant,bytes\na,b,c,1\n",
        b'model,quant,bytes\n"a,b,c\n' + b"x" * 200_000,
        b"model,quant,bytes\n" + b"a,b,c,d,e\n" * 20_000,
        b"model,quant,bytes\n" + b"a,b,x\n" * 20_000,
        b"model_id,gpu_id,engine,metric,value,usable\n" + b"a,b,c,d,x,1\n" * 20_000,
        b"model_id,gpu_id,engine,metric,value,usable\n" + b"," * 200_000,
        b"," * 200_000,
        b"a" * 300_000,
    ],
    ids=lambda content: repr(content[:20]),
)
def test_files_that_are_no_rows(content: bytes, catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    data = catalog.data_dir
    finite(sound(lambda: judge_memory(catalog, data, path), (RowsError,)))
    judge = SpeedJudge(catalog, data)
    finite(sound(lambda: judge.judge(path), (MeasurementFileError, RowsError)))
    finite(sound(lambda: judge_finetune(catalog, data, path), (RowsError,)))


def test_a_folder_a_pipe_or_nothing_is_no_file_of_rows(catalog: Catalog, tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    data = catalog.data_dir
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "nothing"):
        with pytest.raises(RowsError):
            judge_memory(catalog, data, path)
        with pytest.raises((MeasurementFileError, RowsError)):
            SpeedJudge(catalog, data).judge(path)
        with pytest.raises(RowsError):
            judge_finetune(catalog, data, path)


TRAINING: dict[str, Any] = {
    "model": "Qwen3 8B",
    "model_id": "qwen3-8b",
    "method": "qlora",
    "peak_memory_gib": 12.5,
    "base_precision": "nf4",
    "optimizer": "adamw_8bit",
    "lora_rank": 16,
    "target_modules": ["q_proj", "v_proj"],
    "seq_len": 2048,
    "micro_batch": 2,
    "gradient_accumulation": 4,
    "gradient_checkpointing": "unsloth",
    "flash_attention": True,
    "sharding": "none",
    "gpu_count": 1,
    "framework": "unsloth",
    "gpu": "RTX 4090 24GB",
    "shape": {"layers": 36, "hidden": 4096},
    "usable": True,
}


def test_training_rows_with_spoilt_values(catalog: Catalog, tmp_path: Path) -> None:
    import yaml

    path = tmp_path / "rows.yaml"

    @tries(60)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        row = spoilt(TRAINING, drawn.draw(st.sampled_from(places(TRAINING))), drawn.draw(values()))
        path.write_text(yaml.safe_dump([row, TRAINING]), encoding="utf-8")
        finite(sound(lambda: judge_finetune(catalog, catalog.data_dir, path), (RowsError,)))

    spoil()


MARKDOWN = """\
| model                  |     size | params | backend | ngl | fa |          test |            t/s |
| ---------------------- | -------: | -----: | ------- | --: | -: | ------------: | -------------: |
| qwen3 8B Q4_K - Medium | 4.68 GiB | 8.19 B | CUDA    |  99 |  1 |         pp512 | 11770.57 ± 50. |
| qwen3 8B Q4_K - Medium | 4.68 GiB | 8.19 B | CUDA    |  99 |  1 | tg128 @ d4096 |   128.96 ± 0.1 |

build: 79c1160b0 (6123)
"""
BENCH: dict[str, Any] = {
    "build_commit": "79c1160b0",
    "build_number": 6123,
    "gpu_info": "NVIDIA GeForce RTX 4090",
    "backends": "CUDA",
    "model_filename": "models/Qwen3-8B-Q4_K_M.gguf",
    "model_type": "qwen3 8B Q4_K - Medium",
    "model_size": 5027783488,
    "model_n_params": 8190735360,
    "n_ubatch": 512,
    "type_k": "f16",
    "type_v": "f16",
    "n_gpu_layers": 99,
    "flash_attn": True,
    "n_prompt": 0,
    "n_gen": 128,
    "n_depth": 2048,
    "test_time": "2026-08-09T10:00:00Z",
    "avg_ts": 130.5,
}
VLLM: dict[str, Any] = {
    "date": "20260809-101112",
    "backend": "vllm",
    "model_id": "Qwen/Qwen3-8B",
    "num_prompts": 10,
    "max_concurrency": 1,
    "completed": 10,
    "total_input_tokens": 10240,
    "total_output_tokens": 1280,
    "median_tpot_ms": 9.5,
    "mean_ttft_ms": 51.0,
    "median_ttft_ms": 50.0,
}
LOG = """\
build: 6123 (79c1160b0) with cc
llama_model_loader: loaded meta data with 28 key-value pairs from /m/Qwen3-8B-Q4_K_M.gguf (version
print_info: file type   = Q4_K - Medium
load_tensors: offloaded 37/37 layers to GPU
llama_context: n_seq_max     = 1
llama_context: n_ctx         = 8192
llama_context: flash_attn    = enabled
llama_kv_cache: size = 1152.00 MiB, K (f16):  576.00 MiB, V (f16):  576.00 MiB
memory_breakdown_print: | - CUDA0 (RTX 4090) | 24080 = 17000 + (6500 = 4455 + 1152 + 304) + 580 |
"""
STATED = Stated(model_id="qwen3-8b", gpu_id="rtx-4090", source="https://example.org/run")


def taken(catalog: Catalog, path: Path) -> None:
    added = sound(
        lambda: measured_rows(catalog, path, STATED, date(2026, 11, 30)), (MeasurementError,)
    )
    for rows in getattr(added, "rows", {}).values():
        for row in rows:
            assert 0 < float(row["value"]) < 2**53
            for cell in row.values():
                assert cell.isprintable(), ascii(cell)
                assert cell not in ("nan", "inf", "None")


def test_the_sample_outputs_are_taken(catalog: Catalog, tmp_path: Path) -> None:
    for text in (MARKDOWN, json.dumps([BENCH]), json.dumps(VLLM), LOG):
        (tmp_path / "output").write_text(text, encoding="utf-8")
        added = measured_rows(catalog, tmp_path / "output", STATED, date(2026, 11, 30))
        assert added.rows or added.refused, text


@pytest.mark.parametrize("sample", [BENCH, VLLM], ids=["llama-bench", "vllm"])
def test_json_of_benchmarks_with_spoilt_values(
    catalog: Catalog, tmp_path: Path, sample: dict[str, Any]
) -> None:
    path = tmp_path / "output.json"

    @tries(40)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        row = sample
        for _ in range(drawn.draw(st.integers(1, 2))):
            keys = drawn.draw(st.sampled_from(places(sample)))
            row = {**row, keys[0]: drawn.draw(values())}
        row = {key: value for key, value in row.items() if value is not REMOVE}
        whole = drawn.draw(st.sampled_from([row, [row], [row, 3], {"results": row}]))
        path.write_text(json.dumps(whole), encoding="utf-8")
        taken(catalog, path)

    spoil()


@pytest.mark.parametrize("sample", [MARKDOWN, LOG], ids=["table", "log"])
def test_texts_of_benchmarks_with_pieces_changed(
    catalog: Catalog, tmp_path: Path, sample: str
) -> None:
    path = tmp_path / "output.txt"

    @tries(40)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        text = sample
        for _ in range(drawn.draw(st.integers(1, 4))):
            start = drawn.draw(st.integers(0, len(text)))
            end = start + drawn.draw(st.sampled_from([0, 1, 3, 30]))
            piece = drawn.draw(st.one_of(st.sampled_from(CELLS), st.text(max_size=8)))
            text = text[:start] + piece + text[end:]
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        taken(catalog, path)

    spoil()


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{" + b'"a": 1e999, ' * 3 + b'"num_prompts": 1e999, "mean_ttft_ms": NaN}',
        b'[{"avg_ts": 1e999}]',
        b'{"avg_ts": ' + b"9" * 5000 + b"}",
        b"|" * 200_000,
        b"| model | t/s |\n" + b"| - | - |\n" * 50_000,
        b"| model | size | t/s |\n|---|---|---|\n" + b"|" + b" " * 200_000 + b"\n",
        b"|   - CUDA0 (" + b"(" * 100_000,
        b"|" + b" " * 200_000 + b"-",
        b"build:" + b" " * 200_000,
        b"offloaded " * 50_000,
        b"K (" * 60_000,
        b"loaded meta data " * 20_000,
        b"avg_ts,n_gen\n" + b"1," * 100_000,
        b"avg_ts,n_gen\n" + b'"' + b"x" * 200_000,
    ],
    ids=lambda content: repr(content[:24]),
)
def test_outputs_made_to_hang_a_reader(catalog: Catalog, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "output"
    path.write_bytes(content)
    taken(catalog, path)
    finite(sound(lambda: len(read_source(str(path)).config), (SourceError,)))


CONFIGS = {
    path.stem: path
    for pattern in ("*/qwen3-8b", "*/gpt-oss-20b", "*/glm-4.5", "*/gemma-3-27b-it", "*/kimi-k2*")
    for path in sorted(DATA.glob(f"models/{pattern}.yaml"))
}


@pytest.mark.parametrize("name", CONFIGS)
def test_config_json_with_spoilt_values(name: str, catalog: Catalog, tmp_path: Path) -> None:
    from small_catalog import plain

    record = plain(CONFIGS[name])
    config = {**record["config"], "model_type": record["model_type"], "architectures": ["X"]}
    path = tmp_path / "config.json"

    @tries(30)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        changed: Any = config
        for _ in range(drawn.draw(st.integers(1, 2))):
            keys = drawn.draw(st.sampled_from(places(config)))
            try:
                changed = spoilt(changed, keys, drawn.draw(values()))
            except (KeyError, IndexError, TypeError):
                continue
        path.write_text(json.dumps(changed), encoding="utf-8")
        source = sound(lambda: read_source(str(path)), (SourceError,))
        read = getattr(source, "config", None)
        if read is None:
            return
        kind = read.get("model_type")
        asked = ArchitectureSource(
            model_type=kind if isinstance(kind, str) else "",
            gguf_arch=record.get("gguf_arch", ""),
            context_max_tokens=8192.0,
            config=Keys(read),
        )
        arch = sound(lambda: read_architecture(asked), (ArchitectureError,))
        for tensor in getattr(arch, "tensors", ()):
            assert tensor.rows >= 0
            assert tensor.row_width >= 0
        given_values = Given(repo="acme/new-8b", model_id="new-8b")
        sound(lambda: draft_model(catalog, read, given_values), (DraftError,))

    spoil()


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b"[]", b"{}", b"\xff\xfe", b"\xef\xbb\xbf{}", b"[" * 50_000, b"{\"a\":" * 50_000,
     b'{"a": NaN}', b'{"a": 1e999}', b'{"a": ' + b"1" * 5000 + b"}", b'{"a": "\\ud800"}'],
    ids=repr,
)  # fmt: skip
def test_what_is_no_config(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content if len(content) < 100_000 else content[:100_000])
    sound(lambda: read_source(str(path)), (SourceError,))


def _text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def small_gguf() -> bytes:
    """A header with a key of each sort and two tensors, written by the specification."""
    keys = [
        _text(b"general.architecture") + struct.pack("<I", 8) + _text(b"llama"),
        _text(b"llama.block_count") + struct.pack("<II", 4, 1),
        _text(b"llama.rope.freq_base") + struct.pack("<If", 6, 1e4),
        _text(b"tokenizer.ggml.tokens")
        + struct.pack("<IIQ", 9, 8, 3)
        + _text(b"a")
        + _text(b"bb")
        + _text(b"ccc"),
        _text(b"tokenizer.ggml.scores") + struct.pack("<IIQ3f", 9, 6, 3, 0.5, 0.5, 0.5),
        _text(b"general.alignment") + struct.pack("<II", 4, 32),
    ]
    tensors = [
        _text(b"output_norm.weight") + struct.pack("<IQIQ", 1, 64, 0, 0),
        _text(b"blk.0.ffn_up.weight") + struct.pack("<IQQIQ", 2, 64, 8, 8, 256),
    ]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys))
    return head + b"".join(keys) + b"".join(tensors)


def header(path: Path, content: bytes) -> object:
    path.write_bytes(content)
    import gguf.constants  # noqa: F401 (not what is measured)

    tracemalloc.start()
    try:
        found = sound(lambda: read_header(path), (GgufError,))
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()
    return found


def test_a_gguf_header_is_read(tmp_path: Path) -> None:
    found = header(tmp_path / "a.gguf", small_gguf() + bytes(1000))
    assert getattr(found, "architecture", None) == "llama"
    assert [tensor.elements for tensor in getattr(found, "tensors", [])] == [64, 512]


def test_a_gguf_header_cut_off_anywhere(tmp_path: Path) -> None:
    whole = small_gguf()
    for length in range(len(whole)):
        assert header(tmp_path / "a.gguf", whole[:length]) is None, length


@tries(150)
@given(st.data())
def test_a_gguf_header_with_bytes_changed(drawn: st.DataObject) -> None:
    import tempfile

    whole = bytearray(small_gguf() + bytes(200))
    for _ in range(drawn.draw(st.integers(1, 3))):
        at = drawn.draw(st.integers(0, len(whole) - 9))
        new = drawn.draw(
            st.sampled_from(
                [b"\xff" * 8, b"\xff" * 4, b"\x00" * 8, struct.pack("<Q", 2**40), b"\x09"]
            )
        )
        whole[at : at + len(new)] = new
    with tempfile.TemporaryDirectory() as folder:
        header(Path(folder) / "a.gguf", bytes(whole))


@pytest.mark.parametrize("count", [2**16, 2**32, 2**48, 2**63, 2**64 - 1])
@pytest.mark.parametrize("place", [8, 16])
def test_absurd_counts_allocate_nothing(tmp_path: Path, place: int, count: int) -> None:
    whole = bytearray(small_gguf() + bytes(200))
    whole[place : place + 8] = struct.pack("<Q", count)
    assert header(tmp_path / "a.gguf", bytes(whole)) is None


def test_empty_texts_without_end(tmp_path: Path) -> None:
    many = 150_000  # each takes eight bytes: as many as the file has room for
    key = _text(b"tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, many) + bytes(8 * many)
    content = struct.pack("<4sIQQ", b"GGUF", 3, 0, 1) + key
    assert header(tmp_path / "a.gguf", content) is not None
