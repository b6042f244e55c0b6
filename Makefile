# Two commands: `make run` verifies a protocol on some ranks, `make test` runs all tests.
# Both first install what is missing (setup.sh). WITHOUT_MPI=1 builds and runs without MPI.

NP ?= 2
JOB ?= jobs/default.toml
CARGO ?= cargo
ARGS ?=

# For root, containers and more ranks than cores; each is harmless elsewhere. Open MPI 4, then 5.
export OMPI_ALLOW_RUN_AS_ROOT ?= 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ?= 1
export OMPI_MCA_rmaps_base_oversubscribe ?= 1
export OMPI_MCA_mpi_yield_when_idle ?= 1
export OMPI_MCA_orte_execute_quiet ?= 1
export PRTE_MCA_rmaps_default_mapping_policy ?= :oversubscribe

ifdef WITHOUT_MPI
FEATURES := --no-default-features
LAUNCH := target/release/verify run $(JOB) --ranks $(NP) $(ARGS)
else
FEATURES :=
MPIRUN := $(shell command -v mpirun || command -v mpiexec || echo mpirun)
LAUNCH = $(MPIRUN) -n $(NP) target/release/verify run $(JOB) $(ARGS)
endif

.PHONY: run test setup build bench peers clean

run: build
	@$(LAUNCH) $$(test -t 2 && echo --progress line)

build: setup
	@$(CARGO) build --release --locked $(FEATURES)

setup:
	@./setup.sh

test:
	@./setup.sh test
	$(CARGO) test --locked $(FEATURES)
	tests/benches.sh target/debug/verify
ifndef WITHOUT_MPI
	tests/mpi.sh
	tests/rumur.sh target/debug/verify
endif

bench: build
	$(CARGO) bench --locked $(FEATURES)

# Time and memory against other checkers, on this machine; ARGS="--out docs/performance.md" writes the page.
peers: build
	@./setup.sh peers
	benches/peers $(ARGS)

clean:
	$(CARGO) clean
	rm -rf target-mpich
