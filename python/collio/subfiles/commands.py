"""`collio join` and `collio split`."""

from __future__ import annotations

from pathlib import Path

import click

from collio import progress
from collio.sizes import parse_size, unit_advice
from collio.subfiles import identity, moving, repair, sets, subfile_set
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
@click.option(
    "--unfinished", is_flag=True, help="Also a file that a program is writing, or ended before it closed it."
)
@click.option(
    "--salvage",
    is_flag=True,
    help="Also a file whose end is missing, as after a loss of power: the bytes before the first that is "
    "missing. Says what is cut.",
)
def join(file: Path, unfinished: bool, salvage: bool) -> None:
    """Make one ordinary file of a file that is kept in subfiles.

    The subfiles are removed when all bytes are copied. On error everything stays as it was.
    """
    found = _found(file)
    if found is None:
        raise click.ClickException(f"{file} is an ordinary file: there is nothing to join")
    try:
        length = _length_to_join(found, unfinished, salvage)
        with moving.unused(found.path):
            if _found(file) != found:
                raise click.ClickException(f"{file} was changed by a program meanwhile; nothing is joined")
            with progress.bar(f"joining {found.path.name}", length) as bar:
                remark = sets.join(found, length, bar.reach)
    except (moving.RefusedError, OSError) as error:
        raise click.ClickException(f"cannot join {file}: {error}") from None
    click.echo(f"{file}: {length:,} bytes of {counted(found.manifest.count, 'subfile')} joined")
    if remark:
        click.echo(remark, err=True)


def _length_to_join(found: subfile_set.SubfileSet, unfinished: bool, salvage: bool) -> int:
    """Raises RefusedError and OSError."""
    owned = identity.ownership(found)
    if not owned.may_change:
        raise moving.RefusedError(identity.why_not(found, owned))
    moving.refuse_links(found.path)
    if foreign := repair.foreign_bytes(found):
        raise moving.RefusedError(foreign)
    if found.problems() and salvage:
        length = repair.whole_bytes(found)
        click.echo(repair.cut_text(found, length))
        return length
    moving.refuse_damage(found)
    if not (found.manifest.complete or unfinished or salvage):
        raise moving.RefusedError(
            f"it is being written, or a program ended before it closed it (collio fsck {found.path}); "
            "--unfinished joins what is there"
        )
    return found.length()


@click.command()
@FILE
@click.option("--subfiles", type=click.IntRange(1, 65535), required=True, help="How many.")
@click.option(
    "--unit",
    default="1MiB",
    show_default=True,
    help="Bytes of a stripe: consecutive stripes go to the subfiles in turn.",
)
@click.option(
    "--dirs",
    default="",
    help="Colon-separated folders that the subfiles are dealt to in turn. Default: one beside the file.",
)
def split(file: Path, subfiles: int, unit: str, dirs: str) -> None:
    """Keep an ordinary file in subfiles from now on.

    Example: collio split out.nc --subfiles 4 --dirs /scratch1:/scratch2

    A file that a program writes meanwhile stays as it is.
    """
    unit_bytes = parse_size(unit)
    if not unit_bytes or unit_bytes > 1 << 30:
        raise click.BadParameter(
            f"{unit}: allowed are 1 byte to 1 GiB{unit_advice(unit)}", param_hint="--unit"
        )
    folders = [Path(folder) for folder in dirs.split(":") if folder]
    for folder in folders:
        if not folder.is_dir():
            raise click.BadParameter(f"{folder} is no folder", param_hint="--dirs")
    if _found(file):
        raise click.ClickException(
            f"{file} is kept in subfiles already; collio join {file} makes it one file"
        )
    try:
        moving.refuse_links(file)
        made = sets.split(file, subfiles, unit_bytes, folders)
    except (moving.RefusedError, ManifestError, OSError) as error:
        raise click.ClickException(f"cannot split {file}: {error}") from None
    click.echo(
        f"{file}: {made.manifest.file_bytes:,} bytes in {counted(subfiles, 'subfile')}; manifest: "
        f"{made.manifest_path}"
    )
