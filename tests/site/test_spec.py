from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.site.spec import BuildSpec, SpecError, narrowed, project_spec

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
        project_spec(tmp_path)


def test_whom_to_tell_is_configured_or_nobody(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert project_spec(tmp_path).security_contact == ""
    path = tmp_path / "data/site.yaml"
    path.write_text("security_contact: mailto:safe@example.org\n")
    spec = project_spec(tmp_path)
    assert spec.security_contact == "mailto:safe@example.org"
    assert spec.base_url == "http://localhost:8000/"
    assert BuildSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize(
    "said",
    ["safe@example.org", "http://example.org/", '"mailto:a@b.org\\nExpires: never"', "''x", "7",
     "[mailto:a@b.org]", "javascript:alert(1)", "mailto:a b@c.org", "https://"],
)  # fmt: skip
def test_a_contact_that_is_none(tmp_path: Path, said: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/site.yaml").write_text(f"security_contact: {said}\n")
    with pytest.raises(SpecError, match=r"site\.yaml: .*(?:mailto:name@host|not valid YAML)"):
        project_spec(tmp_path)
