"""One example for each command, at the end of its help."""

from __future__ import annotations

import typer

STATUS = (
    "Exit status: 0 done; 1 refused, or faults were found (standard error says which, with what to"
    " type); 2 the command was called in another way than its help says."
)
EXAMPLES = {
    "build": "--out out --base-url https://example.org/",
    "merge": "parts/1 parts/2 --out out",
    "verify": "out",
    "serve": "--port 8080",
    "check": "",
    "size": "qwen3-8b rtx-4090 --context 32768 --json",
    "calibrate": "",
    "i18n": "",
    "accuracy memory": "--rows rows.csv --json",
    "accuracy speed": "--rows rows.csv",
    "accuracy finetune": "--rows rows.yaml",
    "fmt": "--check",
    "schema": "",
    "add-model": "config.json --repo owner/name --license Apache-2.0 --released 2026-11",
    "add-gpu": 'rtx-4090 --name "GeForce RTX 4090" --vendor NVIDIA --kind consumer --backend cuda'
    " --memory-gb 24 --bandwidth 1008",
    "add-measurement": "run.json --model qwen3-8b --device rtx-4090 --source https://…",
    "diff": "main",
    "refresh-prices": "--provider lambda",
    "price-age": "--days 60",
    "links": "--most 20",
    "licences": "",
}


def with_examples(app: typer.Typer, before: str = "") -> None:
    """Put the example of each command below `app` at the end of its help.

    Raises:
        KeyError: a command without an example.
    """
    for command in app.registered_commands:
        assert command.callback is not None
        name = before + (command.name or command.callback.__name__)
        command.epilog = f"Example: vramsite {name} {EXAMPLES[name]}".rstrip()
    for group in app.registered_groups:
        assert group.typer_instance is not None
        with_examples(group.typer_instance, f"{group.name} " if group.name else before)
