// SPDX-License-Identifier: MIT
// Where this build has its programs, and its sources their data.
#pragma once

namespace anmf::test {

extern const char* const kProgram;     ///< anmf
extern const char* const kMpiProgram;  ///< anmf-mpi; empty where there is none
extern const char* const kMpirun;
extern const char* const kSource;    ///< the folder of the project
extern const char* const kDataSets;  ///< the folder of the data sets of the paper

}  // namespace anmf::test
