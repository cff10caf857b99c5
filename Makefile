# The main entry point. CMakePresets.json has further builds: cmake --preset debug, asan or tsan.

PREFIX ?= /usr/local

sources = git ls-files --cached --others --exclude-standard -- '*.h' '*.cc'

.PHONY: help build test test-long explain install uninstall format check-format lint check-layers bench bench-peers bench-train bench-data bench-sim bench-checkpoint bench-server train fuzz clean build-all

help:
	@echo 'make build           the program, as build/trireme, and the examples'
	@echo 'make test            build, then all tests'
	@echo 'make test-long       the same with all trials of random failures, of which make test runs a sample'
	@echo 'make train           build, then train a small network on Fashion-MNIST with 4 workers'
	@echo 'make explain         build, then explain a ring of four workers step by step'
	@echo 'make install         the program and the libraries, below PREFIX (/usr/local)'
	@echo 'make uninstall       remove them from there'
	@echo 'make format          format the sources (check-format: only say what is not)'
	@echo 'make lint            clang-tidy over src/, but for what needs libtorch'
	@echo 'make check-layers    hold the sources to src/layers.txt'
	@echo 'make bench           build, then run the benchmarks'
	@echo 'make bench-peers     compare operations with those of Open MPI, MPICH and Gloo'
	@echo 'make bench-train     compare training with a plain libtorch loop and with PyTorch DDP'
	@echo 'make bench-data      compare training from csv, npy and idx files, also larger than memory'
	@echo 'make bench-sim       compare the event simulation with SimGrid'
	@echo 'make bench-checkpoint  measure saves of 500 MB beside a plain write'
	@echo 'make bench-server    compare the modes of parameter servers with a slow worker, and replay runs'
	@echo 'make fuzz            feed the parsers with anything, FUZZ_SECONDS (60) for each'
	@echo 'make clean           remove what was built'

# Installs the packages that a target needs, and configures the build the first time that they are installed.
define set_up
	@tools/ensure-packages $(1)
	@$(foreach group,$(1),[ -e build/with-$(group) ] &&) true || \
	  { cmake --preset release -U BUILD_TESTING -U TRIREME_BENCH && touch $(foreach group,$(1),build/with-$(group)); }
endef

build:
	$(call set_up,build torch)
	cmake --build --preset release --target programs

build-all:
	$(call set_up,build torch test)
	cmake --build --preset release

test: build-all
	ctest --preset release

test-long: build-all
	TRIREME_TEST_LONG=1 ctest --preset release

train:
	@[ -e build/trireme-train ] || echo 'The first time: missing packages are installed (apt says how much), then the program is built, in about 3 minutes on 2 cores.'
	$(call set_up,build torch)
	cmake --build --preset release --target trireme trireme-train
	build/trireme train

explain:
	$(call set_up,build)
	cmake --build --preset release --target trireme
	build/trireme explain ring --values examples/ring_by_hand/values.csv --order A,B,D,C

install:
	$(call set_up,build torch)
	cmake --build --preset release --target trireme_installed
	DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'

uninstall:
	@tools/uninstall '$(DESTDIR)$(PREFIX)'

format:
	@tools/ensure-packages format
	$(sources) | xargs --no-run-if-empty clang-format-16 -i

check-format:
	@tools/ensure-packages format
	$(sources) | xargs --no-run-if-empty clang-format-16 --dry-run -Werror

lint:
	@tools/ensure-packages build torch test lint
	tools/lint

check-layers:
	tools/check-layers

bench:
	$(call set_up,build torch test)
	cmake --build --preset release --target benchmarks
	@for program in build/bench/*_bench; do if [ -x "$$program" ]; then "$$program" || exit 1; fi; done

bench-peers:
	$(call set_up,build)
	cmake --build --preset release --target trireme
	@tools/ensure-packages peers
	@$(MAKE) --no-print-directory -C bench/peers
	bench/peers/compare --json build/peers/results.json

bench-train:
	$(call set_up,build torch test)
	@tools/ensure-packages train-peers
	cmake --build --preset release --target trireme trireme-train plain_loop
	bench/train/compare --json build/train/results.json

bench-data:
	$(call set_up,build torch)
	cmake --build --preset release --target trireme trireme-train
	bench/data/compare --json build/bench-data.json

bench-sim:
	$(call set_up,build test sim-peers)
	cmake --build --preset release --target trireme_ring simgrid_ring
	bench/sim/compare --json build/sim/results.json

bench-checkpoint:
	$(call set_up,build torch)
	cmake --build --preset release --target trireme trireme-train
	bench/checkpoint/measure --json build/checkpoint.json

bench-server:
	$(call set_up,build torch)
	cmake --build --preset release --target trireme trireme-train
	bench/server/modes --svg docs/modes.svg --json build/server/modes.json
	bench/server/replays --json build/server/replays.json

fuzz:
	@tools/ensure-packages build sanitize
	tools/fuzz

clean:
	rm -rf build build-debug build-asan build-tsan build-lint
