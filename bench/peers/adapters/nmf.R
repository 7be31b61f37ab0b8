# SPDX-License-Identifier: MIT
# NMF, method "lee": multiplicative updates in C++. Its two updates are called in turn, without the rescaling
# of W that the method does between iterations and that raises the error.

suppressMessages(library(NMF))
source(commandArgs(trailingOnly = TRUE)[1])

M <- read_matrix()

watch(
  state = list(
    W = matrix(numbers_in("W.bin", rows * rank), rows, rank),
    H = matrix(numbers_in("H.bin", rank * cols), rank, cols)
  ),
  step = function(state) {
    H <- nmf_update.euclidean.h(M, state$W, state$H, copy = FALSE)
    list(W = nmf_update.euclidean.w(M, state$W, H, copy = FALSE), H = H)
  },
  own_error = function(state) sqrt(rss(nmfModel(W = state$W, H = state$H), M))
)
