// SPDX-License-Identifier: MIT
// The families of benchmarks, one source file each. Names are family/what/.../type/r:RANK/threads:N;
// table.py reads them.
#pragma once

namespace anmf::bench {

void register_yardsticks();
void register_sweeps();
void register_products();
void register_iteration();

}  // namespace anmf::bench
