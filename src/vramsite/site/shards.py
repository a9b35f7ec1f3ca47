"""A site made in parts on several machines (``--shard k/n``), put together on one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from vramsite.catalog.trace import ANSWER
from vramsite.site.finish import END, Whole, complete
from vramsite.site.inputs import FileState
from vramsite.site.publish import (
    build_lock,
    check_replaceable,
    clean_leftovers,
    publish,
    store_file,
    sweep,
    unfinished,
)
from vramsite.site.store import Store, StoreError, StoreWriter, UnitRecord
from vramsite.site.urls import Urls
from vramsite.site.writing import FolderWriter

_SAME = {
    "rules": "code, rules or spec",
    "everything": "input files",
    "locales": "languages",
    "base_url": "base address",
}


class ShardError(ValueError):
    """Parts that do not make one site; the message says what is wrong with which."""


def merge(folders: Sequence[Path], output: Path) -> Whole:
    """Publish as ``output`` the site whose shards lie in ``folders``, each with its store beside.

    Raises:
        ShardError: a part is missing, is there twice, is damaged, or is of another site.
        PublishError: the output folder cannot be used.
    """
    output = output.absolute()
    check_replaceable(output)
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(_open(folder))) for folder in folders]
        _check(folders, stores)
        stack.enter_context(build_lock(output))
        clean_leftovers(output)
        target = store_file(output).with_name(f"{output.name}.store.tmp")
        with unfinished(output) as folder:
            writer = FolderWriter(folder, output)
            store = StoreWriter.begin(target)
            for part, shard in zip(folders, stores, strict=True):
                _take(part, shard, writer, store)
            # Times of files on other machines say nothing here: all are read before they count.
            inputs = {
                name: FileState(state.size, 0, state.digest)
                for name, state in stores[0].inputs().items()
            }
            store.set_inputs(inputs)
            store.finish().close()
            meta = next(shard.meta for shard in stores if shard.meta["shard"].startswith("1/"))
            urls = Urls.from_base_url(meta["base_url"])
            source_locale = meta["locales"].split(" ")[0]
            whole = complete(target, writer, urls, source_locale, meta | {"shard": ""})
            with closing(Store(target)) as done:
                sweep(folder, done.names())
            store_file(output).unlink(missing_ok=True)
            publish(folder, output)
            target.rename(store_file(output))
    return whole


def _open(folder: Path) -> Store:
    try:
        return Store(store_file(folder))
    except StoreError as error:
        raise ShardError(f"{folder}: no part of a site: {error}") from error


def _check(folders: Sequence[Path], stores: Sequence[Store]) -> None:
    if not stores:
        raise ShardError("name the folders of all parts")
    first = stores[0].meta
    _, _, count = first.get("shard", "").partition("/")
    if not count:
        raise ShardError(f"{folders[0]} is a whole site: parts are made with --shard k/n")
    seen: dict[str, Path] = {}
    for folder, store in zip(folders, stores, strict=True):
        for name, what in _SAME.items():
            if store.meta[name] != first[name]:
                raise ShardError(f"{folder} and {folders[0]} were made from different {what}")
        number, _, of = store.meta["shard"].partition("/")
        if of != count:
            raise ShardError(f"{folder} is one of {of} parts, {folders[0]} one of {count}")
        if number in seen:
            raise ShardError(f"{folder} and {seen[number]} are both part {number}/{count}")
        seen[number] = folder
    missing = [f"{one}/{count}" for one in range(1, int(count) + 1) if str(one) not in seen]
    if missing:
        raise ShardError(f"missing: {', '.join(missing)}")


def _take(folder: Path, shard: Store, writer: FolderWriter, store: StoreWriter) -> None:
    """Copy a part's files, and what its store says of them."""
    for record in _records(shard):
        for name, facts in record.files.items():
            try:
                content = (folder / name).read_bytes()
            except OSError as error:
                raise ShardError(f"{folder / name}: {error.strerror}") from error
            if hashlib.sha256(content).digest() != facts.digest:
                raise ShardError(f"{folder / name} is not what was built: it has changed since")
            writer.write(name, content)
        files, _ = writer.take()
        store.add(replace(record, files=files))
    for fact, answer in shard.stored_answers():
        store.answer(fact, answer)
    for fact, digest in shard.facts().values():
        if fact[0] != ANSWER:
            store.says(fact, digest)


def _records(shard: Store) -> Iterator[UnitRecord]:
    return (record for record in shard.records() if record.unit != END)
