"""Translation at compile time: an environment renders one locale, so its texts are constants.

Jinja's own i18n extension looks every message up again on every page, which is a third of the
cost of a page. Here ``{% trans %}`` and ``_("text")`` become the translated text when the template
is compiled; what varies (plurals, ``_("…", name=value)``) still goes the usual way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, MutableMapping
from typing import Any

from babel.support import NullTranslations
from jinja2 import Environment, nodes
from jinja2.ext import InternationalizationExtension
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from vramsite.site.template_code import LeanCodeGenerator, call, lean_macro, put
from vramsite.site.template_folding import folded

_PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")


class CompiledTranslations(InternationalizationExtension):
    """``{% trans %}`` blocks without a plural as text with their values in between."""

    def _make_node(
        self,
        singular: str,
        plural: str | None,
        context: str | None,
        variables: dict[str, nodes.Expr],
        plural_expr: nodes.Expr | None,
        vars_referenced: bool,
        num_called_num: bool,
    ) -> nodes.Output:
        if plural_expr is not None:
            return super()._make_node(
                singular, plural, context, variables, plural_expr, vars_referenced, num_called_num
            )
        translations: NullTranslations = self.environment.translations  # type: ignore[attr-defined]
        text = translations.pgettext(context, singular) if context else None
        return nodes.Output(_pieces(str(text or translations.gettext(singular)), variables))


def _pieces(text: str, variables: dict[str, nodes.Expr]) -> list[nodes.Expr]:
    """The constant and the varying parts of a translated text, in its order.

    Raises:
        KeyError: the translation has a placeholder that the original does not know.
    """
    pieces: list[nodes.Expr] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        pieces.append(nodes.TemplateData(text[end : match.start()]))
        name = match.group(1)
        pieces.append(variables[name] if name else nodes.TemplateData("%"))
        end = match.end()
    pieces.append(nodes.TemplateData(text[end:]))
    return [piece for piece in pieces if getattr(piece, "data", None) != ""]


class _ConstantMessages(NodeTransformer):
    """``_("text")`` without values as its translation."""

    def __init__(self, translations: NullTranslations) -> None:
        self._translations = translations

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 (the visitor's spelling)
        self.generic_visit(node)
        function, arguments = node.node, node.args
        plain = not (node.kwargs or node.dyn_args or node.dyn_kwargs) and len(arguments) == 1
        if plain and isinstance(function, nodes.Name) and function.name in {"_", "gettext"}:
            message = arguments[0]
            if isinstance(message, nodes.Const) and isinstance(message.value, str):
                text = self._translations.gettext(message.value).replace("%%", "%")
                return nodes.MarkSafe(nodes.Const(text), lineno=node.lineno)
        return node


class LocaleEnvironment(Environment):
    """An environment whose ``translations`` are put into its templates as it compiles them."""

    code_generator_class = LeanCodeGenerator
    put = staticmethod(put)
    call = staticmethod(call)
    macro = staticmethod(lean_macro)
    plain_filters: Collection[str] = ()
    fragment: Callable[..., Markup]

    def __init__(self, translations: NullTranslations, **options: Any) -> None:
        super().__init__(**options)
        self.translations = translations
        self.add_extension(CompiledTranslations)
        self.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        visited = _ConstantMessages(self.translations).visit(template)
        assert isinstance(visited, nodes.Template)
        return visited

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,
    ) -> str:
        lean = folded(source, self.globals, self.plain_filters)
        return super()._generate(lean, name, filename, defer_init)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """The environment's own globals, not a view of them: every page would copy it."""
        return super().make_globals(d) if d else self.globals


def translations_of(environment: Environment) -> NullTranslations:
    """What an environment's templates are translated with."""
    assert isinstance(environment, LocaleEnvironment)
    return environment.translations
