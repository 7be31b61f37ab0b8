# SPDX-License-Identifier: MIT
"""Run a Python program with ``anmf.patch_sklearn()`` in force and no line of it changed:

python -m anmf.patched PROGRAM ARGUMENTS    a script, or a command that is one
python -m anmf.patched -m MODULE ARGUMENTS  a module, as with python -m
"""

import os
import runpy
import shutil
import sys

from anmf._patch import patch_sklearn


def main(arguments: list[str]) -> None:
    module = arguments[:1] == ["-m"]
    if arguments[module : module + 1] in ([], ["-h"], ["--help"]):
        raise SystemExit(__doc__)
    patch_sklearn()
    sys.argv = arguments[module:]
    if module:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        return
    script = sys.argv[0] if os.path.exists(sys.argv[0]) else shutil.which(sys.argv[0])
    if script is None:
        raise SystemExit(f"{sys.argv[0]} is neither a file nor a command that can be found.")
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
