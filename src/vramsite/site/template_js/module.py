"""From a list of macros to one ES module of one language: what they reach, each once."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment, nodes

from vramsite.site.template_js.expressions import text
from vramsite.site.template_js.fault import refusal
from vramsite.site.template_js.statements import Statements, targets
from vramsite.site.urls import PATTERNS

_NO_PLURAL_RULE = "n != 1"
_PLURAL_RULE = re.compile(r"plural=([n0-9 ()!=<>%&|?:]+?);?\s*$")


class Parsed(dict[str, "_Template"]):
    """Templates of one environment that were parsed, by name."""


def compile_macros(
    env: Environment,
    macros: dict[str, tuple[str, str]],
    base_path: str,
    given: frozenset[str],
    parsed: Parsed | None = None,
) -> str:
    """One ES module; `macros` maps an export to template and macro.

    Its one export makes the macros, given the helpers of `templates/assets/js/markup.js` for a
    language. `given` names templates that are
    not compiled: their macros give back their argument, or nothing for none. Modules of one
    environment can share what was ``parsed``.

    Raises:
        TemplateError: with the first construct that is not known.
    """
    module = _Module(env, base_path, given, Parsed() if parsed is None else parsed)
    exports = [f"{name}:{module.named(*place)}" for name, place in macros.items()]
    functions = module.functions()
    helpers = "$e,$t,$f,$S,$c,$data,$svg,$trim,$loop"
    return (
        f"export const plural=n=>+({_plural_rule(env)});\n"
        f"export default({{{helpers}}})=>{{const $n=plural,\n{functions};\n"
        f"return{{{','.join(exports)}}}}};\n"
    )


def _plural_rule(env: Environment) -> str:
    translations: Any = env.translations  # type: ignore[attr-defined]
    info: dict[str, str] = getattr(translations, "info", dict)() or {}
    found = _PLURAL_RULE.search(info.get("plural-forms", ""))
    return found[1] if found else _NO_PLURAL_RULE


class _Template:
    """A parsed template: its macros, and what its imports are called."""

    def __init__(self, env: Environment, name: str) -> None:
        assert env.loader is not None
        source, filename, _ = env.loader.get_source(env, name)
        tree = env.parse(source, name, filename)
        self.macros = {node.name: node for node in tree.body if isinstance(node, nodes.Macro)}
        self.modules: dict[str, str] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for node in tree.body:
            if isinstance(node, nodes.Import) and isinstance(node.template, nodes.Const):
                self.modules[node.target] = node.template.value
            elif isinstance(node, nodes.FromImport) and isinstance(node.template, nodes.Const):
                for item in node.names:
                    macro, alias = item if isinstance(item, tuple) else (item, item)
                    self.imported[alias] = (node.template.value, macro)


class _Module:
    def __init__(
        self, env: Environment, base_path: str, given: frozenset[str], parsed: Parsed
    ) -> None:
        self.env = env
        self.base_path = base_path
        self._given = given
        self._templates = parsed
        self._made: dict[tuple[str, str], str] = {}
        self._parameters: dict[str, list[str]] = {}
        self._waiting: list[tuple[str, str]] = []

    def template(self, name: str) -> _Template:
        if name not in self._templates:
            self._templates[name] = _Template(self.env, name)
        return self._templates[name]

    def named(self, template: str, macro: str) -> str:
        """The JavaScript name of a macro, which is then part of the module."""
        imported = self.template(template).imported.get(macro)
        if macro not in self.template(template).macros and imported is not None:
            return self.named(*imported)
        key = (template, macro)
        if key not in self._made:
            stem = template.rpartition("/")[2].partition(".")[0]
            name = re.sub(r"\W", "_", f"{stem}${macro}")
            name = name if name not in self._parameters else f"{name}${len(self._made)}"
            self._made[key] = name
            arguments = self.template(template).macros[macro].args
            self._parameters[name] = [argument.name for argument in arguments]
            self._waiting.append(key)
        return self._made[key]

    def parameters(self, compiled: str) -> list[str]:
        return self._parameters[compiled]

    def functions(self) -> str:
        texts = []
        while self._waiting:
            template, macro = key = self._waiting.pop(0)
            if template in self._given:
                function = 'a=>a??""'
            else:
                scope = _MacroScope(self, template, self.template(template).macros[macro])
                function = Statements(scope).function(scope.node)
            texts.append(f"{self._made[key]}={function}")
        return ",\n".join(texts)

    def plural(self, singular: str, plural: str) -> list[str]:
        """The forms of a message in the order of the language's plural index."""
        translations: Any = self.env.translations  # type: ignore[attr-defined]
        known: dict[Any, str] = getattr(translations, "_catalog", {})
        forms: list[str] = []
        while (form := known.get((singular, len(forms)))) is not None:
            forms.append(form)
        return forms or [singular, plural]


class _MacroScope:
    """The names of one macro."""

    def __init__(self, module: _Module, template: str, node: nodes.Macro) -> None:
        self.template = template
        self.node = node
        self._module = module
        self._local = {argument.name for argument in node.args} | set(targets(node.body)) | {"loop"}

    def is_local(self, name: str) -> bool:
        return name in self._local

    def macro(self, node: nodes.Call) -> str | None:
        function = node.node
        known = self._module.template(self.template)
        if isinstance(function, nodes.Name) and not self.is_local(function.name):
            if function.name in known.macros or function.name in known.imported:
                return self._module.named(self.template, function.name)
        if isinstance(function, nodes.Getattr) and isinstance(function.node, nodes.Name):
            module = known.modules.get(function.node.name)
            if module is not None and not self.is_local(function.node.name):
                return self._module.named(module, function.attr)
        return None

    def named_macro(self, template: str, macro: str) -> str:
        return self._module.named(template, macro)

    def parameters(self, compiled: str) -> list[str]:
        return self._module.parameters(compiled)

    def link(self, kind: str, ids: list[str], line: int) -> str:
        pattern = PATTERNS.get(kind)
        if pattern is None:
            raise refusal(self.template, line, f"a link to {kind!r}")
        parts = []
        locale = self._module.env.globals["locale"]
        for index, piece in enumerate(re.split(r"\{(\w+)\}", pattern)):
            if index % 2 and piece != "locale":
                parts.append(ids[int(piece)])
            elif piece:
                parts.append(text(str(locale) if index % 2 else piece))
        return "+".join([text(self._module.base_path), *parts])

    def plural(self, singular: str, plural: str) -> list[str]:
        return self._module.plural(singular, plural)
