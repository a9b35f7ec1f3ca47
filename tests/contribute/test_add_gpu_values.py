"""`vramsite add-gpu` with values that no file can hold: refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from vramsite.cli import app

GIVEN = {"--name": "Card 99", "--vendor": "Acme", "--kind": "consumer", "--backend": "cuda",
         "--memory-gb": "11"}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--kind": "gaming"}, "kind: found gaming; must be 'consumer', "),
        ({"--backend": "cudaa"}, "backends[0]: found cudaa; must be 'cuda', "),
        ({"--memory-gb": "-1"}, "memory_gb: found -1.0; must be greater than 0"),
        ({"--launched": "soon"}, "launched: found soon; must be a date such as 2026, 2026-11"),
    ],
)
def test_a_value_of_another_form(data: Path, changed: dict[str, str], said: str) -> None:
    words = [word for pair in (GIVEN | changed).items() for word in pair]
    before = sorted(data.rglob("*"))
    result = CliRunner().invoke(app, ["add-gpu", "card-99", "--data", str(data), *words])
    assert result.exit_code == 1
    assert result.stderr.startswith(said)
    assert sorted(data.rglob("*")) == before


def test_a_file_that_was_begun_is_not_written_over(data: Path) -> None:
    words = [word for pair in GIVEN.items() for word in pair]
    call = ["add-gpu", "card-99", "--data", str(data), *words]
    assert CliRunner().invoke(app, call).exit_code == 0
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 1
    assert "card-99.yaml is there already; give another id, or edit it" in result.stderr
    assert "Errno" not in result.stderr
