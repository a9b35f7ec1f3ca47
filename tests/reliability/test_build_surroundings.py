"""Builds in odd surroundings, over tampered sites and stores: the same bytes, or a refusal."""

from __future__ import annotations

import ctypes
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from build_case import FAULTY, REST, SOURCE, Case, contents
from fault_site import PAGES, write_fault_site
from typer.testing import CliRunner

from vramsite.cli import app
from vramsite.site.build import build_site
from vramsite.site.executor import BuildError
from vramsite.site.last import last_build
from vramsite.site.manifest import MANIFEST, ManifestError, differences, manifest_parts
from vramsite.site.publish import PublishError, spare_folder, store_file
from vramsite.site.shards import merge
from vramsite.site.spec import BuildSpec

C_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
SURROUNDINGS: dict[str, dict[str, str]] = {
    "hash seed": {"PYTHONHASHSEED": "4242"},
    "no UTF-8": C_LOCALE | {"PYTHONIOENCODING": "ascii"},
    "wrong locale": {"LC_ALL": "xx_XX.KOI8-R", "LANG": "de_DE.ISO-8859-1", "LANGUAGE": "fr"},
    "time zone": {"TZ": "Pacific/Kiritimati"},
    "clock back": {"FAULT_CLOCK": "-900000000"},
    "clock ahead": {"FAULT_CLOCK": "900000000"},
}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("surroundings"))


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_the_same_bytes_in_any_surroundings(case: Case, name: str) -> None:
    before = contents(case.out)
    status, text = case.broken_build(jobs=1, force=True, **SURROUNDINGS[name])
    assert (status, text) == (0, "")
    assert contents(case.out) == before
    case.change()
    status, text = case.broken_build(jobs=1, **SURROUNDINGS[name])
    assert (status, text) == (0, "")
    assert contents(case.out) == case.after


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_the_same_bytes_under_any_mask_folder_and_number_of_workers(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, mask: int
) -> None:
    monkeypatch.chdir(tmp_path)
    last = os.umask(mask)
    try:
        build_site(case.spec, Path("out"), jobs)
    finally:
        os.umask(last)
    assert contents(tmp_path / "out") == contents(case.out)


@pytest.mark.parametrize("count", [2, 5])
def test_the_same_bytes_from_shards(case: Case, tmp_path: Path, count: int) -> None:
    parts = []
    for number in range(1, count + 1):
        spec = BuildSpec.from_json(case.spec.to_json())
        object.__setattr__(spec, "shard", f"{number}/{count}")
        parts.append(tmp_path / f"part{number}")
        build_site(spec, parts[-1], 0)
    merge(parts, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(case.out)


def test_a_path_with_spaces_and_umlauts(case: Case, tmp_path: Path) -> None:
    other = Case(tmp_path / "Über uns" / "größte 'Seiten' %20 #1 \udcff")
    other.change()
    status, text = other.broken_build(jobs=1, **SURROUNDINGS["wrong locale"])
    assert (status, text) == (0, "")
    assert contents(other.out) == other.after
    other.change()
    other.check_next_build()


def test_another_file_system_than_that_of_temporary_files(tmp_path: Path) -> None:
    shm = Path("/dev/shm")
    if not os.access(shm, os.W_OK) or shm.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system")
    with tempfile.TemporaryDirectory(dir=shm) as folder:
        case = Case(tmp_path, Path(folder) / "out")
        case.change()
        status, text = case.broken_build(jobs=1, TMPDIR=str(tmp_path))
        assert (status, text) == (0, "")
        assert contents(case.out) == case.after


def test_a_linked_output_is_refused(case: Case, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(case.out)
    with pytest.raises(PublishError, match=f"symbolic link.*name the folder itself .{case.out}"):
        build_site(case.spec, tmp_path / "link", 0)
    (tmp_path / "file").write_text("x")
    with pytest.raises(PublishError, match="is a file: name another output folder or remove it"):
        build_site(case.spec, tmp_path / "file", 0)
    (tmp_path / "here").symlink_to(case.out.parent)
    assert build_site(case.spec, tmp_path / "here" / "out", 0).output.is_dir()


PAGE = "en/models/model-1/large/index.html"


def _replace(path: Path, text: str) -> None:
    """As editors do: a new file in the old one's place."""
    new = path.with_name("new")
    new.write_text(text)
    new.rename(path)


def _link(path: Path) -> None:
    target = path.parents[5] / "elsewhere.txt"
    target.write_text("somebody's")
    path.unlink()
    path.symlink_to(target)


def _folder(path: Path) -> None:
    path.unlink()
    (path / "more").mkdir(parents=True)
    (path / "more" / "x.html").write_text("x")


def _file_for_folder(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_text("no folder any more")


def _linked_folder(path: Path) -> None:
    elsewhere = path.parents[5] / "mine"
    shutil.copytree(path.parent, elsewhere, dirs_exist_ok=True)
    (elsewhere / "index.html").write_text("mine")
    shutil.rmtree(path.parent)
    path.parent.symlink_to(elsewhere)


TAMPERED: dict[str, Callable[[Path], object]] = {
    "written into": lambda path: path.write_text("by hand"),
    "replaced": lambda path: _replace(path, "by hand"),
    "removed": Path.unlink,
    "linked": _link,
    "a folder": _folder,
    "a file for a folder": _file_for_folder,
    "a linked folder": _linked_folder,
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "an extra file": lambda path: path.with_name("extra.html").write_text("extra"),
    "no list": lambda path: (path.parents[4] / MANIFEST).unlink(missing_ok=True),
}


@pytest.mark.parametrize(
    ("how", "spare"), [(how, spare) for how in TAMPERED for spare in (False, True)]
)
def test_a_site_altered_by_hand_is_put_right(tmp_path: Path, how: str, spare: bool) -> None:
    """Over three builds, so that each of the two folders is written over once."""
    case = Case(tmp_path)
    case.change()
    build_site(case.spec, case.out, 0)
    folder = spare_folder(case.out) if spare else case.out
    TAMPERED[how](folder / PAGE)
    if how != "no list":
        path = next((folder / "assets").rglob("style.css"))
        _replace(path, "body { display: none }")
    for _ in range(3):
        case.change()
        case_after = case.after
        build_site(case.spec, case.out, 0)
        assert contents(case.out) == case_after
        assert differences(case.out) == []
    mine = tmp_path / "site" / "mine"
    if mine.exists():  # a folder elsewhere that was linked: nothing in it was touched
        assert contents(mine) == {"index.html": b"mine"}
        shutil.rmtree(mine)
    for path in tmp_path.rglob("elsewhere.txt"):
        assert path.read_text() == "somebody's"


def _sql(*statements: str) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return spoil


def _foreign(path: Path) -> None:
    path.unlink()
    _sql("create table meta(a, b, c)", "insert into meta values(1, 2, 3)")(path)


STORES: dict[str, Callable[[Path], object]] = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-5000]),
    "empty": lambda path: path.write_bytes(b""),
    "no database": lambda path: path.write_bytes(b"PK\x03\x04" * 1000),
    "of somebody else": _foreign,
    "older": _sql("update meta set value = '0' where name = 'format'"),
    "without its list": _sql("delete from meta where name = 'manifest'"),
    "without rules": _sql("delete from meta where name = 'rules'"),
    "without files": _sql("delete from files"),
    "without a table": _sql("drop table origins"),
    "no text": _sql("update meta set value = x'ff00' where name = 'assets'"),
}


@pytest.mark.parametrize("how", STORES)
def test_a_store_that_cannot_be_used_is_refused(tmp_path: Path, how: str) -> None:
    case = Case(tmp_path)
    STORES[how](store_file(case.out))
    case.change()
    summary = build_site(case.spec, case.out, 0)
    assert summary.pages == PAGES
    assert contents(case.out) == case.after
    assert last_build(case.out) is not None
    case.change()
    assert build_site(case.spec, case.out, 0).pages < PAGES
    assert contents(case.out) == case.after


def _no_superuser() -> None:
    """Root that has no more rights than the owner of the files."""
    if os.geteuid() == 0:
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            ctypes.CDLL(None).prctl(24, capability)  # PR_CAPBSET_DROP


PERMISSIONS: dict[str, tuple[str, int]] = {
    "site cannot be read": ("out", 0o000),
    "file of the site cannot be read": (f"out/{PAGE}", 0o000),
    "file of the site cannot be written": (f"out/{PAGE}", 0o444),
    "folder of the site cannot be read": (f"out/{PAGE}/..", 0o000),
    "file of the spare cannot be written": (f"out.spare/{PAGE}", 0o444),
    "folder of the spare cannot be written": (f"out.spare/{PAGE}/..", 0o555),
    "store cannot be read": ("out.store", 0o000),
    "no folder may be made": (".", 0o555),
}


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")
@pytest.mark.parametrize("what", PERMISSIONS)
def test_what_may_not_be_read_or_written(tmp_path: Path, what: str) -> None:
    from build_case import COMMAND

    case = Case(tmp_path)
    case.change()
    build_site(case.spec, case.out, 0)
    case.change()
    name, mode = PERMISSIONS[what]
    path = (case.out.parent / name).resolve()
    usual = path.stat().st_mode
    path.chmod(mode)
    try:
        given = [case.spec.to_json(), str(case.out), "1", "force"]
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *given],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(FAULTY), str(SOURCE)])},
            capture_output=True,
            text=True,
            preexec_fn=_no_superuser,
            timeout=60,
        )
    finally:
        if path.exists():
            path.chmod(usual)
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert "Permission denied" in done.stderr
        assert "make it writable for this user, or name another output folder" in done.stderr
        assert contents(case.out) == case.before
    for folder in case.out.parent.rglob("*"):
        folder.chmod(0o755 if folder.is_dir() else 0o644)
    case.check_next_build()
    assert {one.name for one in case.out.parent.iterdir()} <= REST


def verify(folder: Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["verify", str(folder)])
    return result.exit_code, result.output


def test_verify_names_what_is_wrong(tmp_path: Path) -> None:
    spec = write_fault_site(tmp_path / "project")
    out = tmp_path / "out"
    build_site(spec, out, 0)
    whole = (out / MANIFEST).read_text()
    assert verify(out) == (0, f"{out}: {len(whole.splitlines())} files as in {MANIFEST}\n")
    (out / PAGE).write_text("changed")
    (out / "robots.txt").unlink()
    (out / "extra.txt").touch()
    (out / "de/index.html").unlink()
    (out / "de/index.html").symlink_to(out / "en/index.html")
    status, text = verify(out)
    assert status == 1
    assert set(text.splitlines()) == {
        f"changed: {PAGE}",
        "changed: de/index.html",
        "extra: extra.txt",
        "missing: robots.txt",
        f"{out}: 4 files are not as built",
    }
    for content in (whole[:-1], whole[:1000], "", "no list\n", whole + "ff  x\n", "\xff\n"):
        (out / MANIFEST).write_text(content, encoding="latin-1")
        status, text = verify(out)
        assert status == 1, content[-80:]
        assert "Traceback" not in text
    (out / MANIFEST).unlink()
    (out / MANIFEST).mkdir()
    assert verify(out)[0] == 1
    shutil.rmtree(out)
    assert verify(out)[0] == 1


def test_no_two_addresses_differ_by_case_only(case: Case) -> None:
    with pytest.raises(ManifestError, match="a/B and a/b differ only in case: rename one of them"):
        list(manifest_parts([("a/B", b""), ("a/b", b"")]))
    folded = [name.casefold() for name in contents(case.out)]
    assert len(set(folded)) == len(folded)


def test_a_worker_that_cannot_start_says_so(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(case.root / "no-python"))
    with pytest.raises(BuildError, match="no-python"):
        build_site(case.spec, case.out, 1, force=True)
