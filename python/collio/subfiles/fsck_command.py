"""`collio fsck`."""

from __future__ import annotations

from pathlib import Path

import click

from collio.subfiles import checking, moving, orphans, repair, subfile_set
from collio.subfiles.manifest import ManifestError


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--repair",
    "mend",
    is_flag=True,
    help="Cut files after the last byte before one that is missing, and make lost placeholders again. PATH "
    "is a file or its folder of subfiles.",
)
@click.option(
    "--orphans",
    "search",
    is_flag=True,
    help="List data in the folders PATH that no file leads to, with the commands that remove it. Folders "
    "below them are not searched.",
)
@click.option("--remove", is_flag=True, help="With --orphans: remove what is certain to be of no use.")
def fsck(paths: tuple[Path, ...], mend: bool, search: bool, remove: bool) -> None:
    """Check files that are kept in subfiles.

    Exit code 0: nothing is wrong. 1: bytes are missing or damaged, a file was not closed, its subfiles are
    another file's, or others may read what it forbids; with --orphans: there is such data.
    """
    if (mend and search) or (remove and not search):
        raise click.UsageError("--repair and --orphans exclude each other, and --remove goes with --orphans")
    try:
        sound = (
            _list_orphans(paths, remove)
            if search
            else all([(_repair if mend else _check)(path) for path in paths])
        )
    except OSError as error:
        raise click.ClickException(str(error)) from None
    if not sound:
        raise SystemExit(1)


def _check(path: Path) -> bool:
    try:
        found = subfile_set.find(path) if path.exists() else None
    except ManifestError as error:
        click.echo(f"{error}. {moving.without_subfiles(path)}")
        return False
    if found is None:
        lines, wrong = checking.of_no_set(path)
        click.echo("\n".join(lines))
        return not wrong
    for line in checking.described(found):
        click.echo(line)
    problems = list(checking.problems(found))
    click.echo("\n".join(problems) or "nothing is missing")
    return not problems


def _repair(path: Path) -> bool:
    try:
        for line in repair.repair(path):
            click.echo(line)
    except (moving.RefusedError, ManifestError, OSError) as error:
        click.echo(f"cannot repair {path}: {error}", err=True)
        return False
    return _check(path) if not path.is_dir() else True


def _list_orphans(folders: tuple[Path, ...], remove: bool) -> bool:
    stay = 0
    for orphan in orphans.orphans(folders):
        click.echo(f"{orphan.path}: {orphan.what}")
        if remove and orphan.remove:
            orphan.remove()
            click.echo("  removed")
            continue
        stay += 1
        if orphan.recover:
            click.echo(f"  recover: {orphan.recover}")
        click.echo(f"  remove: {orphan.command}")
        if orphan.why_not:
            click.echo(f"  --remove leaves it: {orphan.why_not}")
    if not stay:
        click.echo("nothing is left over")
    return not stay
