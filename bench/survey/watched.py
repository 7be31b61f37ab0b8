# SPDX-License-Identifier: MIT
"""Runs a command and writes what it took to a file: exit code, seconds of the processor, peak memory in KiB.

A process has, on Linux, at least the peak of the one that began it until its program was loaded. So a benchmark that
holds matrices itself asks this small script to begin the program.

Usage: watched.py FILE COMMAND ...
"""

import os
import sys

pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
