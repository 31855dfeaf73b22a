# Installation and packages; included by the Makefile.
.PHONY: install install-files uninstall dist deb

# What is installed, without DESTDIR.
LIBDIR ?= $(PREFIX)/lib
SHARE = $(PREFIX)/share
# Where Debian's python3 looks in /usr and /usr/local; elsewhere PYTHONPATH names it.
PYTHON_MINOR = .$(shell /usr/bin/python3 -c 'import sys; print(sys.version_info[1])')
PYTHON_DIR ?= $(PREFIX)/lib/python3$(if $(filter /usr/local,$(PREFIX)),$(PYTHON_MINOR))/dist-packages
# What policies/plugin.h includes.
PLUGIN_HEADERS = policies/plugin.h policies/policy.h distributions/dist.h sim/base/error.h sim/base/param.h sim/base/pcg64.h \
	sim/api/maxk/error.h
PYTHON_SRC = $(wildcard sim/python/maxk/*.py) sim/python/maxk/py.typed
MAN = $(SHARE)/man/man1/maxk.1
# What certify and rate cite.
PROOFS = analysis/theory/certificate.h
COMPLETIONS = $(SHARE)/bash-completion/completions/maxk $(SHARE)/zsh/site-functions/_maxk \
	$(SHARE)/fish/vendor_completions.d/maxk.fish
install: all ## install program, library, headers, man page, completions and experiments under PREFIX (DESTDIR=…)
	@$(MAKE) --no-print-directory install-files
install-files:
	@for f in $(MAN) $(COMPLETIONS); do install -d $(DESTDIR)$$(dirname $$f); done
	install -D -m 755 $(BUILD)/maxk $(DESTDIR)$(PREFIX)/bin/maxk
	install -D -m 644 $(BUILD)/libmaxk.a $(DESTDIR)$(LIBDIR)/libmaxk.a
	install -m 644 $(BUILD)/libmaxk.so $(DESTDIR)$(LIBDIR)/libmaxk.so.$(VERSION)
	ln -sf libmaxk.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libmaxk.so
	install -d $(DESTDIR)$(PREFIX)/include/maxk
	install -m 644 $(PUBLIC) $(DESTDIR)$(PREFIX)/include/maxk
	for f in $(PLUGIN_HEADERS); do install -D -m 644 $$f $(DESTDIR)$(PREFIX)/include/maxk/plugin/$$f; done
	@install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed -e 's#@PREFIX@#$(PREFIX)#' -e 's#@LIBDIR@#$(LIBDIR:$(PREFIX)/%=$${prefix}/%)#' -e 's#@VERSION@#$(VERSION)#' \
		sim/api/maxk.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/maxk.pc
	@install -d $(DESTDIR)$(PYTHON_DIR)/maxk $(DESTDIR)$(SHARE)/maxk/python
	install -m 644 $(PYTHON_SRC) $(DESTDIR)$(PYTHON_DIR)/maxk
	install -m 644 sim/python/tutorial.py $(DESTDIR)$(SHARE)/maxk/python
	$(BUILD)/maxk --help=man > $(DESTDIR)$(MAN)
	@set -e; set -- $(COMPLETIONS); for s in bash zsh fish; do $(BUILD)/maxk --help=$$s > $(DESTDIR)$$1; shift; done
	@cd experiments && find . -type f ! -name '*.svg' -exec install -D -m 644 {} $(DESTDIR)$(SHARE)/maxk/experiments/{} \;
	install -D -m 644 $(PROOFS) $(DESTDIR)$(SHARE)/maxk/$(PROOFS)
uninstall: ## remove what install put under PREFIX (DESTDIR=…)
	rm -rf $(addprefix $(DESTDIR),$(PREFIX)/bin/maxk $(PREFIX)/include/maxk $(MAN) $(COMPLETIONS) $(SHARE)/maxk $(PYTHON_DIR)/maxk \
		$(addprefix $(LIBDIR)/,libmaxk.a libmaxk.so libmaxk.so.$(VERSION) $(SONAME) pkgconfig/maxk.pc))

# Both are the same bytes again for the same commit; so is the tarball for any clone of it.
DIST = maxk-$(VERSION)
dist: ## write the source of the last commit as build/maxk-VERSION.tar.gz
	@mkdir -p $(BUILD)
	@git archive --format=tar --prefix=$(DIST)/ HEAD | gzip -9n > $(BUILD)/$(DIST).tar.gz; echo $(BUILD)/$(DIST).tar.gz
deb: all ## write Debian packages into build/deb: maxk, libmaxk0, libmaxk-dev, python3-maxk
	@sim/build/deps.sh dpkg-dev
	@.packaging/deb.sh $(BUILD) $(VERSION) $(BUILD)/deb
