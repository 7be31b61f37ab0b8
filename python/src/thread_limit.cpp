// SPDX-License-Identifier: MIT
// The most threads that calls of this process may take, 0 for no limit. threadpoolctl looks for libraries
// that it can limit by the names of their symbols, so this is one; python/anmf/_threads.py reads and writes
// it.
extern "C" {
[[gnu::visibility("default"), gnu::used]] int anmf_thread_limit = 0;
}
