"""A CephFS on this machine: a monitor, a manager, a metadata server, four OSDs, two clients. It lives in the
namespaces and the /run of the calling process, and ends with them.

Each OSD keeps its objects (BlueStore) on a storage target of the lab, so its disk has a rate that can be set
while it runs. OSD i also has pool `osd<i>` alone. Metadata lies on OSD 0.
"""

import os
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

sys.dont_write_bytecode = True
from common import Stop  # noqa: E402
from collio import builds  # noqa: E402
from collio.lab import targets  # noqa: E402
from collio.lab.targets import TargetSpec, start_target  # noqa: E402

OSDS = 4
OSD_BYTES = 8 << 30
HOME = Path("/run/ceph-lab")
CLIENTS = [HOME / "client1", HOME / "client2"]
STEP_S = 60
ADDRESSES = "[v2:127.0.0.1:3300,v1:127.0.0.1:6789]"
# As for an SSD: BlueStore then writes no bytes twice. Timeouts of OSDs are long: with a disk at a tenth, a
# queue of 64 MB takes 20 s, and the monitor must not take the OSD for dead.
CONFIGURATION = f"""[global]
fsid = {{fsid}}
mon host = {ADDRESSES}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
public addr = 127.0.0.1
cluster addr = 127.0.0.1
run dir = {HOME}/run
admin socket = {HOME}/run/$name.$pid.asok
pid file =
log file = {HOME}/log/$name.log
crash dir = {HOME}/log
mon data avail crit = 1
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mgr initial modules =
bluestore block size = {OSD_BYTES}
bluestore debug enforce settings = ssd
osd heartbeat grace = 600
osd op thread timeout = 300
osd op thread suicide timeout = 1200
mds beacon grace = 600
mon osd report timeout = 1800
[mon]
mon data = {HOME}/mon
[mgr]
mgr data = {HOME}/mgr
[mds]
mds data = {HOME}/mds
[osd]
osd data = {HOME}/osd$id
"""


class Cluster:
    """A running one. Its processes end with the namespaces."""

    def __init__(self):
        self.daemons, self.disks = {}, []
        self.configuration = HOME / "ceph.conf"
        for folder in ("mon", "mgr", "mds", "run", "log", "disks"):
            (HOME / folder).mkdir(parents=True)
        self.fsid = str(uuid.uuid4())
        self.configuration.write_text(CONFIGURATION.format(fsid=self.fsid))
        self.start_monitor()
        self.start("ceph-mgr", "a")
        self.start_osds()
        self.make_pools()
        self.start("ceph-mds", "a")
        self.wait("the metadata server is active", lambda: "up:active" in self.ceph("mds", "stat"))
        self.wait("all placement groups are clean", self.all_clean)
        for client in CLIENTS:
            self.mount(client)

    def run(self, *words, at_most_s=STEP_S) -> str:
        """What a program prints; Stop names it if it fails or takes too long."""
        line = " ".join(map(str, words))
        try:
            done = subprocess.run(
                [str(word) for word in words],
                capture_output=True,
                text=True,
                timeout=at_most_s,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            raise Stop(f"{line}: no end within {at_most_s} s{self.last_words()}") from None
        if done.returncode:
            raise Stop(f"{line}: exit code {done.returncode}: {done.stderr.strip()}{self.last_words()}")
        return done.stdout

    def ceph(self, *words) -> str:
        return self.run("ceph", "-c", self.configuration, *words)

    def start(self, program: str, name: str) -> None:
        log = HOME / "log" / f"{program}.{name}.out"
        with open(log, "wb") as stream:
            words = [program, "-f", "-i", name, "-c", str(self.configuration)]
            self.daemons[log] = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self, what: str, holds, at_most_s=STEP_S) -> None:
        end = time.monotonic() + at_most_s
        while not holds():
            if time.monotonic() > end:
                raise Stop(f"CephFS: not within {at_most_s} s: {what}\n{self.ceph('-s')}{self.last_words()}")
            self.check()
            time.sleep(0.5)

    def check(self) -> None:
        """Stop if a daemon has ended."""
        for log, daemon in self.daemons.items():
            if daemon.poll() is not None:
                raise Stop(f"{log.stem} ended with {daemon.returncode}{self.last_words()}")

    def last_words(self) -> str:
        """Of daemons that have ended."""
        return "".join(
            f"\n{log.stem} ended with {daemon.returncode}:\n"
            + "\n".join(log.read_text(errors="replace").splitlines()[-10:])
            for log, daemon in self.daemons.items()
            if daemon.poll() is not None
        )

    # --- bringing it up ---

    def start_monitor(self) -> None:
        self.run("monmaptool", "--create", "--fsid", self.fsid, "--addv", "a", ADDRESSES, HOME / "monmap")
        self.run("ceph-mon", "-i", "a", "--mkfs", "--monmap", HOME / "monmap", "-c", self.configuration)
        self.start("ceph-mon", "a")
        self.ceph("-s")

    def start_osds(self) -> None:
        program = builds.find_program(targets.PROGRAM)
        for number in range(OSDS):
            self.disks.append(
                start_target(program, TargetSpec(f"osd{number}"), HOME / f"osd{number}", HOME / "disks")
            )
            known = str(uuid.uuid4())
            self.ceph("osd", "new", known)
            self.run("ceph-osd", "-i", number, "-c", self.configuration, "--mkfs", "--osd-uuid", known)
            self.start("ceph-osd", str(number))
        self.wait(f"{OSDS} OSDs are up", lambda: f" {OSDS} up" in self.ceph("osd", "stat"))

    def make_pools(self) -> None:
        self.ceph("osd", "crush", "rule", "create-simple", "all", "default", "osd")
        for number in range(OSDS):
            self.ceph("osd", "crush", "rm-device-class", f"osd.{number}")
            self.ceph("osd", "crush", "set-device-class", f"only{number}", f"osd.{number}")
            self.ceph(
                "osd", "crush", "rule", "create-replicated", f"on{number}", "default", "osd", f"only{number}"
            )
            self.ceph("osd", "pool", "create", f"osd{number}", 8, 8, "replicated", f"on{number}")
        self.ceph("osd", "pool", "create", "metadata", 8, 8, "replicated", "on0")
        self.ceph("osd", "pool", "create", "data", 64, 64, "replicated", "all")
        self.ceph("fs", "new", "lab", "metadata", "data")
        for number in range(OSDS):
            self.ceph("fs", "add_data_pool", "lab", f"osd{number}")

    def all_clean(self) -> bool:
        said = self.ceph("pg", "stat")  # "113 pgs: 113 active+clean; ..."
        return bool(re.match(r"(\d+) pgs: \1 active\+clean;", said))

    def mount(self, client: Path) -> None:
        client.mkdir()
        # With pages in the kernel one client reads old bytes of what the other writes (Ceph's documentation
        # of the option).
        self.run(
            "ceph-fuse", "-c", self.configuration, "--id", "admin", "--fuse_disable_pagecache=true", client
        )
        if not os.path.ismount(client):
            raise Stop(f"ceph-fuse: {client} is no mount")

    # --- what tests use ---

    def set_rates(self, rate: float, slow=()) -> None:
        """Bytes per second of each OSD's disk; those in `slow` get a tenth. None: no limit."""
        for disk in self.disks:  # nothing of the last rates' queues stays
            targets.set_rate(disk.mountpoint, None)
        self.wait(
            "disks are idle", lambda: not any(targets.status(disk.mountpoint).waiting for disk in self.disks)
        )
        for number, disk in enumerate(self.disks):
            targets.set_rate(disk.mountpoint, rate / 10 if rate and number in slow else rate)

    def folder_on(self, number: int) -> Path:
        """A folder whose files lie on one OSD."""
        folder = CLIENTS[0] / f"on{number}"
        if not folder.is_dir():
            folder.mkdir()
            os.setxattr(folder, "ceph.dir.layout.pool", f"osd{number}".encode())
        return folder
