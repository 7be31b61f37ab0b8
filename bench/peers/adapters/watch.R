# SPDX-License-Identifier: MIT
# What the R peers share: reading the problem, the clock, snapshots. See r_packages.py for the other side.

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[2]
numbers <- as.numeric(arguments[3:9])
rows <- numbers[1]
cols <- numbers[2]
rank <- numbers[3]
nonzeros <- numbers[4]
threads <- numbers[5]
limit_seconds <- numbers[6]
limit_iterations <- numbers[7]

numbers_in <- function(name, count, type = "double") readBin(file.path(folder, name), type, count)

read_matrix <- function() {
  if (nonzeros == 0) {
    return(matrix(numbers_in("M.bin", rows * cols), rows, cols))
  }
  methods::new("dgCMatrix",
    p = numbers_in("p.bin", cols + 1, "integer"), i = numbers_in("i.bin", nonzeros, "integer"),
    x = numbers_in("x.bin", nonzeros), Dim = as.integer(c(rows, cols))
  )
}

say <- function(...) {
  cat(..., "\n")
  flush(stdout())
}

# step(state) does one iteration on list(W, H); own_error(state) is || M - W H || in the package's own words.
# The 1 % between snapshots and iteration 200 are those of recorder.py.
watch <- function(state, step, own_error) {
  answers <- file("stdin", "r")
  seconds <- 0
  seconds_of_snapshot <- 0
  iteration <- 0
  while (seconds < limit_seconds && iteration < limit_iterations) {
    begin <- Sys.time()
    state <- step(state)
    seconds <- seconds + as.numeric(difftime(Sys.time(), begin, units = "secs"))
    iteration <- iteration + 1
    over <- seconds >= limit_seconds || iteration >= limit_iterations
    if (over || iteration == 200 || seconds >= 1.01 * seconds_of_snapshot) {
      seconds_of_snapshot <- seconds
      writeBin(as.vector(state$W), file.path(folder, "W.bin"))
      writeBin(as.vector(state$H), file.path(folder, "H.bin"))
      say("snapshot", iteration, format(seconds, digits = 17))
      readLines(answers, 1)
    }
  }
  say("own_error", format(own_error(state), digits = 17))
  peak <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  say("peak_mb", as.numeric(gsub("[^0-9]", "", peak)) / 1024)
}
