"""What tools/test_on_ceph runs: the first process in its namespaces."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import ceph_cluster  # noqa: E402
from common import ROOT, Stop, run_as_tool  # noqa: E402
from ceph_cluster import HOME, OSDS, Cluster  # noqa: E402
from ceph_slow import measure_slow  # noqa: E402
from collio.bench import machine  # noqa: E402
from collio.lab import namespaces  # noqa: E402
from collio.mpi_libraries import find_mpi_libraries  # noqa: E402

SHARED = HOME / "shared"
COLLIO = ROOT / "build/bin/collio"
# Not neighbours: with two clients each of its million pieces of 4 bytes is a message to an OSD.
TOPICS = [
    "atomic",
    "circles",
    "empty",
    "handles",
    "modes",
    "sizes",
    "pointers",
    "renamed",
    "nonblocking",
    "split",
    "transfers",
]
AT_MOST_S = 300
# A rank has one client of CephFS; $COLLIO_CEPH_RANKS neighbours share it.
RANK = f"""#!/bin/sh
rank=${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}
client=$((rank / ${{COLLIO_CEPH_RANKS:-1}} % 2 + 1))
exec unshare --mount sh -c 'mount --bind {HOME}/client'$client' {SHARED}; exec "$@"' sh "$@"
"""
ENVIRONMENT = {
    "TMPDIR": f"{HOME}/tmp",
    "HOME": f"{HOME}/tmp",
    "XDG_CACHE_HOME": f"{HOME}/tmp/cache",
    "COLLIO_TEST_SLOWNESS": "4",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
BENCHES = {
    "interleave": ["--pieces", "20000"],
    "contiguous": [],
    "ior": [],
    "e3sm": ["--ne", "8", "--levels", "8"],
}


def main() -> int:
    os.environ.pop("PYTHONPATH")
    options = json.loads(sys.argv[1])
    namespaces.make_private()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    HOME.mkdir()
    (HOME / "tmp").mkdir()
    os.environ.update(ENVIRONMENT)
    cluster = Cluster()
    SHARED.mkdir()
    cluster.run("mount", "--bind", ceph_cluster.CLIENTS[0], SHARED)
    (HOME / "rank").write_text(RANK)
    (HOME / "rank").chmod(0o755)
    if options["command"]:
        return subprocess.run(options["command"], cwd=SHARED).returncode
    return max(test(Site(cluster, mpi, options)) for mpi in chosen(options["mpi"]))


def chosen(text: str) -> list:
    found = [mpi for mpi in find_mpi_libraries() if text in mpi.id]
    if not found:
        raise Stop(f"no MPI library has {text!r} in its id")
    return found


def last_lines(said: str) -> str:
    return "\n".join(line[:400] for line in said.splitlines()[-40:])


class Failed(Exception):
    """Of one part; the others still run."""


class Site:
    """What each part has."""

    def __init__(self, cluster, mpi, options):
        self.cluster, self.mpi, self.options = cluster, mpi, options
        self.steps = HOME / f"steps-{mpi.id}"
        cluster.run(mpi.mpicc, "-O2", "-o", self.steps, ROOT / "tests/python/programs/steps.c")

    def run(self, *words, **environ) -> str:
        words = [str(word) for word in words]
        try:
            done = subprocess.run(
                words,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=AT_MOST_S,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **environ},
            )
        except subprocess.TimeoutExpired as late:
            raise Failed(
                f"{' '.join(words)}: no end within {AT_MOST_S} "
                f"s\n{last_lines((late.stdout or b'').decode(errors='replace'))}"
            ) from None
        if done.returncode:
            raise Failed(
                f"{' '.join(words)}: exit code {done.returncode}\n{last_lines(done.stdout + done.stderr)}"
            )
        return done.stdout

    def job(self, ranks: int, words: list, hints=(), **environ) -> tuple:
        """What a job under collio prints, and its report's files."""
        report = HOME / "tmp/report.json"
        report.unlink(missing_ok=True)
        said = self.run(
            COLLIO,
            "run",
            "--mpi",
            self.mpi.id,
            "--report",
            report,
            *(word for hint in hints for word in ("--set", hint)),
            "--",
            *self.launch(ranks),
            *words,
            **environ,
        )
        return said, json.loads(report.read_text())["files"] if report.exists() else []

    def launch(self, ranks: int) -> list:
        return [
            self.mpi.mpiexec,
            "-n",
            ranks,
            *(["--oversubscribe"] if self.mpi.family == "openmpi" else []),
            HOME / "rank",
        ]

    def write_steps(self, path: Path, *words, hints=()) -> dict:
        """The report of a file of 4 ranks that tests/python/programs/steps.c wrote, every byte checked; the
        file stays."""
        _, files = self.job(
            4,
            [self.steps, path, 30011, 40, 3, *words],
            hints,
            COLLIO_CEPH_RANKS="2",
            COLLIO_RANKS_PER_NODE="2",
        )
        data = path.read_bytes()
        if data != bytes(((place >> 12) * 31 + place * 7) & 255 for place in range(30011 * 40 * 3 * 4)):
            raise Failed(f"{path}: {len(data)} bytes, not those that were written")
        return files[0]


# --- the parts ------------------------------------------------------------------------------------


def layout_of(path: Path) -> dict:
    words = os.getxattr(path, "ceph.file.layout").decode().split()
    return {
        key: int(value) if value.isdigit() else value for key, value in (word.split("=") for word in words)
    }


def expect(what: str, found, wanted) -> None:
    if found != wanted:
        raise Failed(f"{what}: {found!r} instead of {wanted!r}")


def read_layouts(site: Site):
    """Folders' layouts, as files inherit them."""
    cases = {
        "default": ({}, 4 << 20, 0),
        "striped": ({"stripe_unit": 1 << 20, "stripe_count": 3}, 1 << 20, 3),
        "narrow": ({"stripe_unit": 65536, "stripe_count": 2, "object_size": 1 << 20}, 65536, 2),
        "alone": ({"stripe_count": 1, "object_size": 8 << 20}, 8 << 20, 0),
    }
    for name, (wish, unit, count) in cases.items():
        folder = SHARED / f"{site.mpi.id}-{name}"
        folder.mkdir()
        for key, value in wish.items():
            os.setxattr(folder, f"ceph.dir.layout.{key}", str(value).encode())
        layout = site.write_steps(folder / "file")["layout"]
        expect(f"{name}: unit", layout["unit_bytes"], unit)
        expect(f"{name}: count", layout.get("count", 0), count)
        expect(f"{name}: source", layout["source"], "ceph.file.layout, pool data")
    yield f"{len(cases)} of {len(cases)} right"


def set_layouts(site: Site):
    """striping_unit and striping_factor, with and without MPI_MODE_EXCL, in a folder with a pool."""
    folder = site.cluster.folder_on(1)
    for number, words in enumerate([[], ["exclusive"]]):
        path = SHARED / folder.name / f"{site.mpi.id}-{number}"
        layout = site.write_steps(path, *words, "striping_unit=131072", "striping_factor=3")["layout"]
        expect("asked", layout["asked"], "striping_unit=131072 striping_factor=3 set at creation")
        expect("report", (layout["unit_bytes"], layout["count"]), (131072, 3))
        expect(
            "attribute",
            layout_of(path),
            {"stripe_unit": 131072, "stripe_count": 3, "object_size": 4 << 20, "pool": "osd1"},
        )
    layout = site.write_steps(SHARED / f"{site.mpi.id}-refused", "striping_unit=100000")["layout"]
    expect(
        "asked",
        layout["asked"],
        "striping_unit=100000 not set: striping_unit=100000: CephFS takes multiples of 65536 below 4 GiB",
    )
    layout = site.write_steps(SHARED / f"{site.mpi.id}-probe", hints=["collio_probe=enable"])["layout"]
    expect("asked", layout["asked"], "targets not chosen: ceph.file.layout, pool data lists no targets")
    yield "as asked, and refused by name"


def conform(site: Site):
    for topic in TOPICS:
        for ranks in (2, 4):
            site.job(ranks, [site.mpi.build_tree / f"bin/test_{topic}", SHARED])
    yield f"{len(TOPICS)} programs on 2 and 4 ranks"


def fuzz(site: Site):
    cases = site.options["cases"]
    for words in ([], ["--subfiles"]):
        site.job(
            4,
            [
                site.mpi.build_tree / "bin/collio_fuzz",
                "--cases",
                cases,
                "--dir",
                SHARED,
                "--require-collio",
                *words,
            ],
        )
    yield f"{cases} cases, and {cases} in subfiles"


def demo(site: Site):
    said = site.run(
        COLLIO,
        "demo",
        "--mpi",
        site.mpi.id,
        "--ne",
        8,
        "--levels",
        16,
        "--ranks",
        4,
        "--repeat",
        1,
        "--dir",
        SHARED,
    )
    yield next(
        (line.strip() for line in said.splitlines() if "verif" in line or "byte" in line),
        said.strip().splitlines()[-1],
    )


def bench(site: Site):
    """Disks without a limit; every byte is checked."""
    results = {}
    for pattern, words in BENCHES.items():
        results[pattern] = json.loads(
            site.run(
                COLLIO,
                "bench",
                pattern,
                "--mpi",
                site.mpi.id,
                "--ranks",
                4,
                "--repeat",
                site.options["runs"],
                "--engines",
                "collio,native",
                "--dir",
                SHARED,
                "--json",
                *words,
            )
        )
    yield ", ".join(results)
    yield results


PARTS = {
    "layouts read": read_layouts,
    "layouts set": set_layouts,
    "conformance": conform,
    "fuzzer": fuzz,
    "demo": demo,
    "benchmarks": bench,
    "slow OSD": measure_slow,
}


def test(site: Site) -> int:
    """All parts with one MPI library. 1 if one failed."""
    parts = {name: part for name, part in PARTS.items() if site.options["only"] in name}
    document = {
        "machine": machine.describe(SHARED),
        "commit": machine.commit(),
        "ceph": site.cluster.ceph("--version").strip(),
        "osds": OSDS,
        "mpi": site.mpi.id,
        "command": f"tools/test_on_ceph --mpi {site.mpi.id} --cases {site.options['cases']} --runs "
        f"{site.options['runs']}",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "parts": {},
    }
    failed = False
    for name, part in parts.items():
        begin = time.monotonic()
        try:
            site.cluster.set_rates(None)
            said, *results = part(site)
            outcome = {"passed": True, "said": said, **({"results": results[0]} if results else {})}
            site.cluster.check()
        except Failed as failure:
            outcome = {"passed": False, "said": str(failure)}
            failed = True
        outcome["seconds"] = round(time.monotonic() - begin, 1)
        document["parts"][name] = outcome
        print(
            f"{'passed' if outcome['passed'] else 'failed'}: {site.mpi.id} {name} ({outcome['seconds']} s): "
            f"{outcome['said']}",
            flush=True,
        )
        clean()
    if parts.keys() == PARTS.keys():
        output = Path(site.options["output"])
        output.mkdir(parents=True, exist_ok=True)
        (output / f"{site.mpi.id}.json").write_text(
            json.dumps(document, indent=1).replace(f"{ROOT}/", "") + "\n"
        )
    return 1 if failed else 0


def clean() -> None:
    for path in [
        *SHARED.glob("on*/*"),
        *(path for path in SHARED.iterdir() if not re.fullmatch(r"on\d", path.name)),
    ]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    run_as_tool(main)
