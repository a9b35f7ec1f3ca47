"""A whole build: lock, what has changed, workers, one exchange of folders, a summary."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from vramsite.site.executor import BuildError, Job, Totals, run_workers
from vramsite.site.inputs import Inputs
from vramsite.site.last import LastBuild, last_build
from vramsite.site.memory import peak_bytes
from vramsite.site.mirror import mirror, open_list
from vramsite.site.order import Order
from vramsite.site.progress import Progress, SilentProgress
from vramsite.site.publish import (
    build_lock,
    check_replaceable,
    clean_leftovers,
    publish,
    spare_folder,
    store_file,
    unfinished,
)
from vramsite.site.spec import BuildSpec

_MIB = 2.0**20


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """What a build made and what it cost.

    ``pages`` were made, with so many ``bytes``; ``kept`` are those of the last site. ``seconds`` is
    wall time from start to published, ``cpu_s`` the workers' and the parent's CPU time,
    ``peak_bytes`` the sum of every process's own peak (an upper bound of the true peak: memory that
    processes share counts for each, and their peaks need not coincide).
    """

    output: Path
    pages: int
    kept: int
    bytes: int
    sitemap_urls: int
    seconds: float
    cpu_s: float
    peak_bytes: int
    jobs: int

    @property
    def pages_per_s(self) -> float:
        """Pages over wall time, loading and publishing included."""
        return self.pages / self.seconds

    def text(self) -> str:
        """The summary on one line, for a terminal."""
        cost = (
            f"{self.cpu_s:.1f} CPU s, peak {self.peak_bytes / _MIB:.0f} MiB "
            f"(sum of the processes' peaks) → {self.output}"
        )
        if self.jobs == 0:
            return f"nothing has changed: {self.kept} pages kept, {self.seconds:.2f} s, {cost}"
        kept = f", {self.kept} kept" if self.kept else ""
        return (
            f"{self.pages} pages ({self.bytes / _MIB:.1f} MiB){kept} in {self.seconds:.1f} s: "
            f"{self.pages_per_s:.0f} pages/s with {self.jobs} workers, {cost}"
        )


def default_jobs() -> int:
    """One worker a core that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def build_site(
    spec: BuildSpec,
    output: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    *,
    force: bool = False,
) -> BuildSummary:
    """Build the site of ``spec`` and publish it as ``output``.

    Only pages that some change since the last build went into are made, unless ``force`` asks for
    all. Whatever goes wrong, ``output`` stays what it was.

    Raises:
        BuildError: the catalog, a template, a worker or the file system failed. PublishError: the
        folder is in use by another build or holds files of somebody else. UrlError: a bad base
        URL. SystemExit: the process was asked to end (SIGTERM, SIGHUP).
    """
    _ = spec.urls  # a bad address is an error before anything is done
    try:
        with _ending_cleanly():
            return _build(spec, output.absolute(), jobs, progress or SilentProgress(), force)
    except OSError as error:
        raise BuildError(_advice(error, output)) from error


def _build(
    spec: BuildSpec, output: Path, jobs: int | None, progress: Progress, force: bool
) -> BuildSummary:
    started, cpu_started = time.monotonic(), time.process_time()
    check_replaceable(output)
    with build_lock(output) as lock:
        clean_leftovers(output)
        last = None if force else last_build(output)
        inputs = Inputs.read(spec, last.inputs if last else None)
        if last is not None and last.is_of(inputs):
            totals = Totals(planned=last.pages, sitemap_urls=last.sitemap_urls)
        else:
            if last is not None and not last.serves(inputs):
                last = None
            run = _Build(spec, output, inputs, last, default_jobs() if jobs is None else jobs)
            totals = run.run(progress, lock)
    return BuildSummary(
        output=output,
        pages=totals.pages,
        kept=totals.planned - totals.pages,
        bytes=totals.bytes,
        sitemap_urls=totals.sitemap_urls,
        seconds=time.monotonic() - started,
        cpu_s=totals.cpu_s + time.process_time() - cpu_started,
        peak_bytes=totals.peak_bytes + peak_bytes(),
        jobs=totals.workers,
    )


@dataclass(frozen=True, slots=True)
class _Build:
    """One build that has something to do."""

    spec: BuildSpec
    output: Path
    inputs: Inputs
    last: LastBuild | None
    jobs: int

    def run(self, progress: Progress, lock: int) -> Totals:
        """Make what is to be made and publish it."""
        output, last = self.output, self.last
        known = open_list(spare_folder(output)) if last else None
        store = store_file(output)
        new_store = store.with_name(f"{store.name}.tmp")
        with unfinished(output) as folder, _scratch(output, new_store) as inputs_file:
            inputs_file.write_bytes(pickle.dumps(self.inputs))
            prepared = _in_background(
                (lambda: mirror(output, folder, store, known)) if last else _nothing
            )
            spec = self.spec
            if last is not None and last.assets_serve(self.inputs):
                spec = replace(spec, kept_assets=last.assets)
            order = Order(
                spec=spec,
                folder=str(folder),
                live=str(output) if output.is_dir() else "",
                store=str(store) if last else "",
            )
            job = Job(order, new_store, inputs_file, last is not None, prepared)
            try:
                totals = run_workers(job, self.jobs, progress, lock)
            finally:
                prepared()  # before anybody moves the folder that it fills
            # Files that changed meanwhile may have gone into some pages and not into others.
            settled = Inputs.read(self.spec, self.inputs.files).same_files(self.inputs.files)
            store.unlink(missing_ok=True)
            publish(folder, output)
            if settled:
                new_store.rename(store)
        return totals


class _scratch:  # noqa: N801 (used like a function)
    """The file with the inputs for the workers; gone afterwards, with an unfinished store."""

    def __init__(self, output: Path, store: Path) -> None:
        self._inputs = output.with_name(f"{output.name}.inputs.tmp")
        self._store = store

    def __enter__(self) -> Path:
        return self._inputs

    def __exit__(self, *_: object) -> None:
        self._inputs.unlink(missing_ok=True)
        self._store.unlink(missing_ok=True)


def _advice(error: OSError, output: Path) -> str:
    """What the file system refused, and what to do about it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        what = f"free some space there, or remove {spare_folder(output)}, which only saves time"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        what = "make it writable for this user, or name another output folder"
    else:
        what = "see to it and build again"
    return f"{error}: {what}; nothing was published"


@contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Whoever asks this process to end has it clean up first, like Ctrl-C does."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGTERM, signal.SIGHUP]
    before = [signal.getsignal(number) for number in numbers]
    for number, handler in zip(numbers, before, strict=True):
        if handler == signal.SIG_DFL:  # nohup ignores one of them, and is to be obeyed
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            if handler == signal.SIG_DFL:
                signal.signal(number, handler)


def _nothing() -> None:
    """Nothing."""


def _in_background(act: Callable[[], None]) -> Callable[[], None]:
    """Begin an act; what is returned waits for its end and raises what went wrong."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()

    def wait() -> None:
        thread.join()
        for error in errors:
            raise error

    return wait
