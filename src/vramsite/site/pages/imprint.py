"""The page "imprint"."""

from vramsite.site.pages.prose_pages import ProseKind

KIND = ProseKind("imprint")
