# SPDX-License-Identifier: MIT
"""Where things are. Everything that the comparison makes is under build/bench, or where ANMF_BENCH says."""

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BENCH = Path(os.environ.get("ANMF_BENCH", ROOT / "build" / "bench")).resolve()
GENERATED = BENCH / "data"
STARTS = BENCH / "starts"
RUNS = BENCH / "runs"
SCRATCH = BENCH / "scratch"
DATA = ROOT.parent / "shared" / "data"
ANMF = ROOT / "build" / "release" / "anmf"
