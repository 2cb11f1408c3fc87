"""`collio cp`, `collio mv` and `collio rm`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import click

from collio.subfiles import moving
from collio.subfiles.manifest import ManifestError

SOURCES = click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
TARGET = click.argument("target", type=click.Path(path_type=Path))


def _each(verb: str, works: Iterable[tuple[Path, Callable[[], str]]]) -> None:
    """All, also after an error; ends with exit code 1 then."""
    failed = False
    for source, work in works:
        try:
            if remark := work():
                click.echo(remark)
        except (moving.RefusedError, ManifestError, OSError) as error:
            click.echo(f"cannot {verb} {source}: {error}", err=True)
            failed = True
    if failed:
        raise SystemExit(1)


def _to_target(verb: str, work: Callable[[Path, Path], str], sources: tuple[Path, ...], target: Path) -> None:
    into = target.is_dir()
    if len(sources) > 1 and not into:
        raise click.ClickException(f"{target} is no folder: several files go into a folder only")
    targets = [target / source.name if into else target for source in sources]
    if twice := {str(path) for path in targets if targets.count(path) > 1}:
        raise click.ClickException(f"several files would become {', '.join(sorted(twice))}")
    _each(verb, [(source, partial(work, source, goal)) for source, goal in zip(sources, targets)])


@click.command()
@SOURCES
@TARGET
def cp(sources: tuple[Path, ...], target: Path) -> None:
    """Copy files, also those that are kept in subfiles: a copy gets subfiles of its own.

    As `cp -p SOURCE... TARGET`: owner where allowed, modes, access control lists, attributes and times are
    kept, and TARGET is replaced. Holes stay holes. File systems that can share blocks do.
    """
    _to_target("copy", moving.copy, sources, target)


@click.command()
@SOURCES
@TARGET
def mv(sources: tuple[Path, ...], target: Path) -> None:
    """Move or rename files, also those that are kept in subfiles.

    As `mv SOURCE... TARGET`. Subfiles in other folders (collio_subfile_dirs) stay there, unless TARGET is on
    another file system.
    """
    _to_target("move", moving.move, sources, target)


@click.command()
@SOURCES
def rm(sources: tuple[Path, ...]) -> None:
    """Remove files, also those that are kept in subfiles, with their subfiles.

    Of a copied placeholder only the name goes: the bytes are those of the original.
    """
    _each("remove", [(source, partial(moving.remove, source)) for source in sources])
