# maxk: `make help` lists the targets.
CC ?= gcc
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
# -ffp-contract=off and no -ffast-math: the same bits on every machine.
OPT ?= -O3
PKGS := $(shell pkg-config --cflags gsl hdf5 yaml-0.1 zlib 2>/dev/null)
LIBS := $(shell pkg-config --libs hdf5 2>/dev/null) -lhdf5_hl $(shell pkg-config --libs gsl yaml-0.1 zlib 2>/dev/null) -lm
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(OPT) -g -fopenmp -ffp-contract=off $(WARN) -I. -I$(BUILD)/gen \
	$(PKGS) $(SANFLAGS) $(CFLAGS)
# The sanitized build needs its own directory and its own objects.
ifdef SAN
override BUILD := build-san
SANFLAGS = -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT = -O1
endif

CLI_SRC = sim/main.c $(wildcard sim/cmd_*.c)
LIB_SRC = $(filter-out $(CLI_SRC),$(wildcard sim/*.c policies/*.c distributions/*.c analysis/*.c))
TEST_SRC = $(wildcard tests/test_*.c)
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
TEST_BIN = $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

.PHONY: all maxk-mpi quickstart deps deps-check check tests validate bench figures install clean help FORCE
all: $(BUILD)/maxk $(BUILD)/libmaxk.a ## build build/maxk and build/libmaxk.a (MPI=1: for mpirun)

# Only sim/ranks.c knows of MPI: `make MPI=1` links its other form into build/maxk; build/maxk-mpi is for the tests.
MPI_CFLAGS = -DMAXK_MPI $(patsubst -I%,-isystem %,$(shell pkg-config --cflags ompi-c))
MPI_LIBS = $(shell pkg-config --libs ompi-c)
RANKS = $(if $(MPI),$(BUILD)/obj/sim/ranks_mpi.o)
$(BUILD)/maxk: $(call obj,$(CLI_SRC)) $(RANKS) $(BUILD)/libmaxk.a $(BUILD)/mpi
	@echo "  link $@"; $(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LIBS) $(if $(MPI),$(MPI_LIBS))
$(BUILD)/maxk-mpi: $(call obj,$(CLI_SRC)) $(BUILD)/obj/sim/ranks_mpi.o $(BUILD)/libmaxk.a
	@echo "  link $@"; $(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS) $(MPI_LIBS)
$(BUILD)/obj/sim/ranks_mpi.o: sim/ranks.c $(BUILD)/flags | $(BUILD)/gen/sim/revision.h
	@pkg-config --exists ompi-c || { echo "MPI=1 needs Open MPI: apt-get install openmpi-bin libopenmpi-dev" >&2; exit 1; }
	@mkdir -p $(@D); echo "  cc   $< (MPI)"; $(CC) $(CFLAGS_ALL) $(MPI_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/mpi: FORCE
	@mkdir -p $(BUILD); echo '$(MPI)' | cmp -s - $@ || echo '$(MPI)' > $@
maxk-mpi: $(BUILD)/maxk-mpi
$(BUILD)/libmaxk.a: $(call obj,$(LIB_SRC))
	@rm -f $@; ar rcs $@ $^
$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(BUILD)/gen/sim/revision.h
	@mkdir -p $(@D); echo "  cc   $<"; $(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libmaxk.a
	@mkdir -p $(@D); echo "  link $@"; $(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS)

# Rewritten only when their content changes, so that nothing is rebuilt needlessly.
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD); echo '$(CC) $(CFLAGS_ALL)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL)' > $@
$(BUILD)/gen/sim/revision.h: FORCE
	@mkdir -p $(@D); sim/revision.sh '$(CC)' '$(OPT) -ffp-contract=off -fopenmp $(SANFLAGS)' | cmp -s - $@ || \
	sim/revision.sh '$(CC)' '$(OPT) -ffp-contract=off -fopenmp $(SANFLAGS)' > $@

-include $(patsubst %.o,%.d,$(call obj,$(CLI_SRC) $(LIB_SRC) $(TEST_SRC)) $(BUILD)/obj/sim/ranks_mpi.o)

tests: all $(TEST_BIN)
.SECONDARY:

quickstart: deps ## install what is missing, build, run the main experiment, draw its figures, print the verdicts
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(BUILD)/maxk run experiments/e4_power.yaml
	$(BUILD)/maxk run experiments/alpha_sweep.yaml
	$(BUILD)/maxk figures results/e4_power.h5 results/alpha_sweep.h5
	$(BUILD)/maxk summary results/e4_power.h5
	$(BUILD)/maxk bounds results/alpha_sweep.h5 --policy alpha=0.5 --variant sum
	$(BUILD)/maxk bounds results/alpha_sweep.h5 --brief

validate: deps ## every claim and published number against simulation: results/validation.{md,csv,html}; goes on where it stopped
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@MAXK=$(BUILD)/maxk /usr/bin/python3 tests/validate.py $(VALIDATE)

bench: deps ## pulls per second beside a plain loop timed in the same run
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(BUILD)/maxk bench

figures: deps ## run every synthetic experiment and draw all its figures into results/figures
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@for e in e4_pareto e4_exponential e4_gaussian e4_power alpha_sweep; do \
	$(BUILD)/maxk run experiments/$$e.yaml && $(BUILD)/maxk figures results/$$e.h5 || exit 1; done

install: all ## install the program, the library and its headers under PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/maxk $(DESTDIR)$(PREFIX)/bin/maxk
	install -m 644 $(BUILD)/libmaxk.a $(DESTDIR)$(PREFIX)/lib/libmaxk.a
	for h in sim/*.h policies/*.h distributions/*.h analysis/*.h; do \
	install -D -m 644 $$h $(DESTDIR)$(PREFIX)/include/maxk/$$h; done

clean: ## remove everything that was built
	rm -rf build build-san

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

TESTS ?= $(TEST_BIN) $(sort $(wildcard tests/test_*.sh tests/test_*.py))
check: deps-check ## install what is missing, build, run all quick tests
	@$(MAKE) --no-print-directory -j$(JOBS) tests
	@MAXK=$(BUILD)/maxk tests/run.sh $(BUILD)/logs $(TESTS)

DEPS = libgsl-dev libhdf5-dev libyaml-dev zlib1g-dev pkg-config gnuplot-nox fonts-dejavu-core
DEPS_CHECK = $(DEPS) g++ libpcg-cpp-dev hdf5-tools openmpi-bin libopenmpi-dev python3-h5py python3-xarray python3-h5netcdf \
	python3-scipy
deps: ## install the Debian packages that the program needs, if missing
	@sim/deps.sh $(DEPS)
deps-check: ## the same with what the tests need
	@sim/deps.sh $(DEPS_CHECK)
