"""Files that are no honest YAML: refused in a sentence with file and line, quickly, or harmless."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_values import TEXTS, tries
from hypothesis import given
from hypothesis import strategies as st
from outcomes import MOST_SECONDS, outcome, readable
from small_catalog import write_small

from vramsite.catalog.check import check
from vramsite.catalog.rule_files import LOADERS
from vramsite.site.pages import PageKey

MODEL = "models/qwen/qwen3-8b.yaml"
GPU = "gpus/nvidia/rtx-4090.yaml"
CLOUD = "cloud/lambda.yaml"
PAGES = [PageKey("pair", ("qwen3-8b", "rtx-4090")), PageKey("model", ("qwen3-8b",))]
LONG = "x" * 400_000


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small(tmp_path_factory.mktemp("text"))


def faults_with(data: Path, name: str, content: bytes) -> list[str]:
    """The faults of the catalog with another content of one file, in the time there is."""
    path = data / name
    kept = path.read_bytes() if path.is_file() else None
    path.write_bytes(content)
    try:
        started = time.process_time()
        faults = check(data)
        assert time.process_time() - started < MOST_SECONDS
        readable(faults)
        return [str(fault) for fault in faults]
    finally:
        if kept is None:
            path.unlink()
        else:
            path.write_bytes(kept)


# What is put into a file, and a part of what is said about it.
WHOLE: dict[str, tuple[str, str]] = {
    "empty": ("", "must be a mapping"),
    "only a comment": ("# nothing\n", "must be a mapping"),
    "a text": ("hello", "must be a mapping"),
    "a list": ("- name: x\n", "must be a mapping"),
    "two documents": ("name: x\n---\nname: y\n", "a single document"),
    "a binary": ("\x00\x01\x02", "YAML"),
    "an alias": ("name: &a x\nvendor: *a\n", "is an alias"),
    "an alias of nothing": ("name: *nothing\n", "undefined alias"),
    "an alias of itself": ("config: &a\n  b: *a\n", "is an alias"),
    "a merge key": ("config: &a {b: 1}\nsources:\n  <<: *a\n", "is an alias"),
    "an alias bomb": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{new}: &{new} [{', '.join(9 * [f'*{old}'])}]\n" for old, new in
                  zip("abcdefgh", "bcdefghi", strict=True)),
        "is an alias",
    ),
    "a Python object": ("name: !!python/object/apply:os.system ['id']\n", "has the tag"),
    "a set": ("name: !!set {a, b}\n", "has the tag"),
    "a tag of one's own": ("name: !x y\n", "has the tag"),
    "a long tag": (f"name: !{'x' * 5000} y\n", "tag"),
    "a directive": ("%YAML 3.0\n---\nname: x\n", "YAML"),
    "flow without end": ("name: [", "YAML"),
    "deep in flow": ("x: " + "[" * 5000, "nested deeper"),
    "deep in flow, balanced": ("x: " + "[" * 30 + "]" * 30, "nested deeper"),
    "deep behind texts": ("x: ']]]]]]]]]]'\ny: " + "[" * 30 + "]" * 30, "nested deeper"),
    "deep between texts": ("x: " + "[']', " * 900 + "1" + "]" * 900, "nested deeper"),
    "deep in blocks": ("\n".join(" " * level + "a:" for level in range(300)), "nested deeper"),
    "deep in dashes": ("- " * 5000 + "1", "nested deeper"),
    "a tab": ("name: x\n\tvendor: y\n", "tab"),
    "one long key": (f"{LONG}: x\n", "YAML"),
    "one long value": (f"name: {LONG}\n", "at most 120 characters"),
    "spaces without end": ("name: x\n" + "-" + " " * 900_000 + "x\n", "nested deeper"),
    "no-break spaces without end": ("\u00a0" * 450_000 + "TODOx\n", "mapping"),
    "dashes without end": ("a: '" + "- " * 400_000 + "TODOx'\n", "not a known key"),
    "keys without end": ("".join(f"k{n}: 1\n" for n in range(30_000)), "more faults"),
    "faults without end": ("x: [" + ", ".join(["!y z"] * 30_000) + "]\n", "more faults"),
    "aliases without end": ("x: &a 1\ny: [" + ", ".join(["*a"] * 30_000) + "]\n", "more faults"),
    "TODO without end": ("a: TODO\n" * 30_000, "still TODO"),
    "the same key without end": ("a: 1\n" * 30_000, "more faults"),
    "a key nobody sees": ("na\u200bme: x\n", "cannot be seen"),
    "a direction mark": ('name: "\u202eGB 21"\n', "U+202E"),
    "a zero-width space": ('name: "a\u200bb"\n', "U+200B"),
    "a second byte order mark": ('name: "a\ufeffb"\n', "U+FEFF"),
    "an escape of a terminal": ('name: "\\x1b[2Jx"\n', "a control character"),
    "half of a pair": ('name: "\\ud800"\n', "YAML"),
    "an infinite number": ("tdp_w: .inf\n", "must be a number"),
    "a number too long": (f"tdp_w: {'9' * 5000}\n", "must be a number"),
    "a number too big": ("tdp_w: 1e999\n", "too big"),
}  # fmt: skip


@pytest.mark.parametrize("title", WHOLE)
@pytest.mark.parametrize("name", [GPU, "gpus/nvidia/new-card.yaml"])
def test_a_file_nobody_would_write(data: Path, name: str, title: str) -> None:
    content, said = WHOLE[title]
    texts = [text for text in faults_with(data, name, content.encode()) if f"data/{name}" in text]
    assert any(said in text for text in texts), texts[:5]
    assert len(texts) <= 100


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xef\xbb\xbfname: x\n", ":1: starts with a byte order mark"),
        ("name: x\n".encode("utf-16"), "is not UTF-8"),
        ("name: Gr\u00f6\u00dfe\n".encode("latin-1"), ":1: is not UTF-8"),
        (b"name: x\nnotes: '\xc0\x80'\n", ":2: is not UTF-8"),
        (b"name: \xed\xa0\x80\n", ":1: is not UTF-8"),
        (b"#" * 1_000_001, "is bigger than"),
    ],
)
def test_bytes_that_are_no_utf8(data: Path, content: bytes, said: str) -> None:
    assert any(said in text for text in faults_with(data, GPU, content))


def test_windows_line_ends_are_fine(data: Path) -> None:
    text = (data / GPU).read_text(encoding="utf-8").replace("\n", "\r\n")
    assert faults_with(data, GPU, text.encode()) == []
    spoilt = text.replace("\ntdp_w: ", "\ntdp_w: -", 1)
    line = spoilt[: spoilt.index("tdp_w: -")].count("\n") + 1
    assert any(
        f":{line}: tdp_w: found -" in text for text in faults_with(data, GPU, spoilt.encode())
    )


def test_a_file_of_100_mb_is_not_read(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    keep = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: (read.append(path), keep(path))[1])
    path = data / "gpus/nvidia/big.yaml"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    try:
        assert any("big.yaml: is bigger than 1000000 bytes" in str(fault) for fault in check(data))
        assert read
        assert path not in read
    finally:
        path.unlink()


def _link_out(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "secret.yaml")


def _folder(path: Path, outside: Path) -> None:
    path.mkdir()


def _pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path, outside: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [_link_out, _folder, _pipe, _loop])
@pytest.mark.parametrize(
    "name",
    ["gpus/nvidia/new.yaml", "cloud/new.yaml", "quants.yaml", "side/ram.yaml",
     "calibration.yaml", "llama_cpp_graphs.yaml", "measurements/decode.csv"],
)  # fmt: skip
def test_what_is_no_file_is_refused(
    data: Path, tmp_path: Path, name: str, make: Callable[[Path, Path], None]
) -> None:
    (tmp_path / "secret.yaml").write_text("name: secret\n", encoding="utf-8")
    path, away = data / name, data.parent / "away"
    if path.exists():
        path.rename(away)
    make(path, tmp_path)
    # The loaders keep what they read.
    for loaders in LOADERS.values():
        for load in loaders:
            load.cache_clear()  # type: ignore[attr-defined]
    try:
        started = time.process_time()
        faults = check(data)
        assert time.process_time() - started < MOST_SECONDS
        readable(faults)
        assert any(str(fault).startswith(f"data/{name}:") for fault in faults), faults
        assert "secret" not in " ".join(map(str, faults)).replace("secret.yaml", "")
    finally:
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        if away.exists():
            away.rename(path)


def test_a_folder_that_leads_out_is_refused(data: Path, tmp_path: Path) -> None:
    (tmp_path / "stolen").mkdir()
    (tmp_path / "stolen" / "card.yaml").write_text("name: secret\n", encoding="utf-8")
    (data / "gpus" / "stolen").symlink_to(tmp_path / "stolen")
    (data / "side").rename(data.parent / "side")
    (data / "side").symlink_to(data.parent / "side")
    try:
        texts = [str(fault) for fault in check(data)]
        assert any(text.startswith("data/gpus/stolen: belongs into") for text in texts)
        assert "data/side/ram.yaml: lies outside the data folder; put the file itself here" in texts
    finally:
        (data / "gpus" / "stolen").unlink()
        (data / "side").unlink()
        (data.parent / "side").rename(data / "side")


@pytest.mark.parametrize(
    "name", ["a\nb.yaml", "\u202egpj.yaml", "x\x1b[2J.yaml", "..yaml", "a b.yaml"]
)
def test_odd_names_of_files_are_shown_on_one_line(data: Path, name: str) -> None:
    path = data / "gpus" / "nvidia" / name
    path.write_text("name: x\n", encoding="utf-8")
    try:
        faults = check(data)
        readable(faults)
        assert len(faults) == (0 if name.startswith(".") else 1)
    finally:
        path.unlink()


def test_a_name_of_bytes_that_are_no_text(data: Path) -> None:
    path = os.fsencode(data / "gpus" / "nvidia") + b"/\xff\xfe.yaml"
    with open(path, "wb") as file:  # noqa: PTH123 (a path of bytes)
        file.write(b"name: x\n")
    try:
        faults = check(data)
        readable(faults)
        assert len(faults) == 1
        str(faults[0]).encode("utf-8")
    finally:
        os.unlink(path)  # noqa: PTH108


_SNIPPETS = [
    "\n", "\n\n", " ", "  ", "\t", "- ", "? ", ": ", ":\n", "#", "&a ", "*a", "!!str ", "!", "|",
    ">", "'", '"', "{", "}", "[", "]", ",", "---\n", "...\n", "%", "@", "`", "<<: ", "\\", "\x00",
    "\r", "\ufeff", "\u2028", "\x85", "é", "\U0001f600", "null", "~", ".nan", "-.inf",
    "0x1", "1e5",    *TEXTS,
]  # fmt: skip


@pytest.mark.parametrize(("name", "examples"), [(MODEL, 30), (GPU, 30), (CLOUD, 15)])
def test_text_with_pieces_put_in_or_taken_out(
    data: Path, tmp_path: Path, name: str, examples: int
) -> None:
    path = data / name
    kept = path.read_bytes()
    text = kept.decode("utf-8")

    @tries(examples)
    @given(st.data())
    def spoil(drawn: st.DataObject) -> None:
        content = text
        for _ in range(drawn.draw(st.integers(1, 3))):
            start = drawn.draw(st.integers(0, len(content)))
            end = start + drawn.draw(st.sampled_from([0, 0, 1, 2, 7, 40]))
            piece = drawn.draw(st.one_of(st.sampled_from(_SNIPPETS), st.text(max_size=6)))
            content = content[:start] + piece + content[end:]
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
        outcome(data, PAGES, tmp_path / "out")

    try:
        spoil()
    finally:
        path.write_bytes(kept)


@tries(30)
@given(st.binary(max_size=300))
def test_any_bytes(content: bytes) -> None:
    data = _kept_catalog()
    (data / "gpus/nvidia/any.yaml").write_bytes(content)
    faults = check(data)
    readable(faults)
    assert any("any.yaml" in fault.path for fault in faults)


_CATALOGS: list[Path] = []


def _kept_catalog() -> Path:
    if not _CATALOGS:
        import tempfile

        _CATALOGS.append(write_small(Path(tempfile.mkdtemp())))
    return _CATALOGS[0]
