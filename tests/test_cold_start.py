"""`vramsite size` reads and imports what it needs: people ask it in loops of a shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from vramsite.catalog import load_catalog
from vramsite.catalog.on_demand import open_on_demand

DATA = Path(__file__).resolve().parents[1] / "data"
SIZE = """
import sys
sys.argv = ["vramsite", "size", "qwen3-8b", "rtx-4090"]
from vramsite.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("\\n".join(sorted(sys.modules)))
"""
HEAVY = {"jinja2", "babel", "markdown", "numpy", "scipy", "PIL", "rich", "watchfiles", "sqlite3"}
UNUSED = {"vramsite.site.build", "vramsite.catalog.finetune_rules", "vramsite.catalog.rules.rule"}


def test_size_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", SIZE], capture_output=True, text=True, check=True)
    modules = set(done.stdout.splitlines())
    assert "vramsite.sizing.engine" in modules
    assert not modules & HEAVY
    assert not modules & UNUSED


def test_entries_read_on_demand_are_those_of_the_whole_catalog() -> None:
    whole, part = load_catalog(DATA), open_on_demand(DATA)
    assert dict.__len__(part.models) == 0
    assert part.models["qwen3-8b"] == whole.models["qwen3-8b"]
    assert dict.__len__(part.models) == 1
    assert list(part.gpus) == list(whole.gpus)
    assert part.gpus.get("no-such-device") is None
    assert list(part.gpus.values()) == list(whole.gpus.values())
    assert part.engines == whole.engines
