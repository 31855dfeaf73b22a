# Installation and packages; included by the Makefile.
.PHONY: install install-files uninstall install-paths dist deb wheel release

# What is installed, without DESTDIR. Recipes change directories, and would take a blank for the end of a path.
override PREFIX := $(abspath $(PREFIX))
override DESTDIR := $(abspath $(DESTDIR))
install-paths:
	@: $(foreach v,PREFIX DESTDIR LIBDIR PYTHON_DIR,$(if $(word 2,$($v)),$(error $v: expected a path without blanks)))
LIBRARIES = maxk maxk-policy
LIBDIR ?= $(PREFIX)/lib
SHARE = $(PREFIX)/share
# Where Debian's python3 looks in /usr and /usr/local; elsewhere PYTHONPATH names it.
PYTHON_MINOR = .$(shell /usr/bin/python3 -c 'import sys; print(sys.version_info[1])')
PYTHON_DIR ?= $(PREFIX)/lib/python3$(if $(filter /usr/local,$(PREFIX)),$(PYTHON_MINOR))/dist-packages
# What policies/plugin.h includes, and what a policy needs that looks ahead quickly.
PLUGIN_HEADERS = policies/plugin.h policies/policy.h distributions/dist.h sim/base/error.h sim/base/param.h sim/base/pcg64.h \
	sim/api/maxk/error.h policies/parts/undo.h
PYTHON_SRC = $(wildcard sim/python/maxk/*.py) sim/python/maxk/py.typed
MAN = $(SHARE)/man/man1/maxk.1
# What makes the manual; without it (MANUAL=) the manual is not installed.
MANUAL ?= $(shell command -v pandoc)
PAPER_PDF = $(SHARE)/doc/maxk/maxk.pdf
# Headers that help, claims and public headers cite, and those that state the theorems of the paper.
PROOFS = $(sort $(shell grep -rhE 'analysis/theory/[a-z_0-9/]+\.h' analysis/answers/tables analysis/compare/claims sim/program/command \
	sim/api/maxk | grep -v '^.include' | grep -oE 'analysis/theory/[a-z_0-9/]+\.h'; \
	grep -lE 'THEOREM [0-9]' analysis/theory/*.h analysis/theory/certificates/*.h))
COMPLETIONS = $(SHARE)/bash-completion/completions/maxk $(SHARE)/zsh/site-functions/_maxk \
	$(SHARE)/fish/vendor_completions.d/maxk.fish
install: install-paths all ## install program, library, headers, man page, completions, experiments, (with pandoc) the manual and the paper, if built, under PREFIX (DESTDIR=…)
	@$(MAKE) --no-print-directory install-files
install-files: install-paths
	@for f in $(MAN) $(COMPLETIONS); do install -d $(DESTDIR)$$(dirname $$f); done
	install -D -m 755 $(BUILD)/maxk $(DESTDIR)$(PREFIX)/bin/maxk
	@install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	@set -e; for l in $(LIBRARIES); do set -x; \
		install -m 644 $(BUILD)/lib$$l.a $(DESTDIR)$(LIBDIR)/lib$$l.a; \
		install -m 644 $(BUILD)/lib$$l.so $(DESTDIR)$(LIBDIR)/lib$$l.so.$(VERSION); \
		ln -sf lib$$l.so.$(VERSION) $(DESTDIR)$(LIBDIR)/lib$$l.so.$(MAJOR); \
		ln -sf lib$$l.so.$(MAJOR) $(DESTDIR)$(LIBDIR)/lib$$l.so; \
		sed -e 's#@PREFIX@#$(PREFIX)#' -e 's#@LIBDIR@#$(LIBDIR:$(PREFIX)/%=$${prefix}/%)#' -e 's#@VERSION@#$(VERSION)#' \
			sim/api/$$l.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/$$l.pc; set +x; done
	install -d $(DESTDIR)$(PREFIX)/include/maxk
	install -m 644 $(PUBLIC) $(DESTDIR)$(PREFIX)/include/maxk
	for f in $(PLUGIN_HEADERS); do install -D -m 644 $$f $(DESTDIR)$(PREFIX)/include/maxk/plugin/$$f; done
	@install -d $(DESTDIR)$(PYTHON_DIR)/maxk $(DESTDIR)$(SHARE)/maxk/python
	install -m 644 $(PYTHON_SRC) $(DESTDIR)$(PYTHON_DIR)/maxk
	install -m 644 sim/python/tutorial.py $(DESTDIR)$(SHARE)/maxk/python
	$(BUILD)/maxk --help=man > $(DESTDIR)$(MAN)
	@set -e; set -- $(COMPLETIONS); for s in bash zsh fish; do $(BUILD)/maxk --help=$$s > $(DESTDIR)$$1; shift; done
	@cd experiments && find . -path ./manual/build -prune -o -type f ! -name '*.svg' -exec install -D -m 644 {} $(DESTDIR)$(SHARE)/maxk/experiments/{} \;
	@if [ -f $(PAPER)/maxk.pdf ]; then (set -x; install -D -m 644 $(PAPER)/maxk.pdf $(DESTDIR)$(PAPER_PDF)); \
		else echo "  the paper is not installed: make paper"; fi
	@if [ "$(MANUAL)" ]; then /usr/bin/python3 experiments/manual/build/manual.py $(BUILD)/maxk $(DESTDIR)$(SHARE)/doc/maxk/manual \
		$(if $(wildcard $(PAPER)/maxk.pdf),../maxk.pdf); \
		else echo "  without pandoc the manual is not installed: apt-get install pandoc"; fi
	for f in $(PROOFS); do install -D -m 644 $$f $(DESTDIR)$(SHARE)/maxk/$$f; done
uninstall: install-paths ## remove what install put under PREFIX (DESTDIR=…)
	rm -rf $(addprefix $(DESTDIR),$(PREFIX)/bin/maxk $(PREFIX)/include/maxk $(MAN) $(COMPLETIONS) $(SHARE)/maxk $(SHARE)/doc/maxk/manual $(PAPER_PDF) $(PYTHON_DIR)/maxk \
		$(foreach l,$(LIBRARIES),$(addprefix $(LIBDIR)/,$(addprefix lib$l.,a so so.$(VERSION) so.$(MAJOR)) pkgconfig/$l.pc)))

# Both are the same bytes again for the same commit; so is the tarball for any clone of it.
DIST = maxk-$(VERSION)
dist: ## write the source of the last commit as build/maxk-VERSION.tar.gz
	@mkdir -p $(BUILD)
	@git archive --format=tar --prefix=$(DIST)/ HEAD | gzip -9n > $(BUILD)/$(DIST).tar.gz; echo $(BUILD)/$(DIST).tar.gz
wheel: ## write a Python wheel with the library inside into build/wheel: pip install build/wheel/maxk-*.whl
	@.packaging/deps.sh patchelf
	@/usr/bin/python3 sim/python/backend.py $(BUILD)/wheel
deb: all paper ## write Debian packages into build/deb: maxk (with the paper), python3-maxk, libmaxk1, libmaxk-policy1 and their -dev
	@.packaging/deps.sh dpkg-dev $(DEPS_MANUAL)
	@.packaging/deb.sh $(BUILD) $(VERSION) $(BUILD)/deb
release: all ## the checklist of a release, with .ci/run; then tarball, wheel, Debian packages, manual and paper into build/release
	@.packaging/release.sh $(BUILD)/release
