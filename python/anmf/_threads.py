# SPDX-License-Identifier: MIT
"""How many threads a call takes: what was asked for, the environment's word, and the limits of threadpoolctl."""

from __future__ import annotations

import ctypes
import os

import threadpoolctl

from anmf import _core

#: The engine's own variable, 0 where there is no limit.
_limit = ctypes.c_int.in_dll(ctypes.CDLL(_core.__file__), "anmf_thread_limit")


def thread_count(n_threads: int | None) -> int:
    """None is what OMP_NUM_THREADS says, which joblib sets in its workers, and else every core: 0."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    asked = n_threads if n_threads is not None else int(said) if said.isdecimal() else 0
    return min(asked or _cores(), _limit.value) if _limit.value else asked


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Controller(threadpoolctl.LibController):  # type: ignore[misc]
    """Makes `threadpoolctl.threadpool_limits` hold for anmf, and `threadpool_info` tell of it."""

    user_api = "anmf"
    internal_api = "anmf"
    filename_prefixes = ("_core",)
    check_symbols = ("anmf_thread_limit",)

    def get_num_threads(self) -> int:
        return thread_count(None) or _cores()

    def set_num_threads(self, num_threads: int) -> None:
        """threadpoolctl restores what it found, and where that was no limit there is to be none again."""
        _limit.value = 0
        if num_threads != self.get_num_threads():
            _limit.value = num_threads

    def get_version(self) -> str:
        return _core.version


threadpoolctl.register(_Controller)
