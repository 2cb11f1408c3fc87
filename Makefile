# Thin fronts: each target gets what is missing, builds for every MPI found, and runs one command.
#   make build MPI=mpich      only the MPI libraries whose name contains "mpich"
#   make test ONLY=openmpi    only the test suites whose name contains "openmpi"
#   make install PREFIX=/opt/collio
#   make bench BENCH="e3sm --ranks 16"    any benchmark; see build/bin/collio bench --help
PYTHON ?= python3
MPI ?=
ONLY ?=
BENCH ?= interleave --ranks 8
COLLIO = build/bin/collio

.PHONY: build demo test bench docs generate lint install wheel clean help

build:
	@$(PYTHON) tools/bootstrap build
	@$(PYTHON) tools/build --programs --only "$(MPI)"

demo:
	@$(PYTHON) tools/bootstrap demo
	@$(PYTHON) tools/build --programs
	@$(COLLIO) demo

test:
	@$(PYTHON) tools/bootstrap test
	@$(PYTHON) tools/build --only "$(MPI)"
	@$(PYTHON) tools/run_tests --only "$(ONLY)"

bench:
	@$(PYTHON) tools/bootstrap build
	@$(PYTHON) tools/build --programs
	@$(COLLIO) bench $(BENCH)

docs:
	@$(PYTHON) tools/bootstrap docs
	@NO_MKDOCS_2_WARNING=1 build/venv/bin/python -m mkdocs build
	@echo "collio: the documentation is build/site/index.html"

generate:
	@$(PYTHON) tools/generate_hints
	@$(PYTHON) tools/generate_report
	@$(PYTHON) tools/generate_library
	@$(PYTHON) tools/generate_calls
	@$(PYTHON) tools/generate_patterns
	@$(PYTHON) tools/generate_conformance
	@$(PYTHON) tools/generate_evidence

lint:
	@$(PYTHON) tools/bootstrap test
	@$(PYTHON) tools/lint

install:
	@: "$${PREFIX:?say where to: make install PREFIX=/path}"
	@$(PYTHON) tools/bootstrap build
	@$(PYTHON) tools/install --prefix "$(PREFIX)"

wheel:
	@$(PYTHON) tools/bootstrap build
	@$(PYTHON) tools/wheel

clean:
	rm -rf build

help:
	@echo "make demo    native MPI-IO against collio, on a climate model's grid"
	@echo "make test    all tests, on every MPI found"
	@echo "make bench   one benchmark: native, collio and the floor in turns"
	@echo "make docs    the documentation as a site, in build/site"
	@echo "make generate    what is made of the tables: hints, words of faults, fields of the report"
	@echo "make lint    clang-tidy over what changed since main; tools/lint --all takes minutes"
	@echo "make build   build for every MPI found; then build/bin/collio --help"
	@echo "make install PREFIX=/path    for everybody on a machine; the folder can be moved"
	@echo "make wheel   one package for every MPI, in build/dist; tools/test_wheel tries it"
	@echo "make clean   remove build/"
