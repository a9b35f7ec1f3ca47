"""The small catalog with every free text replaced: by hostile ones, or by plain ones instead.

Both start alike and keep their order, so that whatever differs in a built site is what a text did.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from small_catalog import dump, plain, write_small

HOSTILE = [
    '"><script>window.harmed=1</script>',
    "'><img src=x onerror=window.harmed=1>",
    "</title></script></style></textarea></noscript><svg onload=window.harmed=1>",
    "<!--", "-->", "]]>", "<![CDATA[", "<base href=//evil.example>", "<meta http-equiv=refresh>",
    "<iframe srcdoc='<script>parent.harmed=1</script>'>", "<a href='javascript:harmed=1'>x</a>",
    "[x](javascript:window.harmed=1)", "![x](https://evil.example/x.png)", "`<b>`", "\\<b>\\",
    "{{ 7*7 }}{% if %}", "${harmed=1}", "%(name)s %s", "{0}{x}", "&lt;script&gt;&#x3c;b&#62;",
    "'; window.harmed=1; //", '"; window.harmed=1; //', "$(touch harmed)`touch harmed`|sh;",
    "=HYPERLINK(1)", "+1", "-1+1", "@SUM(1)", "../../../etc/passwd", "a/b\\c", "</text></svg>",
    'x="1" onmouseover="window.harmed=1" y="', "style=background:url(//evil.example)", ",\",\"",
]  # fmt: skip
HOSTILE_TEXT = " ".join(HOSTILE)
HOSTILE_LABELS = [
    '" onmouseover="window.harmed=1" x="', "' onfocus='window.harmed=1' autofocus '",
    "&lt;script&gt;harmed=1&lt;/script&gt; &#x3c;img&#62;", "{{ 7*7 }} {% x %} ${harmed=1} %(n)s",
    "[x](javascript:harmed=1) `x` **x** \\", "; touch harmed; $(touch harmed) `touch harmed` | sh",
    "../../../../etc/passwd", '"; harmed=1; // \'; harmed=1; //', "=cmd() +1 -1 @x ,\",\"",
]  # fmt: skip
PLAIN = "plain words of no harm"

# Values that mean something: ids, codes, dates, numbers written as text, patterns with a purpose.
_MEANT = frozenset({
    "model_type", "gguf_arch", "format", "family", "gpu", "kind", "id", "gguf_repo", "hf_repo",
    "repo", "url", "as_of", "released", "launched", "backends", "pcie", "confidence", "modality",
    "status", "condition", "config", "model_id", "currency", "pair", "date", "category", "phase",
    "scope", "method", "model", "usable", "as_of_kind", "state", "country", "sector", "platform",
    "license", "about", "tensor", "region", "engine", "metric", "dataset", "quant", "reference",
})  # fmt: skip
_FILES = ("models/*/*.yaml", "gpus/*/*.yaml", "cloud/*.yaml", "side/*.yaml")
# Fields whose values the records hold to be labels; all other free ones are texts.
_LABELS = frozenset({
    "name", "vendor", "instance", "billing", "memory_type", "hf_architecture", "provider",
    "published_as", "provider_model_id", "link", "device", "tool", "os", "driver", "period", "site",
    "tier", "label", "type",
})  # fmt: skip
_CSV_TEXTS = ("model_name", "gpu_name", "notes", "source", "engine_version", "quant_published")


def write_pair(folder: Path) -> tuple[Path, Path]:
    """The catalog with hostile texts, and the same with plain ones."""
    found = []
    for name in ("hostile", "plain"):
        data = write_small(folder / name)
        counter = iter(range(10_000))
        for pattern in _FILES:
            for path in sorted(data.glob(pattern)):
                dump(path, _replaced(plain(path), "", name == "hostile", counter))
        for path in sorted((data / "measurements").glob("*.csv")):
            _replace_cells(path, name == "hostile", counter)
        found.append(data)
    return found[0], found[1]


def _replaced(value: Any, key: str, hostile: bool, counter: Iterator[int]) -> Any:
    if key in _MEANT:
        return value
    if isinstance(value, dict):
        return {name: _replaced(inner, name, hostile, counter) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, key, hostile, counter) for inner in value]
    if not isinstance(value, str) or not value:
        return value
    number = next(counter)
    start = f"T{number:04d} "
    if not hostile:
        return start + PLAIN
    if key in _LABELS:
        return start + HOSTILE_LABELS[number % len(HOSTILE_LABELS)]
    return start + HOSTILE_TEXT


def _replace_cells(path: Path, hostile: bool, counter: Iterator[int]) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    for row in rows:
        for name in _CSV_TEXTS:
            start = f"T{next(counter):04d} "
            row[header.index(name)] = start + (HOSTILE_TEXT if hostile else PLAIN)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
