"""The page at the root: a choice of language by link, without script."""

from vramsite.site.pages.prose_pages import EveryLanguageKind

KIND = EveryLanguageKind("root", "welcome")
