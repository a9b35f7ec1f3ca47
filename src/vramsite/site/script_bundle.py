"""Several scripts as one file without comments, blanks and long names: fewer requests and bytes.

The scripts are our own: every statement ends with a semicolon or a brace,
and no two of them define the same name, which is checked.
"""

from __future__ import annotations

import re

from vramsite.site.script_names import renamed

_IMPORT = re.compile(
    r"^import \{(?P<names>[^}]*)\} from (?P<from>\"\./(?P<script>[\w-]+)\.js\");\n", re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=async |function |class |const )", re.MULTILINE)
_DEFINED = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<blank>\s+)
    |(?P<word>[\w$]+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_REGEX = frozenset("(,=:[!&|?{};")
_OPENS = frozenset("{([,;=&|?:+-*<>!")
_CLOSES = frozenset("})],;=&|?:.*<>")


class BundleError(ValueError):
    """Scripts that cannot be put into one file."""


def bundle(scripts: dict[str, str], exported: str) -> str:
    """The scripts, each after those it imports, as one module that exports one function.

    An import of a script that is not among them stays, at the top.

    Raises:
        BundleError: two scripts define the same name.
    """
    owners: dict[str, str] = {}
    texts = []
    outside: dict[str, str] = {}
    for name, text in scripts.items():
        for defined in _DEFINED.findall(text):
            if defined in owners:
                raise BundleError(f"{defined} is defined in {owners[defined]} and in {name}")
            owners[defined] = name
        for match in _IMPORT.finditer(text):
            if match["script"] not in scripts:
                outside[match["names"]] = (
                    f"import{{{match['names'].strip()}}}from{match['from']};\n"
                )
        texts.append(_EXPORT.sub("", _IMPORT.sub("", text)))
    kept = frozenset({exported, *re.findall(r"\w+", " ".join(outside))})
    pieces = renamed(squeezed("\n".join(texts)), kept)
    return "".join([*outside.values(), *pieces]) + f"\nexport{{{exported}}};\n"


def small(script: str) -> str:
    """One script by itself, without what only people read."""
    return "".join(squeezed(script)) + "\n"


def squeezed(text: str) -> list[str]:
    """The pieces of a script without comments and without blanks that mean nothing."""
    made: list[str] = []
    place = 0
    gap = ""
    while place < len(text):
        piece, kind = _next(text, place, made)
        place += len(piece)
        if kind in ("comment", "blank"):
            gap = "\n" if "\n" in piece or gap == "\n" else gap or " "
            continue
        if gap and made and _keeps_gap(made[-1], piece, gap):
            made.append(gap)
        gap = ""
        made.append(piece)
    return made


def _next(text: str, place: int, made: list[str]) -> tuple[str, str]:
    if text[place] == "`":
        return text[place : _template_end(text, place)], "text"
    last = made[-1] if made else ";"
    if text[place] == "/" and text[place + 1] not in "/*":
        found = _REGEX.match(text, place)
        if found and (last[-1] in _BEFORE_REGEX or last == "return"):
            return found[0], "text"
    match = _TOKEN.match(text, place)
    assert match is not None
    return match[0], match.lastgroup or "other"


def _template_end(text: str, start: int) -> int:
    """The place after a template literal, whose holes may hold others."""
    place = start + 1
    while text[place] != "`":
        if text.startswith("${", place):
            depth, place = 1, place + 2
            while depth:
                if text[place] == "`":
                    place = _template_end(text, place) - 1
                depth += {"{": 1, "}": -1}.get(text[place], 0)
                place += 1
        else:
            place += 2 if text[place] == "\\" else 1
    return place + 1


def _keeps_gap(before: str, after: str, gap: str) -> bool:
    left, right = before[-1], after[0]
    if gap == "\n":
        return left not in _OPENS and right not in _CLOSES
    words = (left.isalnum() or left in "_$") and (right.isalnum() or right in "_$")
    return (
        words
        or (left == right and left in "+-")
        or ((left in "_$" or left.isalnum()) and right == "`" and before in ("return", "of", "in"))
    )
