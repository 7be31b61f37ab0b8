# Every target sets up what it needs by itself. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

BUILD := cmake --build --preset
QUIET_BUILD = $(BUILD) $(1) -- --quiet

.PHONY: help setup setup-dev build demo test check format layers tidy web-test asan tsan bench bench-methods bench-scipy bench-losses bench-missing
.PHONY: formats-test fuzz fuzz-short fuzz-build python-build python-check bench-build bench-check bench-python bench-peers
.PHONY: clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install the packages that building and testing need (once)
	@tools/setup

setup-dev:
	@tools/setup --dev

build: setup ## Build the release: the program is build/release/anmf
	@cmake --preset release --log-level=WARNING
	@$(call QUIET_BUILD,release)

demo: setup ## Factorize pictures of swimmers and write demo-out/
	@cmake --preset release --log-level=WARNING
	@$(BUILD) release --target anmf_cli
	@build/release/anmf demo --out demo-out

test: python-build ## Run the tests that a user wants to see pass
	@ctest --preset release

# Everything that needs no Python is compiled while Python's packages are being fetched.
python-build: setup
	@if [[ ! -d build/python-env ]]; then \
	  mkdir -p build; python/environment >build/python-env.log 2>&1 & \
	  cmake --preset release --log-level=WARNING && $(call QUIET_BUILD,release) || exit 1; \
	  wait $$! || { cat build/python-env.log >&2; exit 1; }; fi
	@python=$$(python/environment) && cmake --preset release --log-level=WARNING -DANMF_BUILD_PYTHON=ON \
	  -DPython_EXECUTABLE="$$python" -DANMF_TEST_PYTHON="$$python"
	@$(call QUIET_BUILD,release)

check: format layers tidy formats-test python-check bench-check web-test asan tsan fuzz-short ## What the makers add: format, tidy, wheels, benchmarks, a browser, sanitizers, fuzzing

format: setup-dev ## Check the format of every source file
	@tools/format --check

layers: ## Check that includes point one way
	@tools/layers

tidy: setup-dev ## Run the static checks
	@tools/tidy

python-check: setup ## Check the Python code, and test the wheel in clean environments
	@python/check

web-test: setup-dev build ## Open report pages in a real browser and look at them
	@ANMF_PROGRAM="$(CURDIR)/build/release/anmf" web/test

formats-test: setup-dev python-build ## Exchange files with NumPy, scipy, anndata and R
	@ctest --preset release -R io_python

asan: setup-dev ## Run the suite under the address and undefined-behaviour sanitizers
	@cmake --preset dev --log-level=WARNING
	@$(call QUIET_BUILD,dev)
	@ctest --preset dev

tsan: setup-dev ## Run the suite under the thread sanitizer
	@cmake --preset tsan --log-level=WARNING
	@$(call QUIET_BUILD,tsan)
	@ctest --preset tsan

fuzz-build: setup-dev
	@cmake --preset dev --log-level=WARNING
	@$(call QUIET_BUILD,dev --target anmf_fuzz)

fuzz-short: fuzz-build
	@tests/fuzz/run 20

fuzz: fuzz-build ## Let libFuzzer break the readers of files, ten minutes each (an hour and a half)
	@tests/fuzz/run 600

bench-build:
	@tools/setup --bench
	@cmake --preset release --log-level=WARNING -DANMF_BUILD_BENCH=ON
	@$(call QUIET_BUILD,release --target anmf_benchmarks)

bench-check: python-build bench-build ## Compile every benchmark and run it for a moment
	@build/python-env/bin/python bench/check.py

bench: bench-build ## Measure the kernels beside the machine's peak and memory (minutes): build/bench/micro.md
	@mkdir -p build/bench
	@build/release/bench/anmf_bench --benchmark_enable_random_interleaving=true --benchmark_repetitions=9 \
	  --benchmark_min_time=0.02 --benchmark_out=build/bench/micro.json $(ARGS) >build/bench/micro.txt 2>&1 || \
	  { cat build/bench/micro.txt >&2; exit 1; }
	@python3 bench/micro/table.py build/bench/micro.json build/bench/micro.md

bench-methods: bench-build ## Compare our own methods on the paper's data sets (half an hour)
	@build/release/bench/anmf_methods $(ARGS)

bench-scipy: bench-build ## Compare sparse products with scipy's (minutes)
	@bench/peers/setup
	@build/bench/venv/bin/python bench/scipy/compare.py $(ARGS)

bench-python: python-build ## Compare anmf.NMF with scikit-learn's NMF as a user would (minutes)
	@PYTHONPATH=build/release/python build/python-env/bin/python bench/python/compare.py $(ARGS)

bench-peers: build ## Compare with other programs (hours; ARGS=--quick for minutes, ARGS=--help for more)
	@bench/peers/setup
	@build/bench/venv/bin/python bench/peers/run.py $(ARGS)

bench-losses: bench-build ## Compare Kullback-Leibler with scikit-learn's mu (an hour at first; ARGS=--quick for minutes)
	@bench/peers/setup
	@build/bench/venv/bin/python bench/losses/run.py $(ARGS)

bench-missing: bench-build ## Compare ratings with CCD++, and a matrix with holes with the complete one (minutes)
	@build/release/bench/anmf_missing $(ARGS)

clean: ## Remove everything that was built
	@rm -rf build demo-out web/node_modules web/.tests web/.install-lock
