"""`collio mount`: a folder shown read-only, in which files in subfiles are ordinary ones, to any program."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path

import click

from collio import builds

PROGRAM = "collio_mount"
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
DEVICE = Path("/dev/fuse")


@click.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.argument("mountpoint", metavar="MOUNTPOINT", type=click.Path(path_type=Path))
@click.option(
    "--foreground",
    is_flag=True,
    help="Stay until the mount ends, and print messages instead of sending them to syslog.",
)
@click.option(
    "--allow-other",
    is_flag=True,
    help="Let other users read too. /etc/fuse.conf must have user_allow_other, unless you are root.",
)
def mount(folder: Path, mountpoint: Path, foreground: bool, allow_other: bool) -> None:
    """Show a folder so that files in subfiles are ordinary ones: collio mount /scratch/run /tmp/run

    For programs that `collio view` does not reach: statically linked ones, daemons, languages that make
    system calls themselves. The mount is read-only. It ends with fusermount3 -u MOUNTPOINT.
    """
    folder, mountpoint = folder.resolve(), Path(os.path.realpath(mountpoint))
    _check_mountpoint(folder, mountpoint)
    program = _program()
    options = [
        word for word, wanted in (("--foreground", foreground), ("--allow-other", allow_other)) if wanted
    ]
    command = [str(program), *options, "--", str(folder), str(mountpoint)]
    if foreground:
        os.execv(program, command)
    if subprocess.run(command).returncode != 0:  # it said why
        raise click.ClickException(f"{folder} is not mounted")
    click.echo(f"{folder} is shown at {mountpoint}; to end it: {_end_words()} {mountpoint}")


def _check_mountpoint(folder: Path, mountpoint: Path) -> None:
    try:
        names = os.listdir(mountpoint)
    except OSError as error:
        advice = (
            f"; to take a dead mount away: {_end_words()} {mountpoint}"
            if error.errno == errno.ENOTCONN
            else "; MOUNTPOINT is an empty folder"
        )
        raise click.ClickException(f"cannot mount at {mountpoint}: {error.strerror}{advice}") from None
    if names:
        raise click.ClickException(
            f"{mountpoint} is not empty: it has {names[0]}; MOUNTPOINT is an empty folder"
        )
    if any(os.path.samefile(folder, parent) for parent in (mountpoint, *mountpoint.parents)):
        raise click.ClickException(
            f"{mountpoint} is inside {folder}, which would show itself; choose a folder outside"
        )


def _program() -> Path:
    program = builds.find_program(PROGRAM)
    if program is None:
        remedy = (
            "wheels have none; `make install` of a source tree has it"
            if builds.is_packaged()
            else "`make build` makes it"
        )
        raise click.ClickException(
            f"{PROGRAM} is missing; {remedy}, if libfuse 3 and its headers are there (libfuse3-dev, "
            "fuse3-devel)"
        )
    if not DEVICE.exists():
        raise click.ClickException(
            f"there is no {DEVICE}: load the module fuse as root, or give the container this device"
        )
    if os.geteuid() != 0 and not shutil.which("fusermount3"):
        raise click.ClickException(
            "fusermount3 is missing, which mounts for users; install the package fuse3"
        )
    return program


def _end_words() -> str:
    return "fusermount3 -u" if shutil.which("fusermount3") else "umount"
