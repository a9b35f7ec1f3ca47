"""What comes from elsewhere: packages locked and licensed, workflows that a stranger cannot use."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from small_catalog import ROOT

from vramsite.contribute.licences import licence_of, licence_table, locked_packages

WORKFLOWS = {path.stem: path for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
FREE = re.compile(r"Apache|BSD|MIT|ISC|PSF|Python Software|MPL|Mozilla|Unlicense|HPND|CNRI|0BSD")


def read(name: str) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(WORKFLOWS[name].read_text(encoding="utf-8"))
    return found


def steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    return list(job["steps"])


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_package_is_locked_with_its_hashes(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=[A-Za-z])", text) if re.match(r"[A-Za-z]", entry)]
    assert len(entries) > 5
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+==\S+", entry), entry.split("\n")[0]
        assert "--hash=sha256:" in entry, entry.split("\n")[0]
    assert "http" not in re.sub(r"#.*", "", text)  # no package from elsewhere


def test_few_packages_and_all_of_a_free_licence() -> None:
    packages = locked_packages(ROOT / "requirements.lock")
    assert len(packages) <= 40
    for package in packages:
        assert FREE.search(licence_of(package)), (package, licence_of(package))


def test_the_list_of_licences_is_fresh() -> None:
    kept = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    assert kept == licence_table(ROOT / "requirements.lock"), "run `vramsite licences`"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_job_that_may_write_runs_nothing_of_a_pull_request(name: str) -> None:
    """Where a stranger's pull request starts it, nothing may be written; where something may be
    written, nothing of the pull request is there to be run.
    """
    workflow = read(name)
    triggers = workflow[True]  # YAML 1.1 reads the key `on` as true
    assert set(triggers) <= {
        "push", "pull_request", "schedule", "workflow_dispatch", "workflow_run"
    }  # fmt: skip
    strangers = "pull_request" in triggers
    for job in workflow["jobs"].values():
        given = job.get("permissions", workflow["permissions"]) or {}
        writes = "write" in given.values()
        assert not (strangers and writes)
        assert not (strangers and set(given) - {"contents"})
        text = yaml.safe_dump(job)
        assert "secrets." not in text
        for step in steps(job):
            if "actions/checkout" in step.get("uses", ""):
                assert "ref" not in step.get("with", {}), "the trusted revision, nothing else"
                if not writes:
                    assert step["with"]["persist-credentials"] is False
        if "workflow_run" in triggers:
            assert "checkout" not in text
            assert not re.search(r"\b(?:python|pip|bash|sh|node|make|source|eval)\b", _shell(job))


def _shell(job: dict[str, Any]) -> str:
    return "\n".join(step.get("run", "") for step in steps(job))


def test_a_job_with_rights_to_write_takes_only_prices_from_the_patch() -> None:
    shell = _shell(read("prices")["jobs"]["propose"])
    assert "git apply --include='data/cloud/*'" in shell
    assert re.search(r"git commit .* -- data/cloud", shell)


HOSTILE_NUMBER = "7; touch harmed #$(touch harmed)`touch harmed`\n8"
HOSTILE_BODY = (
    "$(touch harmed) `touch harmed` '; touch harmed; '\n::set-output name=x::y\n"
    "[a](https://evil.example) ![b](HTTP://evil.example/x.png) @everyone <img src=x> "
    "www.evil.example\n"
)
HONEST_BODY = "| ⚠ `as_of` is as before | lambda | b200-180gb | 53.52 | 9.99 | 2026-09-20 |\n"


def run_comment(folder: Path, head_of_pull_request: str) -> tuple[int, list[list[str]]]:
    """Run the step that posts the comment, with a `gh` that only notes what it is asked."""
    (folder / "diff").mkdir()
    (folder / "diff/number").write_text(HOSTILE_NUMBER, encoding="utf-8")
    (folder / "diff/diff.md").write_text(HONEST_BODY + HOSTILE_BODY * 5000, encoding="utf-8")
    gh = folder / "gh"
    gh.write_text(
        f'#!/bin/bash\nprintf "%s\\0" "$@" END >> {folder}/asked\n'
        f'if [ "$1" = api ]; then echo {head_of_pull_request}; fi\n',
        encoding="utf-8",
    )
    gh.chmod(gh.stat().st_mode | stat.S_IXUSR)
    (job,) = read("data-comment")["jobs"].values()
    (script,) = [step["run"] for step in steps(job) if "run" in step]
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={"PATH": f"{folder}:{os.environ['PATH']}", "GH_REPO": "o/r", "HEAD": "abc"},
        capture_output=True,
        timeout=60,
    )
    asked = (folder / "asked").read_text(encoding="utf-8").split("END\0")
    return done.returncode, [call.split("\0")[:-1] for call in asked if call]


def test_what_a_hostile_pull_request_hands_over_is_only_text(tmp_path: Path) -> None:
    status, calls = run_comment(tmp_path, "abc")
    assert status == 0
    assert [call[0] for call in calls] == ["api", "pr"]
    assert calls[0][1] == "repos/o/r/pulls/7"  # ten bytes, and of these the digits
    assert calls[1][:3] == ["pr", "comment", "7"]
    assert not (tmp_path / "harmed").exists()
    body = (tmp_path / "diff/body.md").read_text(encoding="utf-8")
    assert 30_000 < len(body.encode()) <= 60_000
    assert body.startswith(HONEST_BODY)  # what `vramsite diff` writes is posted as it is
    assert not set("<>[]@") & set(body)  # no link, no markup, no picture, nobody is called
    assert not re.search(r"https?:|www\.", body, re.IGNORECASE)


def test_a_comment_on_somebody_elses_pull_request_is_refused(tmp_path: Path) -> None:
    status, calls = run_comment(tmp_path, "another-commit")
    assert status != 0
    assert [call[0] for call in calls] == ["api"]


def test_advisories_are_looked_up_without_rights() -> None:
    workflow = read("audit")
    assert workflow["permissions"] == {"contents": "read"}
    assert "pip-audit" in _shell(workflow["jobs"]["packages"])
    for name in ("requirements.lock", "requirements-dev.lock"):
        assert name in _shell(workflow["jobs"]["packages"])
