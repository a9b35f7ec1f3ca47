"""Files of rows from outside: three kinds by header, and one clear message for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.evidence.rows import MOST_ROWS, RowsError, read_rows

MEMORY = (
    "model,quant,placement,n_ctx,n_seq,kv_unified,n_ubatch,type_k,type_v,kv_bytes,error\n"
    "some-model,Q4_K_M,all layers on 1 CUDA device,4096,2,1,512,f16,q8_0,268435456,\n"
)
WEIGHTS = "model,quant,imatrix,bytes\nsome-model,IQ4_XS,1,15182923776\n"
MEASUREMENTS = (
    "model_id,engine,metric,value,quant,gpu_count\nsome-model,llama.cpp,kv_mib,256.5,Q4_K_M,2\n"
)


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "rows.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_memory_rows_are_known_by_their_header(tmp_path: Path) -> None:
    found = read_rows(written(tmp_path, MEMORY))
    assert found.kind == "memory"
    row = found.accounting[0]
    assert (row.model, row.n_ctx, row.n_seq, row.kv_unified) == ("some-model", 4096.0, 2.0, True)
    assert row.measured == {"kv_bytes": 268435456.0}
    assert row.flash_attention  # not stated: llama.cpp's own choice
    assert row.n_outputs_max == 2.0  # not stated: one a sequence


def test_weight_rows_are_known_by_their_header(tmp_path: Path) -> None:
    found = read_rows(written(tmp_path, WEIGHTS))
    assert found.kind == "weights"
    assert found.weights[0].imatrix
    assert found.weights[0].measured == {"bytes": 15182923776.0}


def test_measurement_rows_are_known_by_their_header(tmp_path: Path) -> None:
    row = read_rows(written(tmp_path, MEASUREMENTS)).measurements[0]
    assert (row.model_id, row.metric, row.value, row.gpu_count) == (
        "some-model",
        "kv_mib",
        256.5,
        2,
    )
    assert row.usable  # no word of the opposite


def test_columns_in_any_order_and_further_ones(tmp_path: Path) -> None:
    text = "note,bytes,quant,model\nmine,12,Q8_0,some-model\n"
    assert read_rows(written(tmp_path, text)).weights[0].model == "some-model"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + WEIGHTS,
        WEIGHTS.replace("\n", "\r\n"),
        WEIGHTS.rstrip("\n"),
        WEIGHTS + "\n\n",
        WEIGHTS.replace(",IQ4_XS,", ', "IQ4_XS" ,').replace(' "IQ4_XS" ', "IQ4_XS"),
    ],
    ids=["byte order mark", "CRLF", "no last line end", "blank lines", "spaces"],
)
def test_what_spreadsheets_do_to_a_file(tmp_path: Path, text: str) -> None:
    row = read_rows(written(tmp_path, text)).weights[0]
    assert (row.model, row.quant, row.measured["bytes"]) == ("some-model", "IQ4_XS", 15182923776.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no header"),
        ("model,quant\na,b\n", "bytes is missing"),
        ("model,model,quant,bytes\na,a,b,1\n", "'model' is there twice"),
        ("model,quant,bytes\n", "no rows"),
        ("model,quant,bytes\na,b\n", ":2: 2 cells, the header has 3"),
        ("model,quant,bytes\na,b,many\n", ":2: bytes: found 'many'; write a number"),
        ("model,quant,bytes\na,b,-4\n", ":2: bytes: found -4"),
        ("model,quant,bytes\na,b,nan\n", ":2: bytes: found nan"),
        ("model,quant,bytes\na,b,inf\n", ":2: bytes: found inf"),
        ("model,quant,bytes\na,b,1.5\n", ":2: bytes: found 1.5; write a whole number"),
        ("model,quant,bytes\n,b,1\n", ":2: model: is empty"),
        ('model,quant,bytes\na,"b,1\n', "not valid CSV"),
        (b"model,quant,bytes\n\xff\xfe,b,1\n", "not UTF-8"),
        (b"model,quant,bytes\na\0,b,1\n", "zero bytes"),
        (MEMORY.replace(",4096,", ",0,"), "n_ctx: found 0"),
        (MEMORY.replace(",2,1,512", ",2,perhaps,512"), "kv_unified: found 'perhaps'; write 0 or 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(RowsError) as caught:
        read_rows(written(tmp_path, text))
    assert words in str(caught.value)
    assert "rows.csv" in str(caught.value)


def test_all_faults_of_a_file_are_shown_at_once(tmp_path: Path) -> None:
    with pytest.raises(RowsError) as caught:
        read_rows(written(tmp_path, "model,quant,bytes\na,b,x\na,b,1\na,b,y\n"))
    assert [line.split(":")[1] for line in str(caught.value).splitlines()] == ["2", "4"]


def test_a_folder_and_a_missing_file_are_no_files(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.csv"):
        with pytest.raises(RowsError, match="no such file"):
            read_rows(path)


def test_files_have_a_limit(tmp_path: Path) -> None:
    with pytest.raises(RowsError, match="more than"):
        read_rows(written(tmp_path, "model,quant,bytes\n" + "a,b,1\n" * (MOST_ROWS + 1)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MEASUREMENTS.replace("256.5", "0"), "value: found 0"),
        (MEASUREMENTS.replace(",2\n", ",none\n"), "gpu_count: found none"),
    ],
)
def test_a_measurement_that_cannot_be_read_is_set_aside_alone(
    tmp_path: Path, text: str, words: str
) -> None:
    good = MEASUREMENTS.splitlines()[1]
    found = read_rows(written(tmp_path, f"{text}{good}\n"))
    assert len(found.measurements) == 1
    [(metric, reason)] = found.unreadable
    assert metric == found.measurements[0].metric
    assert reason.startswith("line 2: ")
    assert words in reason
