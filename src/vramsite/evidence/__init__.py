"""Measurements and accounting rows, the engine run on them, error statistics, calibration."""

import os

# NumPy reads this when it is loaded. One thread adds in one order, so that a calibration has the
# same digits everywhere, and it solves many small systems faster than several do.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
