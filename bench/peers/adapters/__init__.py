# SPDX-License-Identifier: MIT
"""The peers: one small module each, imported only when it is asked for.

A module offers
    version(program, variant)    -> what is installed, in words; raises NotInstalled or ImportError
    run(job, recorder, variant)  -> factorizes job.matrix from job.W, job.H and reports to the recorder

The clock starts with the first update (recorder.start) and excludes reading, checking and converting the
input, to the peer's advantage. A peer whose iterations cannot be observed from outside has its own update
function wrapped: the loop and the arithmetic stay the peer's own. With job.max_iterations the peer ends by
itself and, where it can, says its own error.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOREVER = 1_000_000_000


class NotInstalled(Exception):
    pass


class WrongAnswer(Exception):
    pass


@dataclass
class Job:
    matrix: Any  # float64, C-ordered array or scipy CSR
    W: Any
    H: Any
    rank: int
    threads: int
    seconds: float
    max_iterations: int | None
    input_file: Path
    start_files: tuple[Path, Path]
    scratch: Path
    program: Path

    @property
    def iterations(self) -> int:
        return self.max_iterations or FOREVER


@dataclass(frozen=True)
class Peer:
    """`takes_sparse`: peers that would have to blow a sparse matrix up to a dense one are not run on it."""

    name: str
    module: str
    variant: str
    takes_sparse: bool
    install: str

    def version(self, program: Path) -> str:
        try:
            return self._module().version(program, self.variant)
        except (ImportError, NotInstalled) as problem:
            raise NotInstalled(f"{self.name} is left out: {problem}; try: {self.install}") from problem

    def run(self, job: Job, recorder) -> None:
        self._module().run(job, recorder, self.variant)

    def _module(self):
        return importlib.import_module(f"adapters.{self.module}")


SETUP = "bench/peers/setup"
PEERS = {
    peer.name: peer
    for peer in (
        Peer("anmf:auto", "anmf", "auto", True, "make build"),
        Peer("scikit-learn:cd", "scikit_learn", "cd", True, SETUP),
        Peer("scikit-learn:mu", "scikit_learn", "mu", True, SETUP),
        Peer("nimfa:lsnmf", "nimfa_nmf", "lsnmf", True, SETUP),
        Peer("nimfa:nmf", "nimfa_nmf", "nmf", False, SETUP),
        Peer("tensorly:hals", "tensorly_hals", "hals", False, SETUP),
        Peer("nn-fac:hals-acc", "nn_fac_nmf", "hals_acc", False, SETUP),
        Peer("ristretto:rhals", "ristretto_nmf", "rhals", False, SETUP),
        Peer("rcppml", "r_packages", "rcppml", True, "apt-get install r-base-core r-cran-rcppml"),
        Peer("r-nmf:lee", "r_packages", "nmf", False, "apt-get install r-base-core r-cran-nmf"),
    )
}


def find(name: str) -> Peer:
    """A peer by name; anmf takes any method that the program knows, as in anmf:a-hals."""
    if name.startswith("anmf:"):
        return Peer(name, "anmf", name.removeprefix("anmf:"), True, "make build")
    if name not in PEERS:
        raise NotInstalled(f"there is no peer {name}; known are {', '.join(PEERS)} and anmf:METHOD")
    return PEERS[name]
