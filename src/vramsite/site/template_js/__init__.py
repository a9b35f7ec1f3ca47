"""The page's own templates for the browser: macros compiled to one JavaScript module a language.

There is one source of every sentence and table, the Jinja templates. `compile_macros` translates
those that the page's script draws anew, with their texts in one language, and refuses, with
template and line, whatever it does not know. Markup is escaped as Jinja does: what a macro gives
is markup, everything else is text.
"""

from __future__ import annotations

from vramsite.site.template_js.fault import TemplateError
from vramsite.site.template_js.module import Parsed, compile_macros

__all__ = ["Parsed", "TemplateError", "compile_macros"]
