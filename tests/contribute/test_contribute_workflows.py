"""Workflows: pinned by commit, least rights, nothing of a stranger's in a shell."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from vramsite.contribute.links import dead_links, links_in

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONS = sorted((ROOT / ".github" / "actions").glob("*/action.yml"))


def _on(workflow: dict[Any, Any]) -> Any:
    return workflow[True]  # YAML 1.1 reads the key `on` as true


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=lambda path: str(path.name))
def test_actions_are_pinned_by_commit(path: Path) -> None:
    for used in re.findall(r"uses:\s*(\S+)(.*)", path.read_text(encoding="utf-8")):
        if used[0].startswith("./"):
            continue
        assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", used[0]), used[0]
        assert re.search(r"# v\d+\.\d+\.\d+", used[1]), f"{used[0]}: say which version it is"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.name))
def test_rights_are_least(path: Path) -> None:
    """Rights to write are given to single jobs, and never where a pull request's code runs."""
    workflow = read(path)
    assert set((workflow["permissions"] or {"": "read"}).values()) <= {"read"}
    triggers = _on(workflow)
    assert "pull_request_target" not in triggers
    writing = [
        name
        for name, job in workflow["jobs"].items()
        if "write" in (job.get("permissions") or {}).values()
    ]
    if "pull_request" in triggers:
        assert writing == []
    for name in writing:
        text = json.dumps(workflow["jobs"][name])
        assert "pip install" not in text
        assert ".venv/bin" not in text


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.name))
def test_shells_get_no_text_of_strangers(path: Path) -> None:
    for job in read(path)["jobs"].values():
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), "pass it by env:"


def test_issue_forms_ask_for_what_is_needed() -> None:
    forms = {
        path.stem: read(path)
        for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")
        if path.stem != "config"
    }
    assert len(forms) == 4
    for form in forms.values():
        assert {"name", "description", "body"} <= set(form)
        fields = [item for item in form["body"] if item["type"] != "markdown"]
        assert len({item["id"] for item in fields}) == len(fields)
        assert any(item.get("validations", {}).get("required") for item in fields)


def test_the_matcher_reads_the_faults_that_check_prints() -> None:
    matcher = json.loads((ROOT / ".github" / "check-matcher.json").read_text(encoding="utf-8"))
    (pattern,) = matcher["problemMatcher"][0]["pattern"]
    line = "data/gpus/nvidia/rtx-4090.yaml:12: tdp_w: found 0; must be greater than 0"
    match = re.match(pattern["regexp"], line)
    assert match is not None
    assert match[pattern["file"]] == "data/gpus/nvidia/rtx-4090.yaml"
    assert match[pattern["line"]] == "12"
    assert match[pattern["message"]] == "tdp_w: found 0; must be greater than 0"


def test_links_are_found_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "data" / "gpus").mkdir(parents=True)
    text = "sources:\n  a: page https://a.example/x (2026), https://b.example/y.\n"
    (tmp_path / "data" / "gpus" / "x.yaml").write_text(text, encoding="utf-8")
    links = links_in(tmp_path / "data")
    assert links == {
        "https://a.example/x": ["data/gpus/x.yaml:2"],
        "https://b.example/y": ["data/gpus/x.yaml:2"],
    }
    (dead,) = dead_links(links, lambda url: "HTTP 404" if "b.example" in url else None)
    assert (dead.url, dead.reason) == ("https://b.example/y", "HTTP 404")
