"""The page "about"."""

from vramsite.site.pages.prose_pages import ProseKind

KIND = ProseKind("about")
