"""What is wrong with a template that the browser is to draw."""

from __future__ import annotations


class TemplateError(ValueError):
    """A construct that the compiler does not know, with template and line."""


def refusal(template: str, line: int, found: str) -> TemplateError:
    """The error for one construct."""
    return TemplateError(f"templates/{template}:{line}: {found} cannot be drawn by the script")
