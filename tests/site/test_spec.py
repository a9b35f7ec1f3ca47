from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.site.spec import BuildSpec, SpecError, configured_base_url, narrowed, project_spec

SPEC = BuildSpec(data_dir="/d", templates_dir="/t", locales_dir="/l", models=("a",), shard="1/2")


def test_a_spec_travels_as_one_line() -> None:
    line = SPEC.to_json()
    assert "\n" not in line
    assert BuildSpec.from_json(line) == SPEC


def test_only_adds_up() -> None:
    spec = narrowed(SPEC, ["models=b,c", "devices=x", "devices=y"])
    assert (spec.models, spec.devices) == (("a", "b", "c"), ("x", "y"))


@pytest.mark.parametrize("only", ["models", "model=a", "devices=", "=a"])
def test_bad_filters(only: str) -> None:
    with pytest.raises(SpecError, match="must look like"):
        narrowed(SPEC, [only])


def test_the_address_is_configured_or_given(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert project_spec(tmp_path).base_url == "http://localhost:8000/"
    (tmp_path / "data/site.yaml").write_text("base_url: https://example.org/repo/\n")
    assert project_spec(tmp_path).base_url == "https://example.org/repo/"
    assert project_spec(tmp_path, "https://other.org/").base_url == "https://other.org/"
    (tmp_path / "data/site.yaml").write_text("url: https://example.org/\n")
    with pytest.raises(SpecError, match="base_url"):
        configured_base_url(tmp_path / "data")
