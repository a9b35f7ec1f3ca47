"""JSON and CSV for machines: as their schemas say, with the figures of the pages, safe to open."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from machine_sample import LOCALES, ROOT, URLS, sample_context, write_sample
from typer.testing import CliRunner

from vramsite.catalog import load_catalog
from vramsite.cli import app
from vramsite.report.book import Book
from vramsite.report.sizer import Sizer
from vramsite.site.machine.api import Api
from vramsite.site.machine.encode import json_bytes
from vramsite.site.machine.schemas import SCHEMAS
from vramsite.site.machine.verdicts import COLUMNS, csv_text, safe

API = "api/v1"
KIND_OF_FOLDER = {"models": "model", "devices": "device", "pairs": "pair"}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("machine")
    write_sample(sample_context(), output)
    return output


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def kind_of(path: str) -> str:
    parts = path.split("/")
    return KIND_OF_FOLDER.get(parts[0]) or parts[0].removesuffix(".json")


def test_every_json_file_is_as_its_schema_says(sample: Path) -> None:
    found = set()
    for path in sorted((sample / API).rglob("*.json")):
        name = path.relative_to(sample / API).as_posix()
        if name.startswith("schema/"):
            continue
        kind = kind_of(name)
        schema = read(sample / API / "schema" / f"{kind}.schema.json")
        Draft202012Validator(schema).validate(read(path))
        assert read(path)["schema"] == schema["$id"]
        found.add(kind)
    assert found == set(SCHEMAS)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_one_and_lies_at_its_id(sample: Path, name: str) -> None:
    path = f"{API}/schema/{name}.schema.json"
    schema = read(sample / path)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"https://example.org/repo/{path}"


@pytest.mark.parametrize("change", [{"more": 1}, {"verdict": "perhaps"}, {"device_bytes": "5"}])
def test_a_schema_refuses_what_is_not_so(sample: Path, change: dict[str, object]) -> None:
    pair = read(sample / API / "pairs/small-8b/mid-12gb.json") | change
    assert not Draft202012Validator(SCHEMAS["pair"]).is_valid(pair)


def test_a_key_that_is_missing_is_refused(sample: Path) -> None:
    pair = read(sample / API / "pairs/small-8b/mid-12gb.json")
    for key in pair:
        less = {name: value for name, value in pair.items() if name != key}
        assert not Draft202012Validator(SCHEMAS["pair"]).is_valid(less), key


def test_addresses_lead_to_files_and_pages(sample: Path) -> None:
    index = read(sample / API / "index.json")
    catalog = read(sample / API / "catalog.json")
    base = "https://example.org/repo/"
    files = [index["catalog"], index["verdicts_csv"], *index["schemas"].values()]
    files += [entry["data"] for kind in ("models", "devices") for entry in catalog[kind]]
    files += index["feeds"].values()
    for model in catalog["models"]:
        for device in catalog["devices"]:
            for name in ("pair", "badge"):
                files.append(index[name].format(model=model["id"], device=device["id"]))
    for address in files:
        assert address.startswith(base)
        assert (sample / address.removeprefix(base)).is_file(), address
    pair = read(sample / API / "pairs/small-8b/mid-12gb.json")
    assert pair["pages"] == {
        locale: f"{base}{locale}/models/small-8b/mid-12gb/" for locale in LOCALES
    }


def test_a_pair_says_what_the_command_prints() -> None:
    catalog = load_catalog(ROOT / "data")
    model_id, gpu_id = "glm-4.5", "rtx-4090"
    api = Api(Book(catalog, Sizer(catalog)), URLS, LOCALES)
    told = json.loads(api.pair(model_id, gpu_id))
    result = CliRunner().invoke(app, ["size", model_id, gpu_id, "--json"])
    printed = json.loads(result.stdout)
    # The command alone names the runs beside its estimate; their rows are one file of the API. It
    # alone seeks how far the device goes, too: GLM-4.5 never lies whole on 24 GB.
    assert {"model", "device", "decode_tps"} <= set(printed.pop("nearest_measurements")[0])
    assert printed.pop("largest_context_tokens") is None
    assert printed.pop("most_sequences") is None
    assert {key: told[key] for key in printed} == printed
    assert set(told) - set(printed) == {"pages", "badge", "schema"}


def test_a_pair_file_is_small() -> None:
    catalog = load_catalog(ROOT / "data")
    api = Api(Book(catalog, Sizer(catalog)), URLS, LOCALES)
    for model_id in ("qwen3.5-397b-a17b", "nemotron-3-super-120b-a12b", "deepseek-v4.1-flash"):
        assert len(api.pair(model_id, "mac-studio-m3-ultra-512gb")) < 2560


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.1, "0.1"),
        (-2.0, "-2"),
        (1e22, "10000000000000000000000"),
        ("Größe 1.0, x", '"Größe 1.0, x"'),
        ({"a": [1.0, None, True]}, '{"a":[1,null,true]}'),
    ],
)
def test_numbers_print_short_and_texts_as_they_are(value: object, text: str) -> None:
    assert json_bytes(value).decode() == f"{text}\n"


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_json_cannot_hold_is_refused(value: float) -> None:
    with pytest.raises((ValueError, OverflowError)):
        json_bytes([value])


def test_the_table_holds_every_pair_once_in_order(sample: Path) -> None:
    text = (sample / API / "verdicts.csv").read_bytes().decode()
    assert text.count("\r\n") == text.count("\n") == 9
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    pairs = [(row["model"], row["device"]) for row in rows]
    assert pairs == sorted(pairs)
    assert len(set(pairs)) == 8
    first = next(row for row in rows if row["device"] == "mid-12gb")
    pair = read(sample / API / "pairs" / first["model"] / "mid-12gb.json")
    assert first["verdict"] == pair["verdict"]
    assert float(first["device_bytes"]) == pair["device_bytes"]
    assert float(first["decode_tps"]) == pair["decode_tps"]["value"]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", '"\'\r=1"'),
        ("a,b", '"a,b"'),
        ("Qwen3 8B", "Qwen3 8B"),
        ("a=b", "a=b"),
    ],
)
def test_no_text_is_taken_for_a_formula(text: str, cell: str) -> None:
    assert csv_text([(text,)]) == f"{cell}\r\n"


@pytest.mark.parametrize(("value", "cell"), [(-1.5, "-1.5"), (2.0, "2"), (None, '""')])
def test_numbers_stay_numbers(value: float | None, cell: str) -> None:
    assert csv_text([(value,)]) == f"{cell}\r\n"


def test_a_name_like_a_formula_is_disarmed_in_the_table(tmp_path: Path) -> None:
    site = sample_context(models={"small-8b": {"name": "=cmd|' /C calc'!A0"}})
    write_sample(site, tmp_path)
    text = (tmp_path / API / "verdicts.csv").read_text()
    assert ",'=cmd|' /C calc'!A0," in text
    assert safe("=cmd") == "'=cmd"


def test_the_same_bytes_again(sample: Path, tmp_path: Path) -> None:
    write_sample(sample_context(), tmp_path)
    first, second = (
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        for folder in (sample, tmp_path)
    )
    assert first == second


def test_the_text_for_language_models_names_what_there_is(sample: Path) -> None:
    text = (sample / "llms.txt").read_text()
    assert text.startswith("# vramsite\n\n> ")
    for link in ("en/models/", "api/v1/catalog.json", "api/v1/models/small-8b.json"):
        assert f"(https://example.org/repo/{link})" in text
