"""/badges/: the pictures of pairs and how to put one on a page of one's own."""

from vramsite.site.pages.api import FilesKind

KIND = FilesKind("badges")
