"""One worker process: loads the catalog, then makes the chunks it is told and writes the pages.

Run as ``python -m vramsite.site.worker``. On standard input it reads the ``BuildSpec``, the folder
to write into and then one command a line; on standard output it answers with one JSON object a
line. The end of its input is the end of its life, so that it never outlives the build. The other
side is ``executor``.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO

from vramsite.site.memory import peak_bytes
from vramsite.site.pages import PageKey
from vramsite.site.plan import Chunk
from vramsite.site.publish import PARTS, write_page
from vramsite.site.render import NOINDEX
from vramsite.site.setup import Site, make_site
from vramsite.site.spec import BuildSpec

_REPORT_EVERY_PAGES = 64
_HEAD_CHARS = 6000

Send = Callable[[dict[str, object]], None]


class PageError(RuntimeError):
    """A page that could not be made; the message names its key and locale."""


def run_chunk(site: Site, chunk: Chunk, output: Path, send: Send) -> None:
    """Make every page of a chunk, one after the other, straight to disk.

    Raises:
        PageError: a page kind or template failed.
    """
    entries: list[str] = []
    pages = size = 0
    for key in chunk.keys:
        indexable: list[str] = []
        for locale in site.locales_of(key):
            html = _page(site, key, locale)
            content = html.encode()
            file = site.context.urls.file(key.kind, key.ids, locale)
            write_page(f"{output}/{file}", content)
            pages += 1
            size += len(content)
            if site.kinds[key.kind].localized and NOINDEX not in html[:_HEAD_CHARS]:
                address = site.context.urls.relative(key.kind, key.ids, locale)
                indexable.append(f"{locale}={address}")
        if indexable:
            entries.append("\t".join(indexable))
        site.write_beside(key, output)
        if pages >= _REPORT_EVERY_PAGES:
            send({"event": "pages", "pages": pages, "bytes": size})
            pages = size = 0
    parts = output / PARTS
    parts.mkdir(exist_ok=True)
    (parts / f"{chunk.index:06}.txt").write_text("".join(f"{entry}\n" for entry in entries))
    send({"event": "pages", "pages": pages, "bytes": size})
    send({"event": "done", "chunk": chunk.index})


def _page(site: Site, key: PageKey, locale: str) -> str:
    try:
        return site.page(key, locale)
    except Exception as error:
        name = "/".join((key.kind, *key.ids))
        raise PageError(f"page {name} ({locale}): {type(error).__name__}: {error}") from error


def work(commands: queue.SimpleQueue[str], send: Send) -> None:
    """The worker's whole life; see the module's text."""
    spec = BuildSpec.from_json(commands.get())
    output = Path(json.loads(commands.get()))
    site = make_site(spec)
    chunks = {chunk.index: chunk for chunk in site.plan(spec.shard)}
    gc.collect()
    gc.freeze()
    sizes = {
        index: sum(len(site.locales_of(key)) for key in chunk.keys)
        for index, chunk in chunks.items()
    }
    send({"event": "ready", "chunks": sizes, "locales": list(site.context.locales)})
    while "end" not in (command := json.loads(commands.get())):
        if "assets" in command:
            site.context.write_assets(output)
        else:
            run_chunk(site, chunks[command["chunk"]], output, send)
    send({"event": "end", "peak_bytes": peak_bytes(), "cpu_s": time.process_time()})


def _listen(stream: IO[str], commands: queue.SimpleQueue[str]) -> None:
    """Pass commands on. A stream that ends means that the build is gone: so is its worker, at
    once, before it writes another page into a folder that somebody may be cleaning up.
    """
    for line in stream:
        commands.put(line)
    os._exit(1)


def main() -> None:
    """Keep standard output for the answers alone, then work; a failure is one last answer."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(message: dict[str, object]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    commands: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin, commands), daemon=True).start()
    try:
        work(commands, send)
    except BrokenPipeError:
        os._exit(1)
    except Exception as error:
        expected = isinstance(error, ValueError) and error.__class__ is not ValueError
        detail = "" if expected else traceback.format_exc()
        send({"event": "failed", "text": str(error), "detail": detail})
        sys.exit(1)


if __name__ == "__main__":
    main()
