"""The parent of a build's workers: starts them before anything is loaded and hands out chunks.

The parent itself never loads the catalog; each worker does, and both make the same plan, so that
only chunk numbers travel. The pages go from the workers straight to disk.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vramsite.site.order import Order
from vramsite.site.progress import Progress

_SOURCE_DIR = Path(__file__).resolve().parents[2]
_STDERR_TAIL_BYTES = 3000
_PATIENCE_S = 1800.0  # the longest page there is takes minutes on a slow machine
_PATIENCE = "VRAMSITE_PATIENCE_S"
_KILLED = " (by the system when memory runs out: try fewer workers, --jobs 1)"
_ALONE_PAGES = 300  # a second worker would be loading for as long as these take


class BuildError(RuntimeError):
    """A build that came to nothing; the message is for the person who started it."""


@dataclass(slots=True)
class Totals:
    """What the workers did: pages and their bytes, each worker's peak memory and CPU seconds.

    ``planned`` is the number of pages of the site, made in this run or not.
    """

    pages: int = 0
    bytes: int = 0
    planned: int = 0
    sitemap_urls: int = 0
    peak_bytes: int = 0
    cpu_s: float = 0.0
    workers: int = 0


class _Worker:
    """One worker process and the thread that passes its answers on."""

    def __init__(self, index: int, order: Order, answers: queue.Queue[_Answer], lock: int) -> None:
        self.index = index
        self.chunk: int | None = None
        self.ended = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in stop)
        paths = [str(_SOURCE_DIR), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "vramsite.site.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                pass_fds=(lock,),
                encoding="utf-8",
            )
        except OSError:
            self._errors.close()
            raise
        self.send_line(order.to_json())
        self._reader = threading.Thread(target=self._read, args=(answers,), daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self, answers: queue.Queue[_Answer]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.endswith("\n"):  # killed in the middle of a line
                break
            answers.put(_Answer(self, json.loads(line)))
        answers.put(_Answer(self, {"event": "gone"}))

    def send(self, message: dict[str, object]) -> None:
        """Send one command."""
        self.send_line(json.dumps(message))

    def send_line(self, line: str) -> None:
        """Send one line; a worker that is gone is noticed by its reader, not here."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def death(self) -> str:
        """Why the process is gone, with the end of what it wrote to standard error."""
        code = self._process.wait()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
        doing = "" if self.chunk is None else f" while making chunk {self.chunk}"
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _STDERR_TAIL_BYTES))
        tail = self._errors.read().decode(errors="replace").strip()
        hint = _KILLED if code == -signal.SIGKILL else ""
        return f"worker {self.index} {how}{doing}{hint}" + (f":\n{tail}" if tail else "")

    def task(self) -> str:
        """What it is at, for a message about its silence."""
        what = "no chunk" if self.chunk is None else f"chunk {self.chunk}"
        return f"worker {self.index} (process {self.pid}) at {what}"

    def stop(self) -> None:
        """End the process whatever it is doing and let go of its pipes."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self._errors.close()


class _Inline:
    """A worker in this process, for tests and profiles: does at once what it is told."""

    def __init__(self, order: Order, answers: queue.Queue[_Answer]) -> None:
        from vramsite.site.worker import Work

        self.chunk: int | None = None
        self.ended = False
        self._answers = answers
        self._work = Work(order, self._put)
        self._work.ready()

    def _put(self, message: dict[str, Any]) -> None:
        self._answers.put(_Answer(self, json.loads(json.dumps(message))))

    def send(self, message: dict[str, object]) -> None:
        """Obey one command."""
        if not self._work.obey(message):
            self._put({"event": "end", "peak_bytes": 0, "cpu_s": 0.0})

    def death(self) -> str:
        """It has none of its own."""
        raise NotImplementedError

    def stop(self) -> None:
        """Nothing is left running."""


@dataclass(frozen=True, slots=True)
class _Answer:
    worker: _Worker | _Inline
    message: dict[str, Any]


class _Run:
    """The state of one run over all workers.

    The first worker that is ready leads: it makes what belongs to no page, tells which pages are
    stale, and puts the whole together once the others are done.
    """

    def __init__(self, job: Job, progress: Progress, hire: Callable[[], None]) -> None:
        self.totals = Totals()
        self._job = job
        self._progress = progress
        self._hire = hire
        self._leader: _Worker | _Inline | None = None
        self._sizes: dict[int, int] | None = None
        self._waiting: list[tuple[int, list[int] | None]] = []
        self._open = 0

    def take(self, answer: _Answer) -> None:
        """Act on one answer of one worker.

        Raises:
            BuildError: the worker failed or is gone. OSError: the file system refused something.
        """
        message, worker = answer.message, answer.worker
        event = message["event"]
        if event == "pages":
            self.totals.pages += message["pages"]
            self.totals.bytes += message["bytes"]
            self._progress.advance(message["pages"])
        elif event == "ready":
            self._ready(worker, message)
        elif event == "stale":
            self._stale(worker, message)
        elif event == "done":
            self._open -= 1
            self._hand_out(worker)
        elif event == "finished":
            self.totals.sitemap_urls = message["urls"]
            self._let_go(worker)
        elif event == "end":
            worker.ended = True
            self.totals.peak_bytes += message["peak_bytes"]
            self.totals.cpu_s += message["cpu_s"]
        elif event == "failed":
            detail = message["detail"]
            raise BuildError(message["text"] + (f"\n{detail}" if detail else ""))
        elif event == "refused":
            name = message["name"] or self._job.order.folder
            raise OSError(message["errno"], message["text"], name)
        elif not worker.ended:
            raise BuildError(worker.death())

    def _ready(self, worker: _Worker | _Inline, message: dict[str, Any]) -> None:
        """A worker has loaded everything: the first one brings the plan."""
        sizes = {int(index): pages for index, pages in message["chunks"].items()}
        if self._sizes is None:
            self._sizes = sizes
            self._leader = worker
            self.totals.planned = sum(sizes.values())
            self._job.prepared()
            if self._job.incremental:
                worker.send({"stale": True})
                return
            if message["shared"]:
                worker.send({"first": ["assets", "shared"]})
            self._begin([(index, None) for index in sizes], sizes)
        elif sizes != self._sizes:
            raise BuildError("the catalog or templates changed while the build started: try again")
        self._hand_out(worker)

    def _stale(self, worker: _Worker | _Inline, message: dict[str, Any]) -> None:
        """The leader knows what to make: if it is much, it gets help."""
        if message["first"]:
            worker.send({"first": message["first"]})
        pages = {int(index): count for index, count in message["pages"].items()}
        self._begin([(int(one), some) for one, some in message["positions"].items()], pages)
        if sum(pages.values()) > _ALONE_PAGES:
            self._hire()
        self._hand_out(worker)

    def _begin(self, work: list[tuple[int, list[int] | None]], pages: dict[int, int]) -> None:
        # The few odd pages first: what is wrong with a template shows at once. The chunks of
        # the models are all alike, so the last ones still keep all workers busy.
        self._waiting = sorted(work, key=lambda one: (-pages[one[0]], -one[0]))
        self._open = len(work)
        self._progress.start(sum(pages.values()))

    def _hand_out(self, worker: _Worker | _Inline) -> None:
        """Give a worker its next chunk, or let it go; the leader waits for the others' last."""
        worker.chunk = None
        if self._waiting:
            worker.chunk, positions = self._waiting.pop()
            worker.send({"chunk": worker.chunk, "positions": positions})
        elif worker is not self._leader:
            self._let_go(worker)
        if self._leader is not None and self._leader.chunk is None and self._open == 0:
            self._open = -1
            self._leader.send({"finish": str(self._job.store), "inputs": str(self._job.inputs)})

    def _let_go(self, worker: _Worker | _Inline) -> None:
        worker.send({"end": True})


@dataclass(frozen=True, slots=True)
class Job:
    """What `run_workers` is to do.

    ``store`` is where the new site's store goes, ``inputs`` a file with the pickled inputs.
    ``incremental``: only what is stale of the site whose store the order names. ``prepared`` waits
    for the folder to be as the workers need it.
    """

    order: Order
    store: Path
    inputs: Path
    incremental: bool
    prepared: Callable[[], None]


def _patience_s() -> float:
    """How long all workers may be silent. BuildError for a setting that is no number above 0."""
    text = os.environ.get(_PATIENCE, "")
    try:
        patience_s = float(text) if text else _PATIENCE_S
    except ValueError:
        patience_s = 0.0
    if not 0.0 < patience_s <= threading.TIMEOUT_MAX:
        raise BuildError(f"{_PATIENCE}: found {text!r}, must be a number of seconds above 0")
    return patience_s


def _silence(workers: list[_Worker | _Inline]) -> str:
    tasks = "; ".join(
        worker.task() for worker in workers if isinstance(worker, _Worker) and not worker.ended
    )
    return (
        f"no worker has said anything for {_patience_s():g} s, they were ended: {tasks}. "
        f"Build with --jobs 1 to see which page it is; {_PATIENCE} sets another limit"
    )


def run_workers(job: Job, jobs: int, progress: Progress, lock: int) -> Totals:
    """Make the job's pages with up to ``jobs`` processes (0: in this one), and the site whole.

    ``lock`` is the file descriptor that the workers keep open as long as they live.

    Raises:
        BuildError: a worker failed, was killed or hangs; the others are ended first. OSError: the
        file system refused something to one of them.
    """
    answers: queue.Queue[_Answer] = queue.Queue()
    workers: list[_Worker | _Inline] = []

    def hire() -> None:
        while len(workers) < jobs:
            workers.append(_Worker(len(workers), job.order, answers, lock))

    run = _Run(job, progress, hire)
    try:
        if jobs == 0:
            workers.append(_Inline(job.order, answers))
        elif job.incremental:
            workers.append(_Worker(0, job.order, answers, lock))
        else:
            hire()
        while not all(worker.ended for worker in workers):
            try:
                answer = answers.get(timeout=_patience_s())
            except queue.Empty:
                raise BuildError(_silence(workers)) from None
            run.take(answer)
    finally:
        progress.stop()
        for worker in workers:
            worker.stop()
    run.totals.workers = len(workers)
    return run.totals
