"""What a template says on every page alike is worked out once, when the template is compiled.

An environment renders one locale of one site, so links with constant parts, addresses of assets
and the locale's code are constants; constants beside each other become one text. What is markup for
sure (the result of a macro, a number as text) is not looked at again when it is put out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from jinja2 import nodes
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

LINKS = frozenset(
    {"asset", "integrity", "url"}
)  # globals whose result follows from their arguments
CONSTANTS = frozenset({"csp", "locale"})
WITHIN_REACH = frozenset({"fragment"})  # globals that are attributes of the environment too
# Two hundred cells a page hold a number; half a kilobyte of quotes says nothing.
NUMBER_CELL = (' class="r"', " class=r")
MARKUP_FILTERS = frozenset({"data", "tojson"})


def folded(
    template: nodes.Template, given: Mapping[str, Any], plain_filters: Collection[str] = ()
) -> nodes.Template:
    """The template with its constants in place; `given` are the environment's globals.

    `plain_filters` are those whose text needs no escaping.
    """
    own = {node.name for node in template.find_all(nodes.Name) if node.ctx != "load"}
    visited = _Constants(
        {name: given[name] for name in LINKS - own if name in given},
        {name: given[name] for name in CONSTANTS - own if name in given},
        {name for name in WITHIN_REACH - own if name in given},
    ).visit(template)
    assert isinstance(visited, nodes.Template)
    for text in visited.find_all(nodes.TemplateData):
        text.data = text.data.replace(*NUMBER_CELL)
    _join_outputs(visited)
    _mark(visited, MARKUP_FILTERS.union(plain_filters))
    return visited


def is_marked(node: nodes.Node) -> bool:
    """Whether the output of this node is known to be markup."""
    return getattr(node, "known_markup", False)


def _mark(template: nodes.Template, filters: Collection[str]) -> None:
    macros = {node.name for node in template.find_all(nodes.Macro)}
    modules = {node.target for node in template.find_all(nodes.Import)}
    for node in template.find_all(nodes.FromImport):
        macros |= {name[1] if isinstance(name, tuple) else name for name in node.names}
    taken = {node.name for node in template.find_all(nodes.Name) if node.ctx != "load"}

    def known(node: nodes.Node) -> bool:
        if isinstance(node, nodes.Filter):
            inner = node.node
            return node.name in filters or (
                node.name == "trim" and inner is not None and known(inner)
            )
        if not isinstance(node, nodes.Call):
            return False
        function = node.node
        if isinstance(function, nodes.EnvironmentAttribute):
            return function.name == "fragment"
        if isinstance(function, nodes.Name):
            return function.name in macros - taken
        if isinstance(function, nodes.Getattr) and isinstance(function.node, nodes.Name):
            return function.node.name in modules - taken
        return False

    for output in template.find_all(nodes.Output):
        for child in output.nodes:
            if known(child):
                child.known_markup = True  # type: ignore[attr-defined]


def _const(value: str) -> nodes.Expr:
    if isinstance(value, Markup):
        return nodes.MarkSafe(nodes.Const(str(value)))
    return nodes.Const(value)


class _Constants(NodeTransformer):
    def __init__(
        self, links: dict[str, Callable[..., str]], constants: dict[str, str], reach: set[str]
    ) -> None:
        self._links = links
        self._constants = constants
        self._reach = reach

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 (the visitor's spelling)
        self.generic_visit(node)
        function = node.node
        if isinstance(function, nodes.Name) and function.name in self._links:
            plain = not (node.kwargs or node.dyn_args or node.dyn_kwargs)
            values = [one.value for one in node.args if isinstance(one, nodes.Const)]
            if plain and len(values) == len(node.args):
                try:
                    return _const(self._links[function.name](*values))
                except (KeyError, ValueError):
                    return node  # an address that does not exist fails where it is asked for
        return node

    def visit_Name(self, node: nodes.Name) -> nodes.Node:  # noqa: N802
        if node.ctx == "load" and node.name in self._constants:
            return _const(self._constants[node.name])
        if node.ctx == "load" and node.name in self._reach:
            return nodes.EnvironmentAttribute(node.name)
        return node


def _join_outputs(node: nodes.Node) -> None:
    """Outputs that follow each other as one, which is then written in one go."""
    for name in ("body", "else_"):
        children = getattr(node, name, None)
        if isinstance(children, list):
            setattr(node, name, _joined(children))
    for child in node.iter_child_nodes():
        _join_outputs(child)


def _joined(children: list[nodes.Node]) -> list[nodes.Node]:
    found: list[nodes.Node] = []
    for child in children:
        last = found[-1] if found else None
        if isinstance(child, nodes.Output) and isinstance(last, nodes.Output):
            last.nodes.extend(child.nodes)
        else:
            found.append(child)
    return found
