"""Six targets, once as folders and once behind a striped file system, for bench/measure_slow_targets."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
from collio import builds  # noqa: E402
from collio.lab import striped, targets  # noqa: E402
from collio.lab.striped import StripedSpec, start_striped  # noqa: E402
from collio.lab.targets import TargetSpec, start_target  # noqa: E402

TARGETS, RATE, RANKS = 6, 20_000_000, 8
SHAPES = {"three steps": (30_011, 140, 3), "one step": (30_011, 420, 1)}


class Site:
    """The targets, once as folders and once behind the striped file system."""

    def __init__(self, running, mpi):
        self.root = Path(running.enter_context(tempfile.TemporaryDirectory()))
        self.memory = Path(running.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm")))
        program = builds.find_program(targets.PROGRAM)
        self.mounts = []
        for index in range(TARGETS):
            (self.memory / f"folder{index}").mkdir()
            mount = start_target(
                program,
                TargetSpec(f"t{index}", RATE),
                self.root / f"t{index}",
                self.memory / f"folder{index}",
            )
            self.mounts.append(running.enter_context(mount).mountpoint)
        spec = StripedSpec(
            tuple(TargetSpec(f"target{index}", RATE) for index in range(TARGETS)),
            1 << 20,
            TARGETS,
            0.0,
            "process",
        )
        self.striped = running.enter_context(
            start_striped(builds.find_program(striped.PROGRAM), spec, self.root / "striped", self.memory)
        ).mountpoint
        self.mpi, self.program = mpi, self.root / "steps"
        subprocess.run(
            [mpi.mpicc, "-O2", "-o", self.program, ROOT / "tests/python/programs/steps.c"], check=True
        )

    def set_slow(self, slow):
        for index in range(TARGETS):
            rate = RATE / 10 if index in slow else RATE
            targets.set_rate(self.mounts[index], rate)
            targets.set_rate(striped.control(self.striped, index), rate)

    def run(self, where, hints, keep=False, shape=SHAPES["three steps"], full_length=True):
        """One file, written; {seconds, open_s, targets}."""
        folder = self.memory / "files" if where == "targets" else self.striped
        folder.mkdir(exist_ok=True)
        path, report = folder / "file", self.root / "report.json"
        if where == "targets":
            hints = [*hints, f"collio_subfile_dirs={':'.join(map(str, self.mounts))}"]
        words = [self.mpi.mpiexec, "-n", RANKS, self.program, path, *shape, *["full-length"] * full_length]
        if where:
            words = [
                ROOT / "build/bin/collio",
                "run",
                "--mpi",
                self.mpi.id,
                "--report",
                report,
                *(word for hint in hints for word in ("--set", hint)),
                "--",
                *words,
            ]
        cache = self.root / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        env = {
            **os.environ,
            "XDG_CACHE_HOME": str(cache),
            "COLLIO_RANKS_PER_NODE": "2",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, timeout=300, env=env
        )
        found = re.search(r"seconds=([\d.]+)", done.stdout)
        if done.returncode or not found:
            sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        result = {"seconds": float(found[1])}
        if where:
            (file,) = json.loads(report.read_text())["files"]
            probe = file.get("probe", {})
            result |= {
                "probe_seconds": probe.get("seconds", 0),
                "left_out": probe.get("left_out", []),
                "layout": file["layout"],
                "paths": sorted({call["path"] for call in file["calls"]}),
            }
            if "subfiles" in file:
                result["subfiles"] = {
                    key: file["subfiles"][key]
                    for key in ("count", "joined_by_kernel", "joined_through_memory", "redealt")
                }
        if not keep:
            for leftover in (
                path,
                *(self.memory / "files").glob("*"),
                *(file for mount in self.mounts for file in mount.iterdir()),
            ):
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink(missing_ok=True)
        return result
