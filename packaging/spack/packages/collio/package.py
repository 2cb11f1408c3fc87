"""Spack's recipe for collio: an engine for the family of the MPI in the spec, and for MPI's standard ABI
where that MPI has its header."""

import os

from spack.package import *
from spack_repo.builtin.build_systems.generic import Package


class Collio(Package):
    """A collective I/O engine for MPI programs, preloaded into unmodified programs."""

    license("BSD-3-Clause")

    # There is no release yet. `spack develop --path SOURCES collio@main` builds what lies in SOURCES.
    version("main", branch="main", git="file:///path/to/collio")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi@3.1:")  # for mpi.h alone: no library is linked
    depends_on("nlohmann-json", type="build")
    depends_on("liburing", type="build")  # io_uring, linked statically

    extends("python")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-click@8:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-numpy@1.22:", type=("build", "run"))
    depends_on("py-netcdf4@1.6:", type=("build", "run"))
    depends_on("py-jinja2@3:", type=("build", "run"))
    depends_on("py-tomli@2:", type=("build", "run"), when="^python@:3.10")

    requires("platform=linux", msg="collio needs Linux")
    conflicts("%gcc@:10", msg="collio is written in C++20")

    def families(self):
        """As tools/install has them. MPICH with mpi_abi.h has the headers of MPI's standard ABI, too."""
        mpi = self.spec["mpi"]
        if mpi.name in ("openmpi", "hpcx-mpi", "spectrum-mpi"):
            return "openmpi"
        return (
            "mpich,abi"
            if mpi.name == "mpich" and os.path.exists(join_path(mpi.prefix.include, "mpi_abi.h"))
            else "mpich"
        )

    def install(self, spec, prefix):
        python("tools/install", "--prefix", prefix, "--families", self.families(), "--no-packages")

    def setup_build_environment(self, env):
        env.set("MPI_HOME", self.spec["mpi"].prefix)  # where collio looks first

    def setup_run_environment(self, env):
        env.set("COLLIO_PRELOAD", join_path(self.prefix, "lib", "collio", "libcollio_mpiio.so"))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(join_path(self.prefix, "bin", "collio"))("--version")
