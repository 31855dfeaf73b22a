# maxk: `make help` lists the targets.
ifeq ($(origin CC),default)
CC = gcc
endif
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

comma := ,
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
# -ffp-contract=off and no -ffast-math: the same bits on every machine. One set of objects for the program, the archive and
# the shared library, so -fPIC; nothing is ever interposed.
OPT ?= -O3
PKGS := $(shell pkg-config --cflags gsl hdf5 yaml-0.1 zlib json-c sqlite3 2>/dev/null)
LIBS := $(shell pkg-config --libs-only-L hdf5 2>/dev/null) -lhdf5_hl -lhdf5 \
	$(shell pkg-config --libs gsl yaml-0.1 zlib json-c sqlite3 2>/dev/null) -lm
# Programs have HDF5 inside, without its way to S3: its shared library loads thirty others, which takes two thirds of a start.
PROGRAM_LIBS = $(patsubst -lhdf5%,-l:libhdf5%.a,$(LIBS)) -lsz -ldl
link = @mkdir -p $(@D); echo "  link $@"; $(CC) $(CFLAGS_ALL) $(LDFLAGS) $(FIXED) -o $@ $(filter %.o %.a,$^)
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(OPT) $(or $(DEBUG:%=-g),-g1) -fopenmp -ffp-contract=off -fPIC -fno-semantic-interposition \
	$(WARN) -I. -I$(BUILD)/gen \
	$(PKGS) $(SANFLAGS) $(CFLAGS)
# The sanitized build needs its own directory and its own objects. Its programs are at fixed addresses: the descriptions of all
# global variables would be relocated at every start, a quarter of its time.
ifdef SAN
FIXED = -no-pie
override BUILD := build-san
SANFLAGS = -g1 -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT = -O1
endif
# And that for a debugger.
ifdef DEBUG
override BUILD := build-debug
OPT = -O0
endif
# So does the build that counts executed lines.
ifdef COV
override BUILD := build-cov
SANFLAGS = --coverage -fprofile-update=atomic
OPT = -O1
endif

# The program is the commands and the benchmark; everything below them is the library. The program and the tests are
# linked with its objects (libmaxk-objects.a), other programs with libmaxk.a, which shows the public functions only.
CLI_SRC = $(wildcard sim/program/command/*.c sim/program/bench/*.c)
LIB_SRC = $(filter-out $(CLI_SRC),$(sort $(shell find sim policies distributions analysis -name '*.c')))
TEST_SRC = $(wildcard tests/unit/*/test_*.c tests/fuzz/test_*.c)
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
TEST_BIN = $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

.PHONY: all debug maxk-mpi maxk-shared quickstart docs docs-pictures manual paper notes notes-check deps python-deps \
	tune-heart-deps tune-sklearn-deps deps-check check check-long golden interface tests fuzz validate mutants bench figures \
	coverage valgrind format lint lint-files lint-deps lint-quick clean help FORCE
all: $(BUILD)/maxk $(BUILD)/libmaxk.so $(BUILD)/libmaxk-policy.so ## build the program and libraries (MPI=1: for mpirun)

debug: ## build build-debug/maxk, without optimisation, for gdb
	@$(MAKE) --no-print-directory DEBUG=1 -j$(JOBS) all

# Only sim/run/durable/mpi_ranks.c knows about MPI: `make MPI=1` links its MPI form into build/maxk; build/maxk-mpi is for the
# tests.
MPI_CFLAGS = -DMAXK_MPI $(patsubst -I%,-isystem %,$(shell pkg-config --cflags ompi-c))
MPI_LIBS = $(shell pkg-config --libs ompi-c)
RANKS = $(if $(MPI),$(BUILD)/obj/sim/run/durable/mpi_ranks_mpi.o)
$(BUILD)/maxk: $(call obj,$(CLI_SRC)) $(RANKS) $(BUILD)/libmaxk-objects.a $(BUILD)/mpi
	$(link) $(PROGRAM_LIBS) $(if $(MPI),$(MPI_LIBS))
$(BUILD)/maxk-mpi: $(call obj,$(CLI_SRC)) $(BUILD)/obj/sim/run/durable/mpi_ranks_mpi.o $(BUILD)/libmaxk-objects.a
	$(link) $(PROGRAM_LIBS) $(MPI_LIBS)
$(BUILD)/obj/sim/run/durable/mpi_ranks_mpi.o: sim/run/durable/mpi_ranks.c $(BUILD)/flags | $(BUILD)/gen/sim/base/revision.h
	@pkg-config --exists ompi-c || { echo "MPI=1 needs Open MPI: apt-get install openmpi-bin libopenmpi-dev" >&2; exit 1; }
	@mkdir -p $(@D); echo "  cc   $< (MPI)"; $(CC) $(CFLAGS_ALL) $(MPI_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/mpi: FORCE
	@mkdir -p $(BUILD); echo '$(MPI)' | cmp -s - $@ || echo '$(MPI)' > $@
maxk-mpi: $(BUILD)/maxk-mpi
# For the tests that tell what the program allocates from what HDF5 does.
$(BUILD)/shared/maxk: $(call obj,$(CLI_SRC)) $(BUILD)/libmaxk-objects.a
	$(link) $(LIBS)
maxk-shared: $(BUILD)/shared/maxk
$(BUILD)/libmaxk-objects.a: $(call obj,$(LIB_SRC)) $(BUILD)/math.o
	@rm -f $@; ar rcs $@ $^
# A library is one object with what it needs of GSL inside, so that GSL calls musl's functions and a program that links it
# keeps its own exp and its own GSL; global is only what its header declares. -d: the locks of OpenMP's named critical
# sections are common symbols, which could not be made local. The shared library is the same object; its soname changes with
# the first part of the version. libmaxk has all objects, libmaxk-policy those that policies by ask and tell need.
GSL_STATIC = $(shell $(CC) -print-file-name=libgsl.a) $(shell $(CC) -print-file-name=libgslcblas.a)
PUBLIC = $(wildcard sim/api/maxk/*.h)
VERSION := $(shell awk '/define MAXK_VERSION_M|define MAXK_VERSION_P/ {printf "%s%s", sep, $$3; sep = "."}' sim/api/maxk/maxk.h)
MAJOR = $(firstword $(subst ., ,$(VERSION)))
define library # NAME, HEADER, WHAT LD LINKS BESIDE, WHAT GCC LINKS IT WITH
$(BUILD)/$(1).a: $(BUILD)/libmaxk-objects.a $(PUBLIC) Makefile
	@rm -f $$@; echo "  link $$@"
	@$(CC) -E -P sim/api/maxk/$(2) | grep -oE 'mk_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u > $(BUILD)/$(1).symbols
	@ld -r -d -o $(BUILD)/$(1).o $(3) --start-group $(BUILD)/libmaxk-objects.a $(GSL_STATIC) --end-group
	@objcopy --keep-global-symbols=$(BUILD)/$(1).symbols $(BUILD)/$(1).o && ar rcs $$@ $(BUILD)/$(1).o
$(BUILD)/$(1).so: $(BUILD)/$(1).a
	@(echo 'MAXK_$(MAJOR) {global:'; sed 's/$$$$/;/' $(BUILD)/$(1).symbols; echo 'local: *; };') > $(BUILD)/$(1).map
	@echo "  link $$@"; $(CC) -shared $(CFLAGS_ALL) $(LDFLAGS) -Wl,-soname,$(1).so.$(MAJOR) \
		-Wl,--version-script,$(BUILD)/$(1).map -Wl,-Bsymbolic $(if $(SANFLAGS),,-Wl$(comma)-z$(comma)defs) -o $$@ \
		$(BUILD)/$(1).o $(4)
	@ln -sf $(1).so $(BUILD)/$(1).so.$(MAJOR)
endef
$(eval $(call library,libmaxk,maxk.h,--whole-archive $(BUILD)/libmaxk-objects.a --no-whole-archive,\
	$(filter-out -lgsl -lgslcblas,$(LIBS))))
$(eval $(call library,libmaxk-policy,policy.h,-u mk_library_prepare $$$$(sed 's/^/-u /' $(BUILD)/libmaxk-policy.symbols),\
	-Wl$(comma)--as-needed -lm))
# The C library's exp, log, pow and others take different paths with and without fused multiply-add, which differ in the
# last bit. musl's have one path for all processors; as part of libmaxk they are found first, by GSL too.
MUSL ?= /usr/lib/$(shell uname -m)-linux-musl/libc.a
MATH = acos acosh asin asinh atan atan2 atanh cos cosh erf exp exp2 expm1 hypot log log10 log1p log2 pow sin sincos sinh \
	tan tanh __cos __sin __tan __rem_pio2 __rem_pio2_large __expo2 __math_divzero __math_invalid __math_oflow __math_uflow \
	__math_xflow exp_data log_data log2_data pow_data
$(BUILD)/math.o: $(MUSL) $(BUILD)/flags Makefile
	@rm -rf $(BUILD)/math && mkdir -p $(BUILD)/math; echo "  math $<"; cd $(BUILD)/math && ar x $< $(MATH:=.lo)
	@ld -r -o $@ $(MATH:%=$(BUILD)/math/%.lo) && objcopy --localize-hidden $@
$(MUSL):
	@echo "$@ is missing: apt-get install musl-dev" >&2; exit 1
# The tests themselves compute little: with -O1 they compile in half the time.
$(BUILD)/obj/tests/%.o: OPT = $(if $(DEBUG),-O0,-O1)
$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(BUILD)/gen/sim/base/revision.h
	@mkdir -p $(@D); echo "  cc   $<"; $(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
# Certificates are kept in files (analysis/theory/certificates/certificate_store.h): what computes them names their version.
CERTIFICATE_SOURCES = $(sort $(wildcard analysis/theory/certificates/*.[ch] \
	distributions/*.[ch] distributions/parts/*.[ch]))
$(BUILD)/obj/analysis/theory/certificates/certificate_store.o: $(BUILD)/gen/analysis/theory/certificates/certificate_sources.h
$(BUILD)/gen/analysis/theory/certificates/certificate_sources.h: $(CERTIFICATE_SOURCES)
	@mkdir -p $(@D); printf '#define MK_CERTIFICATE_SOURCES "%s"\n' "$$(cat $^ | sha256sum | cut -c 1-32)" > $@
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libmaxk-objects.a
	$(link) $(PROGRAM_LIBS)

# Fuzz targets; their seed inputs and the inputs that once failed run with the tests.
FUZZ_SRC = $(wildcard tests/fuzz/fuzz*.c)
FUZZ_OBJ = $(call obj,$(FUZZ_SRC) $(filter-out sim/program/command/main.c,$(CLI_SRC)))
$(BUILD)/tests/fuzz/test_fuzz: $(BUILD)/obj/tests/fuzz/test_fuzz.o $(FUZZ_OBJ) $(BUILD)/libmaxk-objects.a
$(BUILD)/maxk-fuzz: $(BUILD)/obj/tests/fuzz/driver.o $(FUZZ_OBJ) $(BUILD)/libmaxk-objects.a
$(BUILD)/maxk-mutate: $(BUILD)/obj/tests/fuzz/mutate.o $(FUZZ_OBJ) $(BUILD)/libmaxk-objects.a
$(BUILD)/tests/fuzz/test_fuzz $(BUILD)/maxk-fuzz $(BUILD)/maxk-mutate:
	$(link) $(PROGRAM_LIBS)
fuzz: ## build the fuzz targets with AFL++ (apt-get install afl++); tests/fuzz/run.sh TARGET SECONDS runs one
	@AFL_QUIET=1 AFL_USE_ASAN=1 AFL_USE_UBSAN=1 $(MAKE) --no-print-directory -j$(JOBS) BUILD=build-fuzz \
	CC=afl-clang-fast OPT=-O1 WARN= build-fuzz/maxk-fuzz

# Rewritten only when their content changes, so that nothing is rebuilt needlessly.
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD); echo '$(CC) $(CFLAGS_ALL)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL)' > $@
$(BUILD)/gen/sim/base/revision.h: FORCE
	@mkdir -p $(@D); .packaging/revision.sh '$(CC)' '$(OPT) -ffp-contract=off -fopenmp $(SANFLAGS)' | cmp -s - $@ || \
	.packaging/revision.sh '$(CC)' '$(OPT) -ffp-contract=off -fopenmp $(SANFLAGS)' > $@

-include $(patsubst %.o,%.d,$(call obj,$(CLI_SRC) $(LIB_SRC) $(TEST_SRC) $(wildcard tests/fuzz/*.c) \
	tests/support/lower_answers.c) $(BUILD)/obj/sim/run/durable/mpi_ranks_mpi.o)

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

validate: deps ## every claim, published number and oracle (Optuna, scikit-learn): results/validation.{md,csv,html}; resumes
	@.packaging/deps.sh $(DEPS_VALIDATE)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/support/lower_answers
	@MAXK=$(BUILD)/maxk /usr/bin/python3 tests/validate/validate.py $(VALIDATE)

bench: deps ## pulls per second against a plain loop timed in the same run
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(BUILD)/maxk bench

figures: deps ## every figure of the MaxUCB paper that synthetic arms allow, into results/figures/paper (FIGURES='E.8 C.2')
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(BUILD)/maxk figures --paper $(FIGURES)

docs: $(BUILD)/maxk ## write the tables that the program prints into the documents
	@experiments/manual/build/docs.sh $(BUILD)/maxk
docs-pictures: $(BUILD)/maxk ## draw the pictures of the documents again, into experiments/figures
	@experiments/manual/build/docs_pictures.sh $(BUILD)/maxk

manual: $(BUILD)/maxk ## build the manual, a static site with a search box, into build/manual
	@.packaging/deps.sh $(DEPS_MANUAL)
	@/usr/bin/python3 experiments/manual/build/manual.py $(BUILD)/maxk $(BUILD)/manual \
	$(if $(wildcard $(PAPER)/maxk.pdf),../paper/maxk.pdf)

# Certified bounds for MaxUCB. What it says was measured, tables.py measures again when the program is new.
PAPER ?= $(BUILD)/paper
PAPER_SRC = analysis/theory/paper
paper: $(BUILD)/maxk ## build the paper, theorems and proofs of what is certified, as build/paper/maxk.pdf (two minutes)
	@.packaging/deps.sh $(DEPS_PAPER)
	@$(MAKE) --no-print-directory $(PAPER)/maxk.pdf
$(PAPER)/numbers.tex: $(PAPER_SRC)/tables.py CITATION.cff $(BUILD)/maxk
	@echo "  measure $@"; /usr/bin/python3 $< $(BUILD)/maxk $(PAPER)
$(PAPER)/maxk.pdf: $(PAPER)/numbers.tex $(wildcard $(PAPER_SRC)/*.tex $(PAPER_SRC)/*.bib)
	@echo "  latex $@"; $(PAPER_SRC)/latex.sh $(PAPER)

notes: $(BUILD)/maxk ## make the tables of experiments/notes again (PAGES="alpha rising": of these), record what they rest on
	@/usr/bin/python3 experiments/manual/build/notes.py $(BUILD)/maxk $(PAGES)
QUICK_NOTES = hu2019 lu recommend rising
notes-check: $(BUILD)/maxk ## name tables of experiments/notes that are printed otherwise now: of quick pages, or PAGES="…"
	@/usr/bin/python3 experiments/manual/build/notes.py --compare $(BUILD)/maxk $(or $(PAGES),$(QUICK_NOTES))

# Checks beyond the quick tests.
mutants: deps-check ## change N (50) operators, constants, conditions of the code (SEED=1): do the tests notice?
	@/usr/bin/python3 tests/mutants/mutants.py --number $(or $(N),50) --seed $(or $(SEED),1) $(MUTANTS)

coverage: deps-check ## line coverage of the library by the quick tests, at least 90 % (builds into build-cov)
	@$(MAKE) --no-print-directory COV=1 -j$(JOBS) tests
	@find build-cov -name '*.gcda' -delete
	@$(MAKE) --no-print-directory COV=1 check
	@/usr/bin/python3 tests/support/coverage.py build-cov 90

valgrind: ## memcheck on C tests and the main commands (tests/long/test_valgrind.sh)
	@.packaging/deps.sh $(DEPS_LONG)
	@$(MAKE) --no-print-directory check TESTS=tests/long/test_valgrind.sh

format: ## clang-format over all sources, as make check wants them
	@.packaging/deps.sh clang-format-14
	@find sim policies distributions analysis tests -name '*.[ch]' | xargs clang-format-14 -i

# A file is checked again when it or one of its headers has changed, since its object is then new.
LINT = $(patsubst %.c,$(BUILD)/lint/%.ok,$(CLI_SRC) $(LIB_SRC) $(TEST_SRC))
lint: lint-deps ## clang-tidy (.clang-tidy) and cppcheck (tests/support/cppcheck.suppressions) over all sources
	@$(MAKE) --no-print-directory -j$(JOBS) lint-files
lint-files: $(LINT) $(BUILD)/lint/cppcheck.ok
$(BUILD)/lint/%.ok: $(BUILD)/obj/%.o .clang-tidy tests/.clang-tidy
	@mkdir -p $(@D); echo "  tidy $*.c"; clang-tidy --quiet $*.c -- $(CFLAGS_ALL) 2>/dev/null && touch $@
$(BUILD)/lint/cppcheck.ok: $(call obj,$(CLI_SRC) $(LIB_SRC) $(TEST_SRC)) tests/support/cppcheck.suppressions
	@mkdir -p $(@D); echo "  cppcheck"; cppcheck -j $(JOBS) --quiet --std=c11 --enable=warning,style,performance,portability \
	--inline-suppr --suppressions-list=tests/support/cppcheck.suppressions --error-exitcode=1 -D_GNU_SOURCE -I. -I$(BUILD)/gen \
	--template='{file}:{line}: {severity}: {message} [{id}]' sim policies distributions analysis tests && touch $@
lint-deps:
	@.packaging/deps.sh clang-tidy cppcheck
lint-quick: $(BUILD)/maxk ## clang-tidy without its analyzer and cppcheck's warnings, of the program's sources: what CI runs
	@.packaging/deps.sh clang-tidy cppcheck
	@echo $(CLI_SRC) $(LIB_SRC) | xargs -n 8 -P $(JOBS) sh -c \
	'clang-tidy --quiet --checks="-clang-analyzer-*" "$$@" -- $(CFLAGS_ALL) 2>/dev/null' sh \
	&& cppcheck -j $(JOBS) --quiet --std=c11 --enable=warning,portability --inline-suppr \
	--suppressions-list=tests/support/cppcheck.suppressions --error-exitcode=1 -D_GNU_SOURCE -I. -I$(BUILD)/gen \
	--template='{file}:{line}: {severity}: {message} [{id}]' sim policies distributions analysis \
	&& echo "2 passed, 0 failed, 0 skipped"

include .packaging/install.mk

clean: ## remove everything built
	rm -rf build build-san build-cov build-debug build-fuzz

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

# Tests by file (tests/command/test_rank.py), by name with or without `test_` (rank), or as the program that was built.
# Those in tests/long take minutes: `make check-long`, or by name.
# The slow ones come first, so that none is left running alone at the end. Those in tests/project, of the sources and documents,
# say nothing about a build with sanitizers, for which the programs of tests/unit come first.
PROJECT = $(sort $(wildcard tests/project/test_*))
COMMAND = $(sort $(wildcard tests/command/test_*))
QUICK = $(if $(SAN),$(TEST_SRC) $(COMMAND),$(PROJECT) $(COMMAND) $(TEST_SRC))
FIRST = $(wildcard $(addprefix tests/long/test_,fuzz_mutations.sh certificates_exact.sh failed_writes.py paper.sh registry.sh \
	documents.sh valgrind.sh packages.py tune_slurm.sh random_studies_more.py))
LONG = $(FIRST) $(filter-out $(FIRST),$(sort $(wildcard tests/long/test_*)))
ENDS = .c .sh .py
find_test = $(or $(filter $(1) $(1:$(BUILD)/%=%.c) $(addprefix %/$(1),$(ENDS)) $(addprefix %/test_$(1),$(ENDS)) %/$(1),\
	$(PROJECT) $(QUICK) $(LONG)),\
	$(error no test is named '$(1)': see tests/unit, tests/fuzz, tests/command, tests/project, tests/long))
CHOSEN = $(sort $(foreach t,$(TESTS),$(call find_test,$(t))))
test_program = $(patsubst tests/%.c,$(BUILD)/tests/%,$(1))
# Scripts may need any of the test programs.
needed = $(if $(filter-out %.c,$(1)),tests,all $(call test_program,$(1)))
run_tests = $(MAKE) -s --no-print-directory -j$(JOBS) $(call needed,$(1)) && \
	MAXK=$(BUILD)/maxk tests/support/run.sh $(BUILD)/logs $(call test_program,$(1))
check: deps-check ## install what is missing, build, run all quick tests, or TESTS='NAME…' (csv, test_rank, tests/long/…)
	@$(call run_tests,$(if $(TESTS),$(CHOSEN),$(QUICK)))
check-long: deps-check ## the tests of tests/long, which take minutes
	@.packaging/deps.sh $(DEPS_LONG)
	@export TEST_LIMIT=$${TEST_LIMIT:-2400}; $(call run_tests,$(LONG))

golden: all ## rewrite tests/reference/messages.txt and tables.txt, the messages and tables that make check compares
	@MAXK=$(BUILD)/maxk /usr/bin/python3 tests/support/messages.py > $(BUILD)/messages.txt
	@mv $(BUILD)/messages.txt tests/reference/messages.txt
	@MAXK=$(BUILD)/maxk /usr/bin/python3 tests/command/test_printed_tables.py --write

interface: all ## rewrite tests/reference/interface.txt, what the current major version promises not to break
	@MAXK=$(BUILD)/maxk /usr/bin/python3 tests/support/interface.py > $(BUILD)/interface.txt
	@(sed -n '/^#/p' tests/reference/interface.txt; cat $(BUILD)/interface.txt) > $(BUILD)/promise.txt
	@mv $(BUILD)/promise.txt tests/reference/interface.txt

DEPS = libgsl-dev libhdf5-dev libyaml-dev libjson-c-dev libsqlite3-dev zlib1g-dev musl-dev pkg-config gnuplot-nox \
	fonts-dejavu-core
DEPS_MANUAL = pandoc
DEPS_PYTHON = python3-numpy python3-pandas python3-xarray python3-h5netcdf python3-sklearn
DEPS_CHECK = $(DEPS) $(DEPS_MANUAL) $(DEPS_PYTHON) g++ libpcg-cpp-dev hdf5-tools openmpi-bin libopenmpi-dev r-base-core \
	python3-h5py python3-yaml python3-scipy python3-mpmath python3-matplotlib parallel groff-base mandoc zsh fish \
	locales clang-format-14
DEPS_PAPER = texlive-latex-base texlive-latex-recommended lmodern gnuplot-nox
DEPS_HEART = libsvm-tools liblinear-tools
DEPS_LONG = python3-optuna r-cran-irace valgrind qemu-user dpkg-dev lintian chromium lacheck patchelf python3-venv \
	python3-distributed python3-mpi4py mypy slurmctld slurmd slurm-client munge poppler-utils \
	$(DEPS_PAPER) $(DEPS_HEART)
DEPS_VALIDATE = python3-optuna python3-statsmodels r-cran-irace python3-sklearn python3-scipy python3-mpmath python3-h5py
deps: ## install the Debian packages that the program needs, if missing
	@.packaging/deps.sh $(DEPS)
python-deps: ## the packages that the module for Python is used with: arrays, tables, scikit-learn
	@.packaging/deps.sh $(DEPS_PYTHON)
tune-heart-deps: ## the packages of experiments/tune_heart.yaml
	@.packaging/deps.sh $(DEPS_HEART)
tune-sklearn-deps: ## the package of experiments/tune_sklearn.yaml
	@.packaging/deps.sh python3-sklearn
deps-check: ## the same for the packages that the tests need
	@.packaging/deps.sh $(DEPS_CHECK)
