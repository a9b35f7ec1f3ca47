"""The parent of a build's workers: starts them before anything is loaded and hands out chunks.

The parent itself never loads the catalog; each worker does, and both make the same plan, so that
only chunk numbers travel. The pages go from the workers straight to disk.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vramsite.site.progress import Progress
from vramsite.site.spec import BuildSpec

_SOURCE_DIR = Path(__file__).resolve().parents[2]
_STDERR_TAIL_BYTES = 3000


class BuildError(RuntimeError):
    """A build that came to nothing; the message is for the person who started it."""


@dataclass(slots=True)
class Totals:
    """What the workers did: pages, their bytes, and each worker's peak memory and CPU seconds."""

    pages: int = 0
    bytes: int = 0
    peak_bytes: int = 0
    cpu_s: float = 0.0
    locales: tuple[str, ...] = ()


class _Worker:
    """One worker process and the thread that passes its answers on."""

    def __init__(
        self, index: int, spec: BuildSpec, output: Path, answers: queue.Queue[_Answer], lock: int
    ) -> None:
        self.index = index
        self.chunk: int | None = None
        self.ended = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in stop)
        paths = [str(_SOURCE_DIR), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "vramsite.site.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            pass_fds=(lock,),
            encoding="utf-8",
        )
        self.send_line(spec.to_json())
        self.send_line(json.dumps(str(output)))
        self._reader = threading.Thread(target=self._read, args=(answers,), daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self, answers: queue.Queue[_Answer]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answers.put(_Answer(self, json.loads(line)))
        answers.put(_Answer(self, {"event": "gone"}))

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
        return f"worker {self.index} {how}{doing}" + (f":\n{tail}" if tail else "")

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


@dataclass(frozen=True, slots=True)
class _Answer:
    worker: _Worker
    message: dict[str, Any]


@dataclass(slots=True)
class _Run:
    """The state of one run over all workers."""

    progress: Progress
    totals: Totals = field(default_factory=Totals)
    sizes: dict[int, int] | None = None
    waiting: list[int] = field(default_factory=list)

    def ready(self, answer: _Answer) -> None:
        """A worker has loaded everything: the first one brings the plan."""
        sizes = {int(index): pages for index, pages in answer.message["chunks"].items()}
        if self.sizes is None:
            self.sizes = sizes
            self.totals.locales = tuple(answer.message["locales"])
            # The few odd pages first: what is wrong with a template shows at once. The chunks of
            # the models are all alike, so the last ones still keep all workers busy.
            self.waiting = sorted(sizes, key=lambda index: (-sizes[index], -index))
            self.progress.start(sum(sizes.values()))
            answer.worker.send_line(json.dumps({"assets": True}))
        elif sizes != self.sizes:
            raise BuildError("the catalog or templates changed while the build started: try again")
        self.hand_out(answer.worker)

    def hand_out(self, worker: _Worker) -> None:
        """Give a worker its next chunk, or let it go."""
        if self.waiting:
            worker.chunk = self.waiting.pop()
            worker.send_line(json.dumps({"chunk": worker.chunk}))
        else:
            worker.chunk = None
            worker.send_line(json.dumps({"end": True}))

    def take(self, answer: _Answer) -> None:
        """Act on one answer of one worker.

        Raises:
            BuildError: the worker failed or is gone.
        """
        message, worker = answer.message, answer.worker
        event = message["event"]
        if event == "pages":
            self.totals.pages += message["pages"]
            self.totals.bytes += message["bytes"]
            self.progress.advance(message["pages"])
        elif event == "ready":
            self.ready(answer)
        elif event == "done":
            self.hand_out(worker)
        elif event == "end":
            worker.ended = True
            self.totals.peak_bytes += message["peak_bytes"]
            self.totals.cpu_s += message["cpu_s"]
        elif event == "failed":
            detail = message["detail"]
            raise BuildError(message["text"] + (f"\n{detail}" if detail else ""))
        elif not worker.ended:
            raise BuildError(worker.death())


def run_workers(spec: BuildSpec, output: Path, jobs: int, progress: Progress, lock: int) -> Totals:
    """Make every page of the spec's plan below ``output`` with ``jobs`` processes.

    ``lock`` is the file descriptor that the workers keep open as long as they live.

    Raises:
        BuildError: a worker failed or was killed; the others are ended first.
    """
    answers: queue.Queue[_Answer] = queue.Queue()
    run = _Run(progress)
    workers: list[_Worker] = []
    try:
        workers.extend(_Worker(index, spec, output, answers, lock) for index in range(jobs))
        while not all(worker.ended for worker in workers):
            run.take(answers.get())
    finally:
        progress.stop()
        for worker in workers:
            worker.stop()
    return run.totals
