"""What a build leaves for the next one: each page with the facts it was made from, in one file.

An SQLite database beside the site (``out.store``), written with it and never served. It belongs to
one published site, whose manifest's digest it holds, and to one state of the rules: anything else
is as good as no store, and the site is made from nothing.
"""

from __future__ import annotations

import io
import json
import pickle
import shutil
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from vramsite.catalog.trace import ANSWER, Fact, Origin
from vramsite.site.inputs import FileState
from vramsite.site.writing import FileFacts

FORMAT = "2"
_SCHEMA = """
create table meta(name text primary key, value text) without rowid;
create table inputs(name text primary key, size, mtime_ns, digest) without rowid;
create table facts(id integer primary key, name text unique, digest blob);
create table origins(id integer primary key, members blob);
create table answers(fact integer primary key, origin integer, value blob);
create table units(id integer primary key, name text unique, place, origin, entry text, pages);
create table files(name text primary key, unit, digest blob, size, mtime_ns) without rowid;
create table parts(name text primary key, unit, content blob) without rowid;
create index files_of on files(unit);
create index parts_of on parts(unit);
"""
_MOST_KNOWN = 50_000
_TABLES = {"meta", "inputs", "facts", "origins", "answers", "units", "files", "parts"}
_SAFE_MODULES = ("vramsite.", "datetime", "markupsafe")

K = TypeVar("K")
Unit = tuple[str, ...]
"""A page's kind and ids, or ("", name) for files that belong to no page."""


class StoreError(ValueError):
    """A store that cannot be used, whatever the reason: build from nothing."""


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """One unit as it was made: its place in the plan, its facts, its files.

    ``entry`` is its line of the sitemap, "" for none; ``pages`` how many HTML files it has.
    """

    unit: Unit
    place: int
    origin: Origin
    files: dict[str, FileFacts]
    parts: dict[str, bytes]
    entry: str
    pages: int


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it travels: ``value`` is pickled, None for what cannot be."""

    digest: bytes
    origin: Origin
    value: bytes | None


def name_of(parts: Fact | Unit) -> str:
    """A fact or unit as text."""
    return json.dumps(parts, separators=(",", ":"), ensure_ascii=False)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma journal_mode = off")
    connection.execute("pragma synchronous = off")
    return connection


class _Unpickler(pickle.Unpickler):
    """Reads records of ours and nothing else: a store may come from another machine."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(_SAFE_MODULES):
            return super().find_class(module, name)
        raise StoreError(f"a store must not hold {module}.{name}")


class Store:
    """The store of a published site, for reading."""

    def __init__(self, path: Path) -> None:
        """Open it. Raises StoreError where there is none that can be read."""
        if not path.is_file():
            raise StoreError(f"no {path}")
        self.path = path
        try:
            self._db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
            self.meta = dict(self._db.execute("select name, value from meta"))
        except sqlite3.Error as error:
            raise StoreError(f"{path}: {error}") from error
        except (TypeError, ValueError) as error:  # somebody else's table of that name
            self.close()
            raise StoreError(f"{path}: {error}") from error
        if self.meta.get("format") != FORMAT:
            self.close()
            raise StoreError(f"{path}: another format")

    def is_sound(self) -> bool:
        """Whether the database is whole as far as SQLite can tell, and has all our tables."""
        try:
            rows = self._db.execute("select name from sqlite_master where type = 'table'")
            if not {name for (name,) in rows} >= _TABLES:
                return False
            return bool(self._db.execute("pragma quick_check").fetchone() == ("ok",))
        except sqlite3.Error:
            return False

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def inputs(self) -> dict[str, FileState]:
        """The files that the site was made from."""
        rows = self._db.execute("select name, size, mtime_ns, digest from inputs")
        return {name: FileState(size, mtime, digest) for name, size, mtime, digest in rows}

    def files(self) -> Iterator[tuple[str, FileFacts]]:
        """Every file of the site, in the order of the names."""
        rows = self._db.execute("select name, digest, size, mtime_ns from files order by name")
        return ((name, FileFacts(digest, size, mtime)) for name, digest, size, mtime in rows)

    def names(self) -> Iterator[str]:
        """The files' names in their order."""
        return (name for (name,) in self._db.execute("select name from files order by name"))

    def count_files(self) -> int:
        """The number of files."""
        return int(self._db.execute("select count(*) from files").fetchone()[0])

    def has_file(self, name: str) -> bool:
        """Whether the site has a file of the name."""
        rows = self._db.execute("select 1 from files where name = ?", (name,))
        return rows.fetchone() is not None

    def facts(self) -> dict[int, tuple[Fact, bytes]]:
        """Every fact by its number, with what it said."""
        rows = self._db.execute("select id, name, digest from facts")
        return {number: (tuple(json.loads(name)), digest) for number, name, digest in rows}

    def origins(self) -> dict[int, array[int]]:
        """Every origin by its number: numbers of facts, and of further origins below zero."""
        rows = self._db.execute("select id, members from origins")
        return {number: array("q", members) for number, members in rows}

    def answers(self) -> dict[int, int]:
        """Number of an answer's fact → its origin."""
        return dict(self._db.execute("select fact, origin from answers"))

    def value(self, fact: int) -> object:
        """The value of an answer. KeyError where it could not be kept."""
        rows = self._db.execute("select value from answers where fact = ?", (fact,))
        row = rows.fetchone()
        if row is None or row[0] is None:
            raise KeyError(fact)
        try:
            return _Unpickler(io.BytesIO(row[0])).load()
        except StoreError:
            raise
        except Exception as error:  # whatever a damaged pickle may raise: it is made anew
            raise KeyError(fact) from error

    def origin_of(self, unit: Unit) -> int | None:
        """What a unit was made from, None for one that was not made."""
        rows = self._db.execute("select origin from units where name = ?", (name_of(unit),))
        row = rows.fetchone()
        return None if row is None else int(row[0])

    def units(self) -> Iterator[Unit]:
        """Every unit."""
        return (tuple(json.loads(name)) for (name,) in self._db.execute("select name from units"))

    def pages(self) -> int:
        """The number of HTML pages."""
        rows = self._db.execute("select coalesce(sum(pages), 0) from units")
        return int(rows.fetchone()[0])

    def entries(self) -> Iterator[str]:
        """The sitemap's lines in the order of the plan."""
        rows = self._db.execute("select entry from units where entry != '' order by place")
        return (entry for (entry,) in rows)

    def parts(self) -> Iterator[bytes]:
        """What is put together at the end, in the order of the names."""
        rows = self._db.execute("select content from parts order by name")
        return (content for (content,) in rows)

    def records(self) -> Iterator[UnitRecord]:
        """Every unit whole, as the store of a shard is joined to others."""
        origins = self.whole_origins()
        rows = self._db.execute("select id, name, place, origin, entry, pages from units")
        for number, name, place, origin, entry, pages in rows:
            files = self._db.execute(
                "select name, digest, size, mtime_ns from files where unit = ?", (number,)
            )
            parts = self._db.execute("select name, content from parts where unit = ?", (number,))
            yield UnitRecord(
                unit=tuple(json.loads(name)),
                place=place,
                origin=origins[origin],
                files={file: FileFacts(*facts) for file, *facts in files},
                parts=dict(parts.fetchall()),
                entry=entry,
                pages=pages,
            )

    def whole_origins(self) -> dict[int, Origin]:
        """Every origin by its number, as a set."""
        facts, members = self.facts(), self.origins()
        found: dict[int, Origin] = {}

        def whole(number: int) -> Origin:
            if number not in found:
                found[number] = frozenset(
                    whole(-one) if one < 0 else facts[one][0] for one in members[number]
                )
            return found[number]

        for number in members:
            whole(number)
        return found

    def stored_answers(self) -> Iterator[tuple[Fact, StoredAnswer]]:
        """Every answer whole."""
        facts, origins = self.facts(), self.whole_origins()
        rows = self._db.execute("select fact, origin, value from answers")
        for fact, origin, value in rows:
            yield facts[fact][0], StoredAnswer(facts[fact][1], origins[origin], value)


def _keep(known: dict[K, int], key: K, number: int) -> None:
    """Remember a number; of very many the older half is forgotten."""
    if len(known) >= _MOST_KNOWN:
        for old in list(islice(known, _MOST_KNOWN // 2)):
            del known[old]
    known[key] = number


class StoreWriter:
    """Fills the store of an unfinished site: a new one, or the last one's copy."""

    def __init__(self, path: Path) -> None:
        """Go on with the store at ``path``, or begin one."""
        new = not path.exists()
        self.path = path
        self._origins: dict[Origin, int] = {}
        self._members: dict[bytes, int] = {}
        self._db = _connect(path)
        if new:
            self._db.executescript(_SCHEMA)
            self._db.execute("insert into meta values('format', ?)", (FORMAT,))
        self._facts: dict[Fact, int] = {}
        self._next = 1 + max(map(self._top, ("facts", "origins", "units")))
        self._db.execute("begin")

    @classmethod
    def begin(cls, path: Path, last: Store | None = None) -> StoreWriter:
        """A new store, with all that another one holds."""
        path.unlink(missing_ok=True)
        if last is not None:
            shutil.copyfile(last.path, path)
        return cls(path)

    def _top(self, table: str) -> int:
        return int(self._db.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0])

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _fact(self, fact: Fact) -> int:
        found = self._facts.get(fact)
        if found is None:
            name = name_of(fact)
            rows = self._db.execute("select id from facts where name = ?", (name,))
            row = rows.fetchone()
            found = self._number() if row is None else int(row[0])
            if row is None:
                self._db.execute("insert into facts values(?, ?, null)", (found, name))
            _keep(self._facts, fact, found)
        return found

    def _origin(self, origin: Origin) -> int:
        found = self._origins.get(origin)
        if found is None:
            numbers = [
                -self._origin(one) if isinstance(one, frozenset) else self._fact(one)
                for one in origin
            ]
            members = array("q", sorted(numbers)).tobytes()
            found = self._members.get(members)
            if found is None:
                # One that was forgotten is written twice, which costs a little room and no more.
                found = self._number()
                _keep(self._members, members, found)
                self._db.execute("insert into origins values(?, ?)", (found, members))
            self._origins[origin] = found
        return found

    def forget_origins(self) -> None:
        """Let go of the sets that were added: the next ones come from elsewhere."""
        self._origins.clear()

    def add(self, record: UnitRecord) -> None:
        """Keep a unit, in the place of an older one of the name."""
        self.remove(record.unit)
        number = self._number()
        self._db.execute(
            "insert into units values(?, ?, ?, ?, ?, ?)",
            (
                number,
                name_of(record.unit),
                record.place,
                self._origin(record.origin),
                record.entry,
                record.pages,
            ),
        )
        self._db.executemany(
            "insert or replace into files values(?, ?, ?, ?, ?)",
            [
                (name, number, file.digest, file.size, file.mtime_ns)
                for name, file in record.files.items()
            ],
        )
        self._db.executemany(
            "insert or replace into parts values(?, ?, ?)",
            [(name, number, content) for name, content in record.parts.items()],
        )

    def remove(self, unit: Unit) -> None:
        """Forget a unit."""
        row = self._db.execute("select id from units where name = ?", (name_of(unit),)).fetchone()
        if row is not None:
            for table in ("files", "parts"):
                self._db.execute(f"delete from {table} where unit = ?", row)
            self._db.execute("delete from units where id = ?", row)

    def answer(self, fact: Fact, answer: StoredAnswer) -> None:
        """Keep an answer, in the place of an older one."""
        number = self._fact(fact)
        self._db.execute("update facts set digest = ? where id = ?", (answer.digest, number))
        self._db.execute(
            "insert or replace into answers values(?, ?, ?)",
            (number, self._origin(answer.origin), answer.value),
        )

    def forget_answers(self, numbers: list[int]) -> None:
        """Drop answers that may no longer hold, by the numbers of their facts."""
        self._db.executemany("delete from answers where fact = ?", [(one,) for one in numbers])

    def arrange(self, place_of: Callable[[Unit], int | None]) -> None:
        """Put every unit where it stands in the plan of today; pages it lacks are forgotten."""
        gone: list[Unit] = []
        moved: list[tuple[int, str]] = []
        for name, last in self._db.execute("select name, place from units"):
            unit: Unit = tuple(json.loads(name))
            place = place_of(unit)
            if unit[0] and place is None:
                gone.append(unit)
            elif place is not None and place != last:
                moved.append((place, name))
        for unit in gone:
            self.remove(unit)
        self._db.executemany("update units set place = ? where name = ?", moved)

    def plain_facts(self) -> Iterator[tuple[int, Fact, bytes | None]]:
        """Number, name and digest of every fact that is no answer."""
        rows = self._db.execute("select id, name, digest from facts")
        for number, name, digest in rows:
            fact = tuple(json.loads(name))
            if fact[0] != ANSWER:
                yield number, fact, digest

    def says(self, fact: Fact, digest: bytes) -> None:
        """What one fact says."""
        self.set_facts({self._fact(fact): digest})

    def set_facts(self, digests: Mapping[int, bytes]) -> None:
        """What facts say today, by their numbers."""
        self._db.executemany(
            "update facts set digest = ? where id = ?",
            [(digest, number) for number, digest in digests.items()],
        )

    def set_inputs(self, inputs: Mapping[str, FileState]) -> None:
        """The files that the site was made from."""
        self._db.execute("delete from inputs")
        self._db.executemany(
            "insert into inputs values(?, ?, ?, ?)",
            [(name, one.size, one.mtime_ns, one.digest) for name, one in inputs.items()],
        )

    def set_meta(self, meta: Mapping[str, str]) -> None:
        """Texts about the whole."""
        self._db.executemany("insert or replace into meta values(?, ?)", [*meta.items()])

    def collect(self) -> None:
        """Drop origins that nothing refers to any more, once they are the larger part."""
        members = {
            number: array("q", blob)
            for number, blob in self._db.execute("select id, members from origins")
        }
        waiting = [row[0] for row in self._db.execute("select origin from units")]
        waiting += [row[0] for row in self._db.execute("select origin from answers")]
        used: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number not in used:
                used.add(number)
                waiting += [-one for one in members[number] if one < 0]
        if len(members) > 2 * len(used):
            unused = [(number,) for number in members if number not in used]
            self._db.executemany("delete from origins where id = ?", unused)

    def finish(self) -> Store:
        """End the writing; what was written, for reading."""
        self._db.execute("commit")
        self._db.close()
        return Store(self.path)
