"""One slow OSD among four: what a probe finds, and what it saves to leave it out. A part of
tools/test_on_ceph."""

import json
import re
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
from common import ROOT  # noqa: E402
from ceph_cluster import HOME, OSDS  # noqa: E402

RATE = 20_000_000
SLOW = {"none": [], "OSD 2": [2]}
SHAPE = (30_011, 140, 3)
RANKS = 8
BYTES = SHAPE[0] * SHAPE[1] * SHAPE[2] * RANKS
ENGINES = {
    "MPI library, all": None,
    "shared, all": [],
    "subfiles, all": [f"collio_subfiles={OSDS}"],
    "subfiles, chosen": ["collio_subfiles=auto", "collio_probe=enable"],
}


def measure_slow(site):
    """Two nodes, a client each; times with MPI_File_sync and close."""
    folders = [HOME / "shared" / site.cluster.folder_on(number).name for number in range(OSDS)]
    results = {}
    for name, slow in SLOW.items():
        site.cluster.set_rates(RATE, slow)
        probes = [probe(folders) for _ in range(site.options["runs"])]
        runs = {engine: [] for engine in ENGINES}
        for _ in range(site.options["runs"]):
            for engine, hints in ENGINES.items():
                runs[engine].append(write(site, hints, folders))
        results[name] = {"left_out": [f"on{number}" for number in slow], "probes": probes, "runs": runs}
    print_tables(results)
    left = sum(left_out(found) == one["left_out"] for one in results.values() for found in one["probes"])
    yield f"{left} of {sum(len(one['probes']) for one in results.values())} probes named what was slow"
    yield {"rate_bytes_per_s": RATE, "bytes": BYTES, **results}


def probe(folders) -> dict:
    done = subprocess.run(
        [ROOT / "build/bin/collio", "probe", "--again", "--json", *folders],
        capture_output=True,
        text=True,
        timeout=120,
    )
    return json.loads(done.stdout.replace(f"{HOME}/shared/", ""))


def left_out(found: dict) -> list:
    return sorted({row["target"] for row in found["targets"]} - set(found["chosen"]))


def write(site, hints, folders) -> dict:
    """Seconds of one file, and what the report says of it."""
    path = HOME / "shared/file"
    words = [site.steps, path, *SHAPE, "full-length", "synced"]
    environ = {
        "COLLIO_CEPH_RANKS": str(RANKS // 2),
        "COLLIO_RANKS_PER_NODE": str(RANKS // 2),
        "XDG_CACHE_HOME": str(HOME / "tmp/none"),
    }
    if hints is None:
        said, result = site.run(*site.launch(RANKS), *words, **environ), {}
    else:
        if hints:
            hints = [*hints, f"collio_subfile_dirs={':'.join(map(str, folders))}"]
        said, (file,) = site.job(RANKS, words, hints, **environ)
        result = {
            "layout": file["layout"],
            "probe": file.get("probe", {}),
            "paths": sorted({call["path"] for call in file["calls"]}),
        }
    subprocess.run(
        [
            "rm",
            "-rf",
            HOME / "tmp/none",
            path,
            *HOME.glob("shared/file*"),
            *(kept for folder in folders for kept in folder.iterdir()),
        ],
        check=True,
    )
    return {"seconds": float(re.search(r"seconds=([\d.]+)", said)[1]), **result}


def print_tables(results) -> None:
    print(
        "| slow | left out by `collio probe` | slow OSD's rate, others' | healthy sum | "
        + " | ".join(ENGINES)
        + " |\n| --- |"
        + " --- |" * (len(ENGINES) + 3)
    )
    for name, one in results.items():
        rates = {
            number: statistics.median(
                row["bytes_per_s"]
                for found in one["probes"]
                for row in found["targets"]
                if row["target"] == f"on{number}"
            )
            for number in range(OSDS)
        }
        named = sum(left_out(found) == one["left_out"] for found in one["probes"])
        told = ", ".join(f"{rate / 1e6:.1f}" for rate in rates.values())
        cells = []
        for runs in one["runs"].values():
            speeds = sorted(BYTES / run["seconds"] / 1e6 for run in runs)
            cells.append(f"{statistics.median(speeds):.0f} ({speeds[0]:.0f} to {speeds[-1]:.0f})")
        print(
            f"| {name} | as set, {named} of {len(one['probes'])} | {told} | "
            f"{(OSDS - len(one['left_out'])) * RATE / 1e6:.0f} | {' | '.join(cells)} |",
            flush=True,
        )
