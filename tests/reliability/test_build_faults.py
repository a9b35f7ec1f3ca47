"""Builds that are killed, that find the disk full, that hang: the last good site stays."""

from __future__ import annotations

import errno
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from build_case import MANY, Case, contents, end

from vramsite.site.build import build_site
from vramsite.site.publish import PublishError

SEED = 20
OPERATIONS = {"parent": 60, "worker": 220}  # about as many as a build of the made-up site has


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("faults"))


def moments(what: str, count: int) -> Iterator[str]:
    chance = random.Random(f"{SEED} {what}")
    for _ in range(count * MANY):
        who = chance.choice(["parent", "worker"])
        yield f"{what}:{who}:{chance.randint(1, OPERATIONS[who])}"


@pytest.mark.parametrize("fault", [*moments("kill", 6), *moments("group", 3)])
def test_killed_between_two_file_operations(case: Case, fault: str) -> None:
    case.change()
    force = int(fault.rpartition(":")[2]) % 2 == 0
    status, text = case.broken_build(fault, force=force)
    case.check_served(new_too=True)
    if ":worker:" in fault and status == 1:
        assert "was killed by signal 9" in text
        assert "--jobs 1" in text
        assert contents(case.out) == case.before
    case.check_next_build()


@pytest.mark.parametrize("share", [(one + 0.5) / (3 * MANY) for one in range(3 * MANY)])
def test_killed_at_any_time(case: Case, share: float) -> None:
    case.change()
    process = case.start(jobs=2, force=True)
    time.sleep(1.5 * share)
    end(process)
    process.communicate()
    case.check_served(new_too=True)
    case.check_next_build()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("whole_group", [True, False], ids=["group", "parent alone"])
def test_asked_to_end_it_cleans_up(
    case: Case, tmp_path: Path, number: signal.Signals, whole_group: bool
) -> None:
    case.change()
    process = case.start(FAULT_HANG=str(tmp_path / "there"), force=True)
    wait_for(tmp_path / "there", process)
    if whole_group:
        end(process, number)
    else:
        process.send_signal(number)
    process.communicate(timeout=20)
    # A worker that the signal reaches first is a build that failed.
    assert process.returncode in (128 + number, -number, 1)
    assert whole_group or process.returncode != 1
    names = {path.name for path in case.out.parent.iterdir()}
    assert names <= {"out", "out.spare", "out.store"}
    case.check_served()
    case.check_next_build()


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_worker_that_hangs_ends_the_build(case: Case, tmp_path: Path) -> None:
    case.change()
    there = str(tmp_path / "there")
    status, text = case.broken_build(force=True, FAULT_HANG=there, VRAMSITE_PATIENCE_S="1.5")
    assert status == 1
    assert "no worker has said anything for 1.5 s" in text
    assert "VRAMSITE_PATIENCE_S" in text
    case.check_served()
    case.check_next_build()


@pytest.mark.parametrize("limit", ["soon", "-1", "nan", "0"])
def test_a_limit_must_be_a_number(case: Case, limit: str) -> None:
    status, text = case.broken_build(force=True, VRAMSITE_PATIENCE_S=limit)
    assert status == 1
    assert f"VRAMSITE_PATIENCE_S: found '{limit}'" in text


def test_two_builds_at_once(case: Case, tmp_path: Path) -> None:
    case.change()
    process = case.start(FAULT_HANG=str(tmp_path / "there"), force=True)
    try:
        wait_for(tmp_path / "there", process)
        with pytest.raises(PublishError, match=r"another build is writing .* wait for it to end"):
            build_site(case.spec, case.out, 0)
        case.check_served()
    finally:
        end(process)
        process.communicate()
    case.check_next_build()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("who", ["parent", "worker"])
def test_a_file_system_that_refuses(case: Case, number: int, who: str) -> None:
    case.change()
    at = random.Random(f"{SEED} {number} {who}").randint(1, OPERATIONS[who] // 4)
    status, text = case.broken_build(f"{number}:{who}:{at}", force=number == errno.ENOSPC)
    case.check_served(new_too=status == 0)
    if status:
        assert str(case.out.parent) in text
        assert "Traceback" not in text
        advice = {errno.ENOSPC: "free some space", errno.EIO: "build again"}
        assert advice.get(number, "make it writable") in text
    case.check_next_build()


def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    """A real one: each build needs some more room than there is, at another moment."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if subprocess.run(mounting, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        case = Case(tmp_path, disk / "out")
        failed = 0
        for blocks in (0, 16, 64, 128):
            case.change()
            ballast = disk / "ballast"
            with ballast.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    file.truncate(max(0, file.tell() - 4096 * blocks))
            status, text = case.broken_build(force=True)
            case.check_served(new_too=status == 0)
            failed += status != 0
            if status:
                assert "free some space" in text or "full" in text, text
                assert "Traceback" not in text
            ballast.unlink()
            case.check_next_build()
        assert failed >= 2
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
