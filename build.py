"""Build the site: the same as ``vramsite build`` from a source tree."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

from vramsite.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "build")
    main()
