"""The one exception of the engine: a configuration that the inference engine refuses."""

from __future__ import annotations


class SizingError(Exception):
    """Raised with a short code; the words for people are the report's."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
