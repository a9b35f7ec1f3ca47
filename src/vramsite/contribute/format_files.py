"""`vramsite fmt`: entries in their form. Values and comments stay as they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vramsite.contribute import yaml_form
from vramsite.contribute.file_kinds import FileKind, entry_files
from vramsite.contribute.key_order import order_keys


@dataclass(frozen=True, slots=True)
class FormatResult:
    """What `fmt` found: files that changed (or would), and those it could not read."""

    changed: list[Path]
    unreadable: list[str]


def formatted(text: str, kind: FileKind) -> str:
    """The text of an entry in its form: schema line, keys in order. Raises FormError."""
    data = yaml_form.load(yaml_form.without_schema_line(text))
    order_keys(data, kind.record)
    return yaml_form.schema_line(kind.name, kind.depth) + yaml_form.dump(data)


def format_all(data_dir: Path, *, write: bool = True) -> FormatResult:
    """Bring all entries into form; with `write=False` only say which are not."""
    changed, unreadable = [], []
    for kind, path in entry_files(data_dir):
        try:
            text = path.read_text(encoding="utf-8")
            form = formatted(text, kind)
        except (OSError, UnicodeDecodeError, yaml_form.FormError) as error:
            unreadable.append(f"{path}: {error}")
            continue
        if form != text:
            changed.append(path)
            if write:
                path.write_text(form, encoding="utf-8", newline="\n")
    return FormatResult(changed, unreadable)
