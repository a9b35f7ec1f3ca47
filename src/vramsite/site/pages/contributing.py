"""The page "contributing"."""

from vramsite.site.pages.prose_pages import ProseKind

KIND = ProseKind("contributing")
