"""A built site, a way to break the next build of it, and what must be true afterwards."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from fault_site import MODELS, PAGES, write_fault_site

from vramsite.site.build import build_site
from vramsite.site.manifest import differences

SOURCE = Path(__file__).resolve().parents[2] / "src"
FAULTY = Path(__file__).resolve().parent / "faulty"
MANY = int(os.environ.get("VRAMSITE_FAULTS", "1"))
"""How many times as many faults as in the gate."""

COMMAND = """
import sys
from pathlib import Path
from vramsite.contribute.terminal import fail
from vramsite.site.build import build_site
from vramsite.site.executor import BuildError
from vramsite.site.publish import PublishError
from vramsite.site.spec import BuildSpec
try:
    build_site(BuildSpec.from_json(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]),
               force=sys.argv[4] == "force")
except (BuildError, PublishError) as error:
    print(str(error).encode("ascii", "backslashreplace").decode(), file=sys.stderr)
    sys.exit(1)
"""
REST = {"out", "out.spare", "out.store"}


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


class Case:
    """``out`` is the site, built once; every `change` alters one model's file."""

    def __init__(self, root: Path, out: Path | None = None) -> None:
        self.root = root
        self.spec = write_fault_site(root / "project")
        self.out = out or root / "site" / "out"
        self.chance = random.Random(7)
        self.changes = 0
        build_site(self.spec, self.out, 0)
        self.before = contents(self.out)
        assert len([name for name in self.before if name.endswith(".html")]) == PAGES
        self.after = self.before

    def change(self) -> None:
        """Another word in one model's file; `after` is what a build from nothing makes of it."""
        self.changes += 1
        name = self.chance.choice(MODELS)
        path = self.root / "project" / "data" / "models" / f"{name}.txt"
        path.write_text(f"{name} for the {self.changes}th time", encoding="utf-8")
        clean = self.root / "clean" / "out"
        build_site(self.spec, clean, 0, force=True)
        self.before, self.after = contents(self.out), contents(clean)
        shutil.rmtree(clean.parent)
        assert self.before != self.after

    def start(
        self, fault: str = "", jobs: int = 2, force: bool = False, **more: str
    ) -> subprocess.Popen[str]:
        """A build in a process group of its own, with a fault in it."""
        search = os.pathsep.join([str(FAULTY), str(SOURCE)])
        environment = os.environ | {"PYTHONPATH": search, "FAULT_BELOW": str(self.out)} | more
        environment |= {"FAULT": fault} if fault else {}
        given = [self.spec.to_json(), str(self.out), str(jobs), "force" if force else ""]
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, *given],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def broken_build(
        self, fault: str = "", jobs: int = 2, force: bool = False, **more: str
    ) -> tuple[int, str]:
        """Its exit status and what it wrote to standard error."""
        process = self.start(fault, jobs, force, **more)
        _, text = process.communicate(timeout=60)
        return process.returncode, text

    def check_served(self, *, new_too: bool = False) -> None:
        """The site is whole, and the one from before (or, after a late fault, the new one)."""
        assert differences(self.out) == []
        site = contents(self.out)
        assert site == self.before or (new_too and site == self.after)

    def check_next_build(self) -> None:
        """The next build gives what one from nothing gives, and leaves nothing else behind."""
        build_site(self.spec, self.out, 0)
        assert contents(self.out) == self.after
        assert differences(self.out) == []
        assert {path.name for path in self.out.parent.iterdir()} <= REST
        self.before = self.after


def end(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> None:
    """Send a signal to a build's whole group."""
    os.killpg(process.pid, number)
