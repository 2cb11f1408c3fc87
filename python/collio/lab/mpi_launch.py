"""How MPI jobs start across the lab's nodes: options of each family's launcher, and who uses which network."""

from __future__ import annotations

from collio.builds import Build
from collio.lab import network, world
from collio.lab.nodes import Nodes
from collio.launch import LaunchError
from collio.mpi_libraries import OPENMPI, MpiLibrary


def options(mpi: MpiLibrary, nodes: Nodes, ranks: int | None = None) -> list[str]:
    """What follows mpiexec: `ranks` in all (default: every node's), filled node by node."""
    total = sum(count for _, count in nodes.hosts)
    hosts = ",".join(f"{name}:{count}" for name, count in nodes.hosts)
    start = ["-n", str(ranks or total)]
    if mpi.family == OPENMPI:
        return [
            *start, "--host", hosts, "--oversubscribe", "--bind-to", "none", "--map-by", "slot",
            "--mca", "plm_rsh_agent", str(nodes.agent), "--mca", "plm", "rsh", "--mca", "plm_rsh_no_tree_spawn", "1",
        ]
    return [*start, "-hosts", hosts, "-launcher", "ssh", "-launcher-exec", str(nodes.agent), "-iface", network.CONTROL]


def environment(mpi: MpiLibrary) -> dict[str, str]:
    """Variables that keep MPI's messages on the lab's data network and its launcher's off it."""
    if mpi.family == OPENMPI:
        return {
            "OMPI_MCA_btl": "self,vader,tcp" if mpi.version.startswith(("3.", "4.")) else "self,sm,tcp",
            "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_btl_tcp_if_include": network.DATA,
            "OMPI_MCA_oob_tcp_if_include": network.CONTROL,
            "PRTE_MCA_oob_tcp_if_include": network.CONTROL,
            # Not in /tmp, where what is left would stay, and another lab's or user's node0 be in the way.
            "OMPI_MCA_orte_tmpdir_base": str(world.HOME),
            "PRTE_MCA_prte_tmpdir_base": str(world.HOME),
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
    return {
        "COLLIO_YIELD_NS": "1000",
        "FI_PROVIDER": "tcp", "FI_TCP_IFACE": network.DATA,            # device ch4:ofi
        "UCX_TLS": "self,sm,tcp", "UCX_NET_DEVICES": network.DATA,     # device ch4:ucx
    }


def preloads(mpi: MpiLibrary, build: Build) -> list[str]:
    """What MPICH's ranks need to share few cores, and to end over TCP (bench/yield/README.md); none for Open MPI.

    Raises LaunchError where it is not built.
    """
    if mpi.family == OPENMPI:
        return []
    if not build.yield_preload.is_file():
        raise LaunchError(f"{build.yield_preload} is missing; `make build` makes it")
    return [str(build.yield_preload)]
