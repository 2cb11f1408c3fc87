"""How collio's own MPI jobs start, here or across a cluster: options of each family's launcher, and who uses
which network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from collio.builds import Build
from collio.mpi_libraries import OPENMPI, MpiLibrary
from collio.run.launch import LaunchError


@dataclass(frozen=True)
class Cluster:
    """Nodes that launchers reach by `agent`, which takes the place of ssh. `hosts`: name and ranks of each.

    `control` and `data` are the interfaces for launchers and for messages of MPI; `home` is a folder that
    goes with the cluster.
    """

    agent: Path
    hosts: list[tuple[str, int]]
    control: str
    data: str
    home: Path


def kind_of(mpi: MpiLibrary) -> str:
    """How its mpiexec hands on variables: a name of mpi_libraries.LauncherMpi."""
    return "openmpi" if mpi.family == OPENMPI else "hydra"


def options_here(mpi: MpiLibrary, ranks: int) -> list[str]:
    """What follows mpiexec on this machine, with more ranks than cores allowed."""
    return ["-n", str(ranks), *(["--oversubscribe", "--bind-to", "none"] if mpi.family == OPENMPI else [])]


def environment_here(mpi: MpiLibrary) -> dict[str, str]:
    """Variables that any launch needs: Open MPI's refuses root otherwise."""
    return (
        {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if mpi.family == OPENMPI
        else {}
    )


def options(mpi: MpiLibrary, cluster: Cluster, ranks: int | None = None) -> list[str]:
    """What follows mpiexec: `ranks` in all (default: every node's), filled node by node."""
    total = sum(count for _, count in cluster.hosts)
    hosts = ",".join(f"{name}:{count}" for name, count in cluster.hosts)
    start = ["-n", str(ranks or total)]
    if mpi.family == OPENMPI:
        return [
            *start,
            "--host",
            hosts,
            "--oversubscribe",
            "--bind-to",
            "none",
            "--map-by",
            "slot",
            "--mca",
            "plm_rsh_agent",
            str(cluster.agent),
            "--mca",
            "plm",
            "rsh",
            "--mca",
            "plm_rsh_no_tree_spawn",
            "1",
        ]
    return [
        *start,
        "-hosts",
        hosts,
        "-launcher",
        "ssh",
        "-launcher-exec",
        str(cluster.agent),
        "-iface",
        cluster.control,
    ]


def environment(mpi: MpiLibrary, cluster: Cluster) -> dict[str, str]:
    """Variables that keep MPI's messages on the cluster's data network and its launcher's off it."""
    if mpi.family == OPENMPI:
        return {
            "OMPI_MCA_btl": "self,vader,tcp" if mpi.version.startswith(("3.", "4.")) else "self,sm,tcp",
            "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_btl_tcp_if_include": cluster.data,
            "OMPI_MCA_oob_tcp_if_include": cluster.control,
            "PRTE_MCA_oob_tcp_if_include": cluster.control,
            # Not in /tmp, where what is left would stay, and another cluster's or user's node0 be in the way.
            "OMPI_MCA_orte_tmpdir_base": str(cluster.home),
            "PRTE_MCA_prte_tmpdir_base": str(cluster.home),
            "OMPI_MCA_mpi_yield_when_idle": "1",
            **environment_here(mpi),
        }
    return {
        "COLLIO_YIELD_NS": "1000",
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": cluster.data,  # device ch4:ofi
        "UCX_TLS": "self,sm,tcp",
        "UCX_NET_DEVICES": cluster.data,  # device ch4:ucx
    }


def preloads(mpi: MpiLibrary, build: Build) -> list[str]:
    """What MPICH's ranks need to share few cores, and to end over TCP (bench/yield/README.md); none for Open
    MPI.

    Raises LaunchError where it is not built.
    """
    if mpi.family == OPENMPI:
        return []
    if not build.yield_preload.is_file():
        raise LaunchError(f"{build.yield_preload} is missing; `make build` makes it")
    return [str(build.yield_preload)]
