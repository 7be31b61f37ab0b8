#!/usr/bin/env python3
"""Runs every shell command of a Markdown page, and checks its C++ against the examples.

Commands in ```sh blocks run in an empty folder with the built program on the PATH; a page that shows its own
input first makes it with such a command. `make` targets are not run from inside a test, but must exist.
A ```cpp block must be found, word for word apart from indentation, in one of the examples, which other tests
build and run.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def squeeze(code: str) -> str:
    return "\n".join(line.strip() for line in code.splitlines() if line.strip())


def main(path: Path, root: Path, program: Path) -> int:
    page = path.read_text()
    examples = [squeeze(p.read_text()) for p in (root / "examples").glob("*.cpp")]
    for block in blocks(page, "cpp"):
        if not any(squeeze(block) in example for example in examples):
            print(f"{path}: this C++ is in none of the examples:\n{block}")
            return 1

    makefile = (root / "Makefile").read_text()
    commands = "\n".join(blocks(page, "sh"))
    runnable = []
    for line in commands.splitlines():
        target = re.match(r"make ([a-z-]+)", line)
        if target and not re.search(rf"^{target[1]}:", makefile, re.MULTILINE):
            print(f"{path}: there is no target {target[1]}")
            return 1
        if not target:
            runnable.append(line)
    script = "set -euo pipefail\n" + "\n".join(runnable)
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder, "build")
        build.mkdir()
        (build / "release").symlink_to(program.parent)
        environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
        result = subprocess.run(["bash", "-c", script], cwd=folder, env=environment)
    if result.returncode != 0:
        print(f"{path}: a command failed with exit code {result.returncode}")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main(*(Path(argument).resolve() for argument in sys.argv[1:4])))
