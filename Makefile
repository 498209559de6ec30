# `make demo` and `make test` do all their own set-up.
SHELL := /bin/bash
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RELEASE_TOOLS := auditwheel build check-wheel-contents cibuildwheel twine
BUILD_TOOLS := 'scikit-build-core>=1.0,<2' 'pybind11>=3.0,<4' 'cmake>=3.20' ninja

.PHONY: demo test lint build test-tools test-cpp test-python test-nightly test-sanitized release-tools dist install deb clean

$(BIN)/python:
	@ops/check-build-tools $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(BUILD_TOOLS)

# Anything the compiled part is made of; Python sources are used in place.
$(VENV)/.built: $(BIN)/python pyproject.toml core_cpp/CMakeLists.txt $(wildcard core_cpp/*/*.?pp) $(wildcard config/met/*) $(wildcard config/networks/*)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[dev]'
	touch $@

build: $(VENV)/.built

lint: build
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-tools:
	@ops/install-test-packages

test-cpp: build test-tools
	$(BIN)/cmake -S core_cpp -B build/cpp-tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DBOTD_BUILD_PYTHON=OFF -DBOTD_BUILD_TESTS=ON >/dev/null
	$(BIN)/cmake --build build/cpp-tests
	build/cpp-tests/botd_tests

test-python: build
	$(BIN)/pytest -m 'not nightly'

test: lint test-cpp test-python

# Slow checks: everything above and the nightly set, then the engine under sanitizers.
test-nightly: build test-tools
	@ops/install-test-packages debootstrap
	$(BIN)/pytest -m nightly --timeout 3600
	$(MAKE) dist
	$(BIN)/cibuildwheel --platform linux --print-build-identifiers
	$(MAKE) test-sanitized
	@ops/install-test-packages g++-aarch64-linux-gnu
	$(BIN)/cmake -S core_cpp -B build/cpp-arm64 -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
	  -DBOTD_BUILD_PYTHON=OFF >/dev/null
	$(BIN)/cmake --build build/cpp-arm64

# The C++ tests under AddressSanitizer with UndefinedBehaviorSanitizer, then under ThreadSanitizer; the latter
# does not get on with some kernels' random addresses, which are switched off where that is allowed.
test-sanitized: build test-tools
	$(BIN)/cmake -S core_cpp -B build/cpp-sanitized -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBOTD_BUILD_PYTHON=OFF -DBOTD_BUILD_TESTS=ON -DBOTD_SANITIZE=address,undefined >/dev/null
	$(BIN)/cmake --build build/cpp-sanitized
	UBSAN_OPTIONS=halt_on_error=1 build/cpp-sanitized/botd_tests
	$(BIN)/cmake -S core_cpp -B build/cpp-threads -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBOTD_BUILD_PYTHON=OFF -DBOTD_BUILD_TESTS=ON -DBOTD_SANITIZE=thread >/dev/null
	$(BIN)/cmake --build build/cpp-threads
	TSAN_OPTIONS=halt_on_error=1 $$(setarch -R true 2>/dev/null && echo setarch -R) build/cpp-threads/botd_tests

demo: build
	$(BIN)/botd demo

release-tools: build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(RELEASE_TOOLS)

# The source distribution, and a wheel for this Python built from it. Wheels for all: cibuildwheel (pyproject.toml).
dist: release-tools
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/auditwheel show dist/*.whl

# As a distribution's package would lay it out: make install DESTDIR=/tmp/stage PREFIX=/usr
PREFIX ?= /usr/local
install:
	@ops/check-build-tools $(PYTHON)
	ops/install --destdir "$(DESTDIR)" --prefix "$(PREFIX)" --python "$$(command -v $(PYTHON))"

deb:
	@ops/check-build-tools /usr/bin/python3
	ops/debian/build

clean:
	rm -rf build dist $(VENV)
