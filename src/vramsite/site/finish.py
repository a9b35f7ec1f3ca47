"""The end of a build: what is put together from all pages, the manifest, the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from heapq import merge
from itertools import chain
from operator import itemgetter
from pathlib import Path

from vramsite.catalog.trace import Fact
from vramsite.site.inputs import Inputs, assets_from
from vramsite.site.machine.verdicts import verdicts
from vramsite.site.making import Made
from vramsite.site.manifest import MANIFEST, manifest_parts
from vramsite.site.sitemap import Entry, host_files, sitemaps
from vramsite.site.store import Store, StoreWriter, Unit, UnitRecord
from vramsite.site.urls import Urls
from vramsite.site.writing import MARKER, MARKER_TEXT, Writer

END: Unit = ("", "end")
_LAST_PLACE = 2**62


@dataclass(frozen=True, slots=True)
class Whole:
    """A site that is whole: its files and the addresses in its sitemaps; the store names them."""

    files: int
    sitemap_urls: int


def keep(writer: StoreWriter, made: Iterable[Made]) -> Iterator[Fact]:
    """Put what was made into the store; gives the answers among it one by one."""
    for one in made:
        for record in one.records:
            writer.add(record)
        for fact, answer in one.answers:
            writer.answer(fact, answer)
            yield fact
        writer.forget_origins()


def bring_facts_up_to_date(writer: StoreWriter, digest: Callable[[Fact], bytes]) -> None:
    """What every plain fact of the store says today; one that is gone says nothing."""
    changed = {}
    for number, fact, last in writer.plain_facts():
        try:
            now = digest(fact)
        except KeyError:
            now = b""
        if now != last:
            changed[number] = now
    writer.set_facts(changed)


def write_end(
    store: Store, output: Writer, urls: Urls, source_locale: str, contact: str
) -> UnitRecord:
    """Sitemaps, verdicts, files for the host and last of all the manifest."""
    newest = ""

    def entries() -> Iterator[Entry]:
        nonlocal newest
        for entry in map(Entry.from_line, store.entries()):
            newest = max(newest, entry.day)
            yield entry

    for name, text in sitemaps(entries(), urls, source_locale):
        output.write_parts(name, text)
    parts = store.parts()
    if first := next(parts, None):
        table = verdicts(chain([first], parts))
        output.write_parts(urls.relative("api_verdicts", (), ""), table)
    for name, content in host_files(urls, contact, newest):
        output.write(name, content)
    output.write(MARKER, MARKER_TEXT)
    files, _ = output.take()
    digests = (
        (name, file.digest)
        for name, file in merge(store.files(), sorted(files.items()), key=itemgetter(0))
    )
    output.write_parts(MANIFEST, manifest_parts(digests))
    more, _ = output.take()
    return UnitRecord(END, _LAST_PLACE, frozenset(), files | more, {}, "", 0)


def complete(
    path: Path, output: Writer, urls: Urls, source_locale: str, meta: Mapping[str, str]
) -> Whole:
    """Write the end of the site whose units the store at ``path`` holds, and keep that as well."""
    writer = StoreWriter(path)
    writer.remove(END)
    store = writer.finish()
    end = write_end(store, output, urls, source_locale, meta["security_contact"])
    addresses = sum(entry.count("=") for entry in store.entries())
    store.close()
    writer = StoreWriter(path)
    writer.add(end)
    digest = end.files[MANIFEST].digest.hex()
    writer.set_meta({**meta, "manifest": digest, "sitemap_urls": str(addresses)})
    with closing(writer.finish()) as done:
        return Whole(done.count_files(), addresses)


def meta_of(
    inputs: Inputs, locales: tuple[str, ...], assets: tuple[str, ...], traced: bool
) -> dict[str, str]:
    """What the next build has to know of this one before it loads anything."""
    return {
        "rules": inputs.rules(),
        "everything": inputs.everything(),
        "locales": " ".join(locales),
        "assets": " ".join(assets),
        "assets_from": assets_from(inputs),
        "shard": inputs.spec.shard,
        "base_url": inputs.spec.base_url,
        "security_contact": inputs.spec.security_contact,
        "traced": "yes" if traced else "no",
    }
