# SPDX-License-Identifier: MIT
"""What stands between the engine and the user while a run goes on."""

from __future__ import annotations

from anmf._history import Callback, Iteration


class Watcher:
    """Prints, calls the callback, and with ``gain`` > 0 ends a run by scikit-learn's rule for multiplicative updates:
    when ten iterations have lowered the error by less than ``gain`` times the error at the start."""

    def __init__(self, verbose: int, callback: Callback | None, gain: float) -> None:
        self.verbose = verbose
        self.callback = callback
        self.gain = gain
        self.needed = gain > 0 or bool(verbose) or callback is not None
        self.converged = False
        self._error_at_start = 0.0
        self._error_before = 0.0

    def __call__(self, state: Iteration) -> bool:
        if self.verbose and (state.iteration % 10 == 0 or self.verbose > 1):
            print(f"iteration {state.iteration:4d}, error {state.error:.6g}, {state.seconds:.3f} s")
        if self.callback is not None and self.callback(state):
            return True
        if self.gain > 0:
            self.converged = self._error_has_settled(state)
        return self.converged

    def _error_has_settled(self, state: Iteration) -> bool:
        if state.iteration == 0:
            self._error_at_start = self._error_before = state.error
        elif state.iteration % 10 == 0:
            decrease, self._error_before = self._error_before - state.error, state.error
            return bool(decrease < self.gain * self._error_at_start) or self._error_at_start == 0
        return False
