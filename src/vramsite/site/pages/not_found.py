"""The page for addresses that do not exist, in every language at once."""

from vramsite.site.pages.prose_pages import EveryLanguageKind

KIND = EveryLanguageKind("404", "not-found")
