"""What the commands say of themselves, and how they end."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from vramsite.cli import app
from vramsite.contribute.examples import EXAMPLES


def commands(command: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        if hasattr(inner, "commands"):
            yield from commands(inner, (*before, name))
        else:
            yield (*before, name), inner


COMMANDS = dict(commands(typer.main.get_command(app)))


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def test_every_command_has_an_example_and_no_other_has() -> None:
    assert {" ".join(words) for words in COMMANDS} == set(EXAMPLES)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_ends_with_an_example_that_can_be_typed(words: tuple[str, ...]) -> None:
    shown = run(*words, "--help")
    assert shown.exit_code == 0
    text = re.sub(r"\s+", " ", shown.stdout)
    example = EXAMPLES[" ".join(words)]
    assert f"Example: vramsite {' '.join(words)} {example}".rstrip() in text
    # Every word is one that the command takes; nothing is run by this.
    COMMANDS[words].make_context(words[-1], shlex.split(example))


def test_help_of_all_says_what_the_exit_status_means() -> None:
    assert "Exit status: 0 done; 1 refused" in re.sub(r"\s+", " ", run("--help").stdout)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["size", "qwen3-8", "rtx-4090"], 1, "did you mean qwen3-8b"),
        (["size", "Qwen3-8B", "RTX-4090"], 1, "did you mean qwen3-8b"),
        (["size", "qwen3-8b", "rtx4090"], 1, "did you mean rtx-4090"),
        (["size", "zzz", "rtx-4090"], 1, "no model 'zzz' in the catalog; see data/models/"),
        (["size", "qwen3-8b", "zzz"], 1, "no device 'zzz' in the catalog; see data/gpus/"),
        (["size", "qwen3-8b", "rtx-4090", "--quant", "q4km"], 1, "did you mean Q4_K_M"),
        (["size", "qwen3-8b", "rtx-4090", "--engine", "lama.cpp"], 1, "did you mean llama.cpp?"),
        (["size", "qwen3-8b", "rtx-4090", "--kv", "q80"], 1, "caches in f32, f16, bf16, q8_0"),
        (["size", "qwen3-8b"], 2, "Missing argument"),
        (["size", "qwen3-8b", "rtx-4090", "--contxt", "1"], 2, "No such option: --contxt"),
        (["sise"], 2, "No such command 'sise'"),
        (["check", "--data", "/nowhere"], 1, "must name a catalog folder"),
    ],
)
def test_what_is_typed_wrong_is_said_on_standard_error(
    words: list[str], status: int, said: str
) -> None:
    result = run(*words)
    assert result.exit_code == status
    assert result.stdout == ""
    assert said in re.sub(r"\s+", " ", result.stderr), result.stderr


def test_json_is_one_object_and_the_same_again() -> None:
    first, second = (run("size", "qwen3-8b", "rtx-4090", "--json") for _ in range(2))
    assert first.exit_code == 0
    assert first.stderr == ""
    assert first.stdout == second.stdout
    assert isinstance(json.loads(first.stdout), dict)
