"""Template statements as JavaScript: a macro becomes a function that gathers its output in `o`."""

from __future__ import annotations

from jinja2 import nodes

from vramsite.site.template_js.expressions import Expressions, Scope, text, variable
from vramsite.site.template_js.fault import refusal


def targets(body: list[nodes.Node]) -> list[str]:
    """The names that a macro's statements set or loop over, in order."""
    found: list[str] = []
    for node in body:
        for item in [node, *node.find_all((nodes.Assign, nodes.For))]:
            if isinstance(item, (nodes.Assign, nodes.For)):
                found += [name.name for name in _names(item.target)]
    return list(dict.fromkeys(found))


def _names(target: nodes.Node) -> list[nodes.Name]:
    if isinstance(target, nodes.Name):
        return [target]
    return list(target.find_all(nodes.Name))


class Statements:
    """Translates the body of one macro."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._expression = Expressions(scope)

    def function(self, macro: nodes.Macro) -> str:
        """The macro as an arrow function that gives markup."""
        first_default = len(macro.args) - len(macro.defaults)
        parameters = []
        for place, argument in enumerate(macro.args):
            name = variable(argument.name)
            if place >= first_default:
                name += f"={self._expression(macro.defaults[place - first_default])}"
            parameters.append(name)
        own = {argument.name for argument in macro.args}
        names = [variable(name) for name in targets(macro.body) if name not in own]
        body = self.block(macro.body)
        local = "".join(f",{name}" for name in names)
        return f'({",".join(parameters)})=>{{let o=""{local};{body}return new $S(o)}}'

    def block(self, body: list[nodes.Node]) -> str:
        """Statements, one after the other."""
        return "".join(map(self._statement, body))

    def _statement(self, node: nodes.Node) -> str:
        if isinstance(node, nodes.Output):
            return self._output(node)
        if isinstance(node, nodes.If):
            return self._if(node)
        if isinstance(node, nodes.For):
            return self._for(node)
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
            return f"{variable(node.target.name)}={self._expression(node.node)};"
        raise refusal(self._scope.template, node.lineno, type(node).__name__)

    def _output(self, node: nodes.Output) -> str:
        parts = []
        for item in node.nodes:
            if isinstance(item, nodes.TemplateData):
                parts.append(text(item.data))
            elif isinstance(item, nodes.MarkSafe) and isinstance(item.expr, nodes.Const):
                parts.append(text(str(item.expr.value)))
            else:
                parts.append(f"$e({self._expression(item)})")
        return f"o+={'+'.join(parts)};" if parts else ""

    def _if(self, node: nodes.If) -> str:
        made = f"if({self._expression.condition(node.test)}){{{self.block(node.body)}}}"
        for other in node.elif_:
            test = self._expression.condition(other.test)
            made += f"else if({test}){{{self.block(other.body)}}}"
        if node.else_:
            made += f"else{{{self.block(node.else_)}}}"
        return made

    def _for(self, node: nodes.For) -> str:
        if node.test is not None or node.recursive:
            raise refusal(self._scope.template, node.lineno, "this kind of loop")
        if isinstance(node.target, nodes.Tuple):
            target = f"[{','.join(variable(name.name) for name in _names(node.target))}]"
        else:
            target = variable(_names(node.target)[0].name)
        items = self._expression(node.iter)
        body = self.block(node.body)
        if any(name.name == "loop" for part in node.body for name in part.find_all(nodes.Name)):
            loop = f"$loop({items},({target},loop)=>{{{body}}});"
        else:
            loop = f"for(const {target} of {items}){{{body}}}"
        if node.else_:
            return f"if({items}.length){{{loop}}}else{{{self.block(node.else_)}}}"
        return loop
