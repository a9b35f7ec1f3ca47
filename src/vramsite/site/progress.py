"""How a build tells where it is: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

_LINE_EVERY_S = 5.0


class Progress(Protocol):
    """What a build reports to."""

    def start(self, total_pages: int) -> None:
        """The workers are ready and the number of pages is known."""
        ...

    def advance(self, pages: int) -> None:
        """So many pages more are on disk."""
        ...

    def stop(self) -> None:
        """The build has ended, well or badly."""
        ...


class SilentProgress:
    """Says nothing."""

    def start(self, total_pages: int) -> None:
        """Nothing."""

    def advance(self, pages: int) -> None:
        """Nothing."""

    def stop(self) -> None:
        """Nothing."""


class LineProgress:
    """A line every few seconds, for logs."""

    def __init__(self, stream: TextIO, every_s: float = _LINE_EVERY_S) -> None:
        self._stream = stream
        self._every_s = every_s
        self._total = self._pages = 0
        self._started = self._last = time.monotonic()

    def start(self, total_pages: int) -> None:
        """Print the number of pages."""
        self._total = total_pages
        self._started = self._last = time.monotonic()
        print(f"{total_pages} pages to make", file=self._stream, flush=True)

    def advance(self, pages: int) -> None:
        """Print where the build is, if the last line is some seconds old."""
        self._pages += pages
        now = time.monotonic()
        if now - self._last >= self._every_s:
            self._last = now
            rate = self._pages / max(now - self._started, 1e-9)
            line = f"{self._pages} of {self._total} pages, {rate:.0f} pages/s"
            print(line, file=self._stream, flush=True)

    def stop(self) -> None:
        """Nothing: the summary follows."""


class BarProgress:
    """A bar with pages/s and the time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._rich = RichProgress(
            TextColumn("pages"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._rich.add_task("pages", total=None, rate="")
        self._pages = 0
        self._started = time.monotonic()
        self._rich.start()

    def start(self, total_pages: int) -> None:
        """Give the bar its length."""
        self._started = time.monotonic()
        self._rich.update(self._task, total=total_pages)

    def advance(self, pages: int) -> None:
        """Move the bar."""
        self._pages += pages
        rate = self._pages / max(time.monotonic() - self._started, 1e-9)
        self._rich.update(self._task, advance=pages, rate=f"{rate:.0f} pages/s")

    def stop(self) -> None:
        """Leave the bar as it is and give the terminal back."""
        self._rich.stop()


def progress_for(stream: TextIO = sys.stderr) -> Progress:
    """A bar if ``stream`` is a terminal, lines otherwise."""
    return BarProgress() if stream.isatty() else LineProgress(stream)
