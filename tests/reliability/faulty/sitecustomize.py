"""Loaded by Python at its start where a test puts this folder into PYTHONPATH: at a given file
operation of a build's parent or worker, that process is killed, or the disk is full.

FAULT is ``what:who:n``: at the n-th operation below FAULT_BELOW of "parent" or "worker"; ``what``
is "kill", "group" (the parent and all workers) or the number of an error. FAULT_CLOCK moves the
clock by so many seconds.
"""

from __future__ import annotations

import os
import signal
import sys
import time

_EVENTS = frozenset(
    {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate", "os.utime"}
    | {"os.scandir", "shutil.rmtree", "shutil.copyfile", "sqlite3.connect", "ctypes.dlsym"}
)
_ANYWHERE = frozenset({"ctypes.dlsym"})
_count = 0


def _text(one: object) -> str:
    return os.fsdecode(one) if isinstance(one, (str, bytes, os.PathLike)) else ""


def _fault() -> None:
    what, who, number = os.environ["FAULT"].split(":")
    below = os.environ["FAULT_BELOW"]
    if (who == "worker") != ("vramsite.site.worker" in sys.orig_argv):
        return

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        global _count
        if event not in _EVENTS:
            return
        if event not in _ANYWHERE and not any(below in _text(one) for one in arguments[:2]):
            return
        _count += 1
        if _count < int(number):
            return
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "group":
            os.killpg(0, signal.SIGKILL)
        elif event == "open" or event in ("os.mkdir", "os.link"):
            raise OSError(int(what), os.strerror(int(what)), _text(arguments[0]))

    sys.addaudithook(hook)


def _move_clock(seconds: float) -> None:
    now, now_ns = time.time, time.time_ns
    time.time = lambda: now() + seconds
    time.time_ns = lambda: now_ns() + int(seconds * 1e9)


if os.environ.get("FAULT"):
    _fault()
if os.environ.get("FAULT_CLOCK"):
    _move_clock(float(os.environ["FAULT_CLOCK"]))
