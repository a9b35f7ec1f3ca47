"""The page "methodology"."""

from vramsite.site.pages.prose_pages import ProseKind

KIND = ProseKind("methodology")
