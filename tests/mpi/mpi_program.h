// SPDX-License-Identifier: MIT
// anmf-mpi under mpirun, in a folder of its own.
#pragma once

#include <cstdlib>

#include "program.h"

namespace anmf::test {

/// As root, and on fewer cores than ranks.
inline void set_mpi_environment() {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
    setenv(name, "1", 1);
  setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 1);  // a job that fails waits for nothing
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);           // Open MPI keeps memory to the end
}

class MpiTest : public ProgramTest {
 protected:
  MpiTest() {
    io::write_npy<double>(file("tall.npy"), random_matrix(261, 100, 9).view());
    set_mpi_environment();
  }

  [[nodiscard]] Outcome mpi(int ranks, const Arguments& arguments) const {
    return run_in(file(""), kMpirun, Arguments{"-n", std::to_string(ranks), kMpiProgram} + arguments);
  }

  [[nodiscard]] static Arguments run(const std::string& input, const std::string& out,
                                     const Arguments& further = {}) {
    return Arguments{"factorize", input, "--rank", "5", "--tolerance", "0", "--no-report", "--out", out} +
           further;
  }
};

}  // namespace anmf::test
