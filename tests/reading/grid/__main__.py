"""Print what became of the cases of the grid: `python -m tests.reading.grid`, or with dialects behind it."""

import sys

from tests.reading.grid.outcomes import report
from tests.reading.grid.rows import DIALECTS

if __name__ == "__main__":
    for line in report(sys.argv[1:] or DIALECTS):
        print(line, flush=True)
