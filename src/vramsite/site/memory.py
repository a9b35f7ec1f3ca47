"""The most memory a process has held, as the operating system counts it."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_bytes() -> int:
    """Peak resident bytes of this process.

    Linux's ``VmHWM`` counts this program alone; ``ru_maxrss`` also remembers the process that
    started it and is the fallback elsewhere (KiB on Linux, bytes on macOS).
    """
    if _STATUS.is_file():
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
