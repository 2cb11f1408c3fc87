"""The MPIs that a wheel is tried with: those of the system, and those that the package index has."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional


@dataclass(frozen=True)
class Mpi:
    """`compiler`, `launcher`: words, with {env} for the environment's folder. `library`: what mpi4py is to
    load, where it would not find it."""

    name: str
    compiler: tuple
    launcher: str
    packages: tuple = ()
    fortran: Optional[str] = None
    library: Optional[str] = None
    family: str = "mpich"
    no_python: str = ""  # why mpi4py's wheel is of no use with it
    system: bool = False  # the system's HDF5 and PnetCDF may be built with it
    short: bool = False
    environ: dict = field(default_factory=dict)

    def missing(self) -> str:
        """Why this machine cannot have it; empty if it can."""
        if self.packages:
            return "" if shutil.which("gcc") else "no gcc"
        return (
            ""
            if shutil.which(self.compiler[0]) and shutil.which(self.launcher)
            else f"no {self.compiler[0]} here"
        )


OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
# Intel's compiler wrapper wants to be installed at a place of its own: the compiler is called as the wrapper
# would.
WITH_INTEL = ("gcc", "-L{env}/lib", "-Wl,-rpath,{env}/lib")

OWN_ABI = "mpi4py's wheel takes the MPI's own ABI"

MPIS = (
    Mpi(
        "MPICH of the system",
        ("mpicc.mpich",),
        "mpiexec.mpich",
        fortran="mpifort.mpich",
        no_python="mpi4py's wheel wants libmpi.so.12, which is libmpich.so.12 here",
        system=True,
    ),
    Mpi(
        "Open MPI of the system",
        ("mpicc.openmpi",),
        "mpiexec.openmpi",
        fortran="mpifort.openmpi",
        library=str(LIBRARIES / "libmpi.so.40"),
        family="openmpi",
        system=True,
        short=True,
        environ=OPENMPI,
    ),
    Mpi("MPICH, wheel", ("{env}/bin/mpicc",), "{env}/bin/mpiexec", packages=("mpich",), short=True),
    Mpi(
        "MPICH, wheel, standard ABI",
        ("{env}/bin/mpicc_abi",),
        "{env}/bin/mpiexec",
        packages=("mpich",),
        no_python=OWN_ABI,
    ),
    Mpi(
        "Open MPI, wheel",
        ("{env}/bin/mpicc",),
        "{env}/bin/mpiexec",
        packages=("openmpi",),
        family="openmpi",
        environ=OPENMPI,
    ),
    Mpi(
        "Intel MPI, wheel",
        (*WITH_INTEL, "-I{env}/include", "-lmpi"),
        "{env}/bin/mpiexec",
        packages=("impi-devel",),
    ),
    Mpi(
        "Intel MPI, wheel, standard ABI",
        (*WITH_INTEL, "-I{env}/../abi", "-lmpi_abi"),
        "{env}/bin/mpiexec",
        packages=("impi-devel",),
        no_python=OWN_ABI,
    ),
)
