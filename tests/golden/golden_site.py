"""The golden site: every page of a tiny made-up catalog, kept under `expected/`.

Run `python tests/golden/golden_site.py --update` after a wanted change, and read the diff.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXPECTED = HERE / "expected"
for folder in (HERE.parent / "report", ROOT / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from made_up_report import made_up_book  # noqa: E402

from vramsite.site.assets import Assets  # noqa: E402
from vramsite.site.context import SiteContext  # noqa: E402
from vramsite.site.i18n import discover_locales, load_translations  # noqa: E402
from vramsite.site.pages import keys_of, page_kinds  # noqa: E402
from vramsite.site.plan import page_locales  # noqa: E402
from vramsite.site.render import make_environment  # noqa: E402
from vramsite.site.urls import Urls  # noqa: E402

DEVICES = ("mid-12gb", "shared-64gb")
# Longer texts change by editing them, and figures about accuracy with the real evidence.
LEFT_OUT = frozenset(
    {"methodology", "about", "accuracy", "api", "badges", "contributing", "imprint"}
)


def golden_pages() -> dict[str, str]:
    """Every page of the golden site by its file name, assets under fixed names."""
    book = made_up_book()
    for gpu_id in list(book.catalog.gpus):
        if gpu_id not in DEVICES:
            del book.catalog.gpus[gpu_id]
    urls = Urls.from_base_url("https://example.org/site/")
    assets = Assets.from_files(dict.fromkeys(("style.css", "site.js", "icon.svg"), b""))
    locales = discover_locales(ROOT / "locales")
    context = SiteContext(book.catalog, book.sizes, urls, locales, assets)  # type: ignore[arg-type]
    context.book = book
    pages = {}
    for kind in page_kinds().values():
        if kind.name in LEFT_OUT:
            continue
        for locale in page_locales(kind, locales):
            env = make_environment(
                ROOT / "templates",
                locale,
                locales,
                load_translations(ROOT / "locales", locale),
                urls,
                assets,
            )
            for key in keys_of(kind, book.catalog):
                file = urls.file(key.kind, key.ids, locale)
                pages[file] = kind.render(env, context, key, locale)
    return pages


def update() -> None:
    """Write what is expected anew."""
    pages = golden_pages()
    for path in EXPECTED.rglob("*.html"):
        if path.relative_to(EXPECTED).as_posix() not in pages:
            path.unlink()
    for name, text in pages.items():
        path = EXPECTED / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{len(pages)} pages written to {EXPECTED}")


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        print(__doc__)
