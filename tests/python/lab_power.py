"""For tests of what survives a loss of power: the file system in memory that loses it (lab/power_loss), and
the loop over all losses."""

import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from collio import builds
from lab_target import is_mounted, wait_until

PROGRAM = "collio_lab_power_loss"
HOW = {
    "names": {"write", "size", "mode", "owner", "times"},
    "flushed": {"write", "size", "mode", "owner", "times", "link", "unlink", "rename"},
}
"""What survives, and changes that change nothing of it."""
HOW.update(root=HOW["names"], below=HOW["names"], all=set())
COMMAND = re.compile(
    r"collio (?:fsck --repair|join --salvage) \S+|\brm (?:-r )?/.*?(?= removes|$)", re.MULTILINE
)


class Power:
    """The mounted file system."""

    def __init__(self, point):
        self.point, self.control = point, point / ".power"

    def record(self):
        self.control.write_text("record")

    def steps(self):
        return self.control.read_text().splitlines()

    def lose(self, count, how):
        self.control.write_text(f"lose {count} {how}")


@pytest.fixture
def power():
    program = builds.find_program(PROGRAM)
    if program is None:
        pytest.skip(f"{PROGRAM} is not built (no libfuse 3)")
    with tempfile.TemporaryDirectory() as point:
        process = subprocess.Popen([program, point], stderr=subprocess.PIPE, text=True)
        wait_until(lambda: is_mounted(point) or process.poll() is not None)
        if process.poll() is not None:
            pytest.skip(f"FUSE cannot be mounted here: {process.stderr.read()}")
        try:
            yield Power(Path(point))
        finally:
            process.terminate()
            process.wait(10)


def run_printed(cli, said):
    """Runs the first command that `collio fsck` has printed. Returns it with its output; "": there was
    none."""
    asked = COMMAND.search(said)
    if not asked:
        return ""
    words = asked[0].split()
    output = (
        cli(*words[1:]).output
        if words[0] == "collio"
        else subprocess.run(asked[0], shell=True, capture_output=True, text=True).stderr
    )
    return f"{asked[0]}: {output}"


def marks(steps):
    """Numbers of the files mark-N that were made among some changes."""
    return [
        int(name.removeprefix("mark-")) for line in steps if (name := line.split()[-1]).startswith("mark-")
    ]


def check_every_loss(power, what_is_wrong, first=1):
    """Loses power after each change from mark `first` on, in each way. `what_is_wrong(last mark)`: what to
    say of the files as they are then; "": nothing. Prints and returns the number of losses."""
    steps, wrong, losses = power.steps(), [], 0
    for count in range(len(steps) + 1):
        last = max(marks(steps[:count]), default=0)
        if last < first:
            continue
        for how, nothing in HOW.items():
            if count and steps[count - 1].split()[0] in nothing:
                continue
            power.lose(count, how)
            losses += 1
            if why := what_is_wrong(last):
                wrong.append((count, how, last, steps[count - 1], why))
    print(f"{losses} losses of power")
    assert not wrong, f"{len(wrong)} of {losses} losses of power; the first: {wrong[0]}"
    return losses
