"""The search index: words by rule, nothing twice."""

from __future__ import annotations

import json

import pytest
from machine_sample import sample_context

from vramsite.site.machine.search_index import (
    device_words,
    further_words,
    model_words,
    pieces_of,
    search_index,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Llama 3.3 70B Instruct", ["llama", "3.3", "70b", "instruct"]),
        ("gpt-oss-120b", ["gpt", "oss", "120b"]),
        ("Ryzen AI Max+ 395", ["ryzen", "ai", "max", "395"]),
        ("Z.ai GLM-4.5 (355B-A32B).", ["z", "ai", "glm", "4.5", "355b", "a32b"]),
        ("MacBook Pro / M3_Max", ["macbook", "pro", "m3", "max"]),
        ("Café", ["cafe"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("word", "pieces"),
    [("qwen3", ["qwen", "3"]), ("70b", ["70", "b"]), ("3.3", ["3.3"]), ("m3", ["m", "3"])],
)
def test_pieces(word: str, pieces: list[str]) -> None:
    assert pieces_of(word) == pieces


@pytest.mark.parametrize(
    ("name", "texts", "words"),
    [
        ("RTX 4090", ["NVIDIA", "rtx-4090", "24gb"], "24gb nvidia"),
        ("DeepSeek V4 Flash", ["DeepSeek", "284b"], "284b"),
        ("Qwen3 8B", ["Qwen", "Qwen/Qwen3-8B", "8b"], ""),
    ],
)
def test_further_words_are_those_the_name_lacks(name: str, texts: list[str], words: str) -> None:
    assert further_words(name, *texts) == words


def test_sizes_are_words_too() -> None:
    site = sample_context(models={"small-8b": {"name": "Acme", "params_headline_b": 2800.0}})
    assert {"2800b", "2.8t"} <= set(model_words(site.catalog.models["small-8b"]).split())
    assert "12gb" not in device_words(site.catalog.gpus["mid-12gb"]).split()  # in "mid-12gb"


def test_the_index_names_every_entry_once() -> None:
    site = sample_context()
    index = json.loads(search_index(site.catalog, "https://example.org/s.json"))
    assert [entry[0] for entry in index["models"]] == list(site.catalog.models)
    assert [entry[0] for entry in index["devices"]] == list(site.catalog.gpus)
