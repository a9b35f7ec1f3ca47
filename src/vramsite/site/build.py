"""A whole build: lock, workers, the files beside the pages, one rename, a summary."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from vramsite.site.executor import run_workers
from vramsite.site.machine.verdicts import write_verdicts
from vramsite.site.memory import peak_bytes
from vramsite.site.progress import Progress, SilentProgress
from vramsite.site.publish import (
    PARTS,
    build_lock,
    check_replaceable,
    clean_leftovers,
    publish,
    sweep,
    unfinished,
)
from vramsite.site.sitemap import read_parts, write_host_files, write_sitemaps
from vramsite.site.spec import BuildSpec

_MIB = 2.0**20


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """What a build made and what it cost.

    ``seconds`` is wall time from start to published, ``cpu_s`` the workers' and the parent's CPU
    time, ``peak_bytes`` the sum of every process's own peak (an upper bound of the true peak:
    memory that processes share counts for each, and their peaks need not coincide).
    """

    output: Path
    pages: int
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
        return (
            f"{self.pages} pages ({self.bytes / _MIB:.1f} MiB) in {self.seconds:.1f} s: "
            f"{self.pages_per_s:.0f} pages/s with {self.jobs} workers, {self.cpu_s:.1f} CPU s, "
            f"peak {self.peak_bytes / _MIB:.0f} MiB (sum of the processes' peaks) → {self.output}"
        )


def default_jobs() -> int:
    """One worker a core that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def build_site(
    spec: BuildSpec, output: Path, jobs: int | None = None, progress: Progress | None = None
) -> BuildSummary:
    """Build the site of ``spec`` and publish it as ``output``.

    Whatever goes wrong, ``output`` stays what it was.

    Raises:
        BuildError: the catalog, a template or a worker failed. PublishError: the folder is in use
        by another build or holds files of somebody else. UrlError: a bad base URL.
    """
    started, cpu_started = time.monotonic(), time.process_time()
    urls = spec.urls
    output = output.absolute()
    workers = jobs or default_jobs()
    check_replaceable(output)
    with build_lock(output) as lock:
        clean_leftovers(output)
        with unfinished(output) as folder:
            parts = folder / PARTS
            shutil.rmtree(parts, ignore_errors=True)
            totals = run_workers(spec, folder, workers, progress or SilentProgress(), lock)
            sitemap_urls = write_sitemaps(folder, read_parts(parts), urls, totals.locales[0])
            write_verdicts(folder, parts, urls)
            shutil.rmtree(parts, ignore_errors=True)
            write_host_files(folder, urls)
            sweep(folder)
            publish(folder, output)
    return BuildSummary(
        output=output,
        pages=totals.pages,
        bytes=totals.bytes,
        sitemap_urls=sitemap_urls,
        seconds=time.monotonic() - started,
        cpu_s=totals.cpu_s + time.process_time() - cpu_started,
        peak_bytes=totals.peak_bytes + peak_bytes(),
        jobs=workers,
    )
