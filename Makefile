# Thin fronts: each target gets what is missing, builds for every MPI found, and runs one command.
#   make build MPI=mpich      only the MPI libraries whose name contains "mpich"
#   make test ONLY=openmpi    only the test suites whose name contains "openmpi"
PYTHON ?= python3
MPI ?=
ONLY ?=
COLLIO = build/bin/collio

.PHONY: build demo test bench clean help

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

clean:
	rm -rf build

help:
	@echo "make demo    native MPI-IO against collio, on a climate model's grid"
	@echo "make test    all tests, on every MPI found"
	@echo "make build   build for every MPI found; then build/bin/collio --help"
	@echo "make clean   remove build/"
