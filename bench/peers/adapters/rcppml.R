# SPDX-License-Identifier: MIT
# RcppML: alternating nonnegative least squares by coordinate descent. RcppML::nmf cannot be given start
# factors, so its two half-steps are called in turn; H is solved for first and needs no start. For a dense
# matrix they are called as project() and mse() would: version 0.3.7 compares class(M) with one name, which R
# 4.2 and later refuse.

suppressMessages(library(Matrix))
suppressMessages(library(RcppML))
source(commandArgs(trailingOnly = TRUE)[1])

setRcppMLthreads(threads)
M <- read_matrix()
Mt <- t(M)

half_step <- function(M, factor) {
  if (nonzeros > 0) return(project(M, w = factor))
  RcppML:::Rcpp_projectW_dense(M, factor, TRUE, 0, threads, FALSE)
}

# On one thread: with more, mse() of a sparse matrix gives a different and wrong number at each call (version
# 0.3.7).
mean_squared_error <- function(Wt, H) {
  setRcppMLthreads(1)
  if (nonzeros > 0) return(mse(M, Wt, rep(1, rank), H))
  RcppML:::Rcpp_mse_dense(M, Wt, rep(1, rank), H, FALSE, 1)
}

watch(
  state = list(W = matrix(numbers_in("W.bin", rows * rank), rows, rank), H = NULL),
  step = function(state) {
    H <- half_step(M, t(state$W))
    list(W = t(half_step(Mt, H)), H = H)
  },
  own_error = function(state) sqrt(mean_squared_error(t(state$W), state$H) * rows * cols)
)
