// SPDX-License-Identifier: MIT
// The families of benchmarks, one source file each. Names are family/what/.../type/r:RANK/threads:N;
// table.py reads them. `quick` takes small problems in the place of those that take seconds, and repeats
// nothing: to see that a benchmark works, not how fast.
#pragma once

namespace anmf::bench {

void register_yardsticks(bool quick);
void register_sweeps();
void register_products(bool quick);
void register_iteration(bool quick);

}  // namespace anmf::bench
