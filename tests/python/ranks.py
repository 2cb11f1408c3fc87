"""Starts Python programs with mpi4py on several ranks, under any MPI of this machine."""

import os
import signal
import subprocess
import sys

import pytest

from collio.builds import Build
from collio.mpi_libraries import OPENMPI

TIMEOUT_S = 120


def run_python(mpi, ranks, folder, *words, timeout_s=TIMEOUT_S):
    """(exit code, output) of `python WORDS` on these ranks. `folder`: for what mpi4py needs. Nothing of it
    outlives the timeout, which fails the test."""
    command = [mpi.mpiexec, "-n", ranks, sys.executable, *words]
    with subprocess.Popen(
        [str(word) for word in command],
        env=environment(mpi, ranks, folder),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as job:
        try:
            output, _ = job.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            output, _ = job.communicate()
            pytest.fail(f"{' '.join(map(str, command))} did not end within {timeout_s} s:\n{output[-4000:]}")
    return job.returncode, output


def environment(mpi, ranks, folder):
    """mpi4py's wheel loads the library it is told; for MPICH it must be called libmpi.so.12, which Debian
    calls libmpich.so.12."""
    found = dict(
        os.environ,
        MPI4PY_LIBMPI=mpi.library,
        COLLIO_YIELD_NS="1000",
        PYTHONDONTWRITEBYTECODE="1",
        OPENBLAS_NUM_THREADS="1",
    )
    if mpi.family == OPENMPI:
        found.update(
            OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            OMPI_MCA_rmaps_base_oversubscribe="1",
            PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
            OMPI_MCA_hwloc_base_binding_policy="none",
            OMPI_MCA_mpi_yield_when_idle="1",
        )
        return found
    link = folder / "mpi" / "libmpi.so.12"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(mpi.library)
    paths = [str(link.parent), *filter(None, [found.get("LD_LIBRARY_PATH")])]
    found.update(MPI4PY_LIBMPI=str(link), LD_LIBRARY_PATH=os.pathsep.join(paths))
    if (os.cpu_count() or 1) < ranks and Build.of(mpi).yield_preload.is_file():
        found["LD_PRELOAD"] = str(Build.of(mpi).yield_preload)
    return found
