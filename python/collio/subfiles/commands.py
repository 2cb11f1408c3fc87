"""`collio join`, `collio split` and `collio fsck`."""

from __future__ import annotations

from pathlib import Path

import click

from collio.sizes import parse_size, unit_advice
from collio.subfiles import copying, subfile_set
from collio.subfiles.manifest import ManifestError
from collio.wording import counted

FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


def _found(file: Path) -> subfile_set.SubfileSet | None:
    try:
        return subfile_set.find(file)
    except (ManifestError, OSError) as error:
        raise click.ClickException(str(error)) from None


@click.command()
@FILE
@click.option("--unfinished", is_flag=True, help="Also a file that a program is writing, or ended before it closed it.")
def join(file: Path, unfinished: bool) -> None:
    """Make one ordinary file of a file that is kept in subfiles.

    The subfiles are removed when all bytes are copied. On error everything stays as it was.
    """
    found = _found(file)
    if found is None:
        raise click.ClickException(f"{file} is an ordinary file: there is nothing to join")
    if problems := found.problems():
        raise click.ClickException("\n  ".join([f"{file} is damaged:", *problems]))
    if not found.manifest.complete and not unfinished:
        raise click.ClickException(f"{file} is being written, or a program ended before it closed it (collio fsck {file}); --unfinished joins what is there")
    try:
        with subfile_set.alone(found.path):
            if _found(file) != found:
                raise click.ClickException(f"{file} was changed by a program meanwhile; nothing is joined")
            file_bytes = copying.join(found)
    except BlockingIOError:
        raise click.ClickException(f"{file} is open in a program: join it when that has closed it") from None
    except OSError as error:
        raise click.ClickException(f"cannot join {file}: {error}") from None
    click.echo(f"{file}: {file_bytes:,} bytes of {counted(found.manifest.count, 'subfile')} joined")


@click.command()
@FILE
@click.option("--subfiles", type=click.IntRange(1, 65535), required=True, help="How many.")
@click.option("--unit", default="1MiB", show_default=True, help="Bytes of a stripe: consecutive stripes go to the subfiles in turn.")
@click.option("--dirs", default="", help="Colon-separated folders that the subfiles are dealt to in turn. Default: one beside the file.")
def split(file: Path, subfiles: int, unit: str, dirs: str) -> None:
    """Keep an ordinary file in subfiles from now on.

    Example: collio split out.nc --subfiles 4 --dirs /scratch1:/scratch2
    """
    unit_bytes = parse_size(unit)
    if not unit_bytes or unit_bytes > 1 << 30:
        raise click.BadParameter(f"{unit}: allowed are 1 byte to 1 GiB{unit_advice(unit)}", param_hint="--unit")
    folders = [Path(folder) for folder in dirs.split(":") if folder]
    for folder in folders:
        if not folder.is_dir():
            raise click.BadParameter(f"{folder} is no folder", param_hint="--dirs")
    if _found(file):
        raise click.ClickException(f"{file} is kept in subfiles already; collio join {file} makes it one file")
    try:
        made = copying.split(file, subfiles, unit_bytes, folders)
    except (ManifestError, OSError) as error:
        raise click.ClickException(f"cannot split {file}: {error}") from None
    click.echo(f"{file}: {made.manifest.file_bytes:,} bytes in {counted(subfiles, 'subfile')}; manifest: {made.manifest_path}")


@click.command()
@FILE
def fsck(file: Path) -> None:
    """Tell whether the subfiles of a file are complete.

    Exit code 0: nothing is wrong. 1: bytes are missing or damaged, or the file was not closed.
    """
    found = _found(file)
    if found is None:
        _tell_ordinary(file)
        return
    manifest = found.manifest
    click.echo(f"{file}: {counted(manifest.count, 'subfile')}, stripes of {manifest.unit:,} bytes, manifest {found.manifest_path}")
    if manifest.deals:
        last = manifest.deals[-1]
        click.echo(f"re-dealt {counted(len(manifest.deals), 'time')}; from byte {last.first * manifest.unit:,} on, stripes go to {counted(len(last.members), 'subfile')}: "
                   + ", ".join(map(str, last.members)))
    problems = found.problems()
    if manifest.complete:
        click.echo(f"closed with {manifest.file_bytes:,} bytes")
    else:
        problems.append("a program is writing the file, or ended before it closed it")
        click.echo(f"complete when last closed or flushed: {manifest.file_bytes:,} bytes; there are {found.length():,} now")
    click.echo(f"flushed to disk by MPI_File_sync: {manifest.synced_bytes:,} bytes")
    for problem in problems:
        click.echo(problem)
    if problems:
        raise SystemExit(1)
    click.echo("nothing is missing")


def _tell_ordinary(file: Path) -> None:
    click.echo(f"{file}: an ordinary file of {file.stat().st_size:,} bytes")
    beside = file.resolve().with_name(f"{file.resolve().name}.collio")
    if beside.exists():
        click.echo(f"{beside} holds subfiles of a file that had this name; it is not used. Remove it if that file was not moved.")
