"""A repository by its name: what is taken from it, and what is said without extra or network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from vramsite.contribute.config_source import SourceError, read_source


class GatedRepoError(Exception):
    pass


class RepositoryNotFoundError(Exception):
    pass


class HfHubHTTPError(Exception):
    pass


def stand_in(monkeypatch: pytest.MonkeyPatch, download: Any) -> None:
    details = SimpleNamespace(
        sha="abc123",
        safetensors=SimpleNamespace(total=1235814400),
        siblings=[
            SimpleNamespace(rfilename="model-00001-of-00002.safetensors", size=1000),
            SimpleNamespace(rfilename="model-00002-of-00002.safetensors", size=500),
            SimpleNamespace(rfilename="original/consolidated.safetensors", size=9),
            SimpleNamespace(rfilename="README.md", size=7),
        ],
        card_data=SimpleNamespace(license="apache-2.0"),
    )
    hub, errors = ModuleType("huggingface_hub"), ModuleType("huggingface_hub.errors")
    for error in (GatedRepoError, RepositoryNotFoundError, HfHubHTTPError):
        setattr(errors, error.__name__, error)
    api = SimpleNamespace(model_info=lambda repo, files_metadata: details)
    logging = SimpleNamespace(set_verbosity_error=lambda: None)
    for name, value in (
        ("hf_hub_download", download),
        ("HfApi", lambda: api),
        ("utils", SimpleNamespace(logging=logging)),
    ):
        setattr(hub, name, value)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)


def test_config_count_size_and_licence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llama"}), encoding="utf-8")
    stand_in(monkeypatch, lambda repo, name: str(path))
    source = read_source("acme/toy")
    assert source.config == {"model_type": "llama"}
    assert source.repo == "acme/toy"
    assert source.params_total == 1235814400
    assert source.checkpoint_bytes == 1500
    assert source.license == "apache-2.0"
    assert "abc123" in source.read_from


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (GatedRepoError(), "asks for consent"),
        (RepositoryNotFoundError(), "no such repository"),
        (HfHubHTTPError(), "cannot be reached"),
        (ConnectionError(), "cannot be reached"),
    ],
)
def test_what_goes_wrong_is_said(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(repo: str, name: str) -> str:
        raise error

    stand_in(monkeypatch, fail)
    with pytest.raises(SourceError, match=message):
        read_source("acme/toy")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(SourceError, match=r"vramsite\[hub\]"):
        read_source("acme/toy")
