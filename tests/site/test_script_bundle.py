"""Our scripts as one file: what is left out, what keeps its name, what it costs."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from vramsite.site.configurator import MORE_SCRIPTS, SCRIPTS, SHARED_SCRIPTS, page_script
from vramsite.site.script_bundle import BundleError, bundle, small

ASSETS = Path(__file__).resolve().parents[2] / "templates/assets"
PAGE_SCRIPT_BYTES = 8 * 1024


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("const a = 1; // one\n", "const a=1;\n"),
        ("/* long\n */ go( a , b );\n", "go(a,b);\n"),
        ('const t = "// no  comment";\n', 'const t="// no  comment";\n'),
        ("x = `a  ${ `b  ` }  c`;\n", "x=`a  ${ `b  ` }  c`;\n"),
        ("const r = /[/ ]+ x/g;\n", "const r=/[/ ]+ x/g;\n"),
        ("n = a / b / c;\n", "n=a/b/c;\n"),
        ("return  value;\n", "return value;\n"),
        ("a = b + +c - -d;\n", "a=b+ +c- -d;\n"),
        ("if (x)\n  go();\n", "if(x)\ngo();\n"),
    ],
)
def test_blanks_and_comments_go_where_they_mean_nothing(text: str, wanted: str) -> None:
    assert small(text) == wanted


def test_a_bundle_runs_like_its_scripts(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    scripts = {
        "first": (
            "const secret = (value, { factor = 2, ...others } = {}) =>\n"
            "  value * factor + (others.extra ?? 0);\n"
            "export class Counter {\n  constructor() {\n    this.total = 0;\n  }\n"
            "  add(amount) {\n    this.total += secret(amount);\n    return this;\n  }\n}\n"
        ),
        "second": (
            'import { Counter } from "./first.js";\n'
            "export async function start(texts) {\n"
            "  const counter = new Counter();\n"
            "  for (const [index, text] of texts.entries()) {\n"
            "    const total = text.length;\n"
            "    counter.add(total + index);\n  }\n"
            "  const shown = { total: counter.total, texts };\n"
            "  try {\n    missing();\n  } catch (problem) {\n"
            "    shown.problem = problem.name;\n  }\n"
            "  return JSON.stringify({ ...shown, label: `${counter.total} in all` });\n}\n"
        ),
    }
    made = bundle(scripts, "start")
    assert "secret" not in made  # nobody outside can see it
    assert "counter" in made  # a template literal does
    (tmp_path / "made.mjs").write_text(made, encoding="utf-8")
    run = "import { start } from './made.mjs'; console.log(await start(['ab', 'cde']));"
    (tmp_path / "run.mjs").write_text(run, encoding="utf-8")
    found = subprocess.run(
        [node, tmp_path / "run.mjs"], capture_output=True, text=True, check=True
    ).stdout
    # (2 + 0) * 2 + (3 + 1) * 2
    assert json.loads(found) == {
        "total": 12,
        "texts": ["ab", "cde"],
        "problem": "ReferenceError",
        "label": "12 in all",
    }


def test_two_scripts_with_one_name_are_refused() -> None:
    scripts = {"a": "const same = 1;\n", "b": "export function same() {}\n"}
    with pytest.raises(BundleError, match="same is defined in a and in b"):
        bundle(scripts, "same")


def test_an_import_from_outside_stays() -> None:
    script = 'import { far } from "./far.js";\nexport const near = () => far();\n'
    assert bundle({"a": script}, "near").startswith('import{far}from"./far.js";\n')


def test_the_configurators_script_is_within_its_budget() -> None:
    assert len(gzip.compress(page_script(ASSETS).encode(), 9)) <= PAGE_SCRIPT_BYTES


def test_every_script_of_the_configurator_is_sent_once() -> None:
    there = {path.stem for path in (ASSETS / "js").glob("configurator*.js")}
    assert there <= {*SCRIPTS, *MORE_SCRIPTS, *SHARED_SCRIPTS}
