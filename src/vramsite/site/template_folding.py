"""What a template says on every page alike is worked out once, when the template is compiled.

An environment renders one locale of one site, so links with constant parts, addresses of assets
and the locale's code are constants; constants beside each other become one text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import nodes
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

LINKS = frozenset({"asset", "url"})  # globals whose result follows from their arguments
CONSTANTS = frozenset({"csp", "locale"})


def folded(template: nodes.Template, given: Mapping[str, Any]) -> nodes.Template:
    """The template with its constants in place; `given` are the environment's globals."""
    own = {node.name for node in template.find_all(nodes.Name) if node.ctx != "load"}
    visited = _Constants(
        {name: given[name] for name in LINKS - own if name in given},
        {name: given[name] for name in CONSTANTS - own if name in given},
    ).visit(template)
    assert isinstance(visited, nodes.Template)
    _join_outputs(visited)
    return visited


def _const(value: str) -> nodes.Expr:
    if isinstance(value, Markup):
        return nodes.MarkSafe(nodes.Const(str(value)))
    return nodes.Const(value)


class _Constants(NodeTransformer):
    def __init__(self, links: dict[str, Callable[..., str]], constants: dict[str, str]) -> None:
        self._links = links
        self._constants = constants

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
