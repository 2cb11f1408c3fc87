"""`collio lab target`: what happens to the storage targets of a running lab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from collio.lab import build, namespaces, running, striped, targets
from collio.machine_file.graph import Striped
from collio.machine_file.units import UnitError, parse_rate
from collio.wording import format_bytes, format_seconds

OPERATIONS = ("read", "write", "open", "sync")


@click.group()
@click.option("--lab", "number", type=click.IntRange(min=0), help="Number of the lab, if several run.")
@click.pass_context
def target(context: click.Context, number: int | None) -> None:
    """Slow down, fail, fill or heal a storage target.

    Example: collio lab target slow 3 --to 20MB/s
    """
    context.obj = number


def _act(number: int | None, name: str, action: Callable[[Path], object]) -> None:
    """Does `action` to the mount of a target ("3" or "target3"), and says how the target is then."""
    name = f"target{name}" if name.isdigit() else name
    try:
        lab = running.find(number)
        index = _names(lab, name).index(name)
        namespaces.look_inside(lab.pid)
        mount = build.control(lab.graph, index)
        action(mount)
        status = targets.status(mount)
    except (running.NoLabError, namespaces.NamespaceError, targets.TargetError, UnitError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{name}: {_told(status)}")


def _names(lab: running.Running, wanted: str | None) -> list[str]:
    names = [target.name for target in lab.graph.storage.targets] if lab.graph.storage else []
    if not names or (wanted and wanted not in names):
        raise targets.TargetError(
            f"lab {lab.entry} has no {wanted or 'targets'}; it has {', '.join(names) or 'no storage targets'}"
        )
    return names


def _told(status: targets.TargetStatus) -> str:
    """Settings and counters on two lines."""
    limits = ["no limit" if status.rate_bytes_per_s is None else f"{status.rate_bytes_per_s / 1e6:g} MB/s"]
    limits += [f"capacity {format_bytes(status.capacity_bytes)}"] if status.capacity_bytes is not None else []
    limits += [f"delay {status.delay_us} us"] if status.delay_us else []
    limits += [f"fails: {status.failing}"] if status.failing != "none" else []
    limits += [
        word
        for word, on in (("full", status.full), ("stuck", status.stuck), ("short writes", status.short))
        if on
    ]
    done = (
        f"{status.writes} writes ({format_bytes(status.bytes_written)}), {status.reads} reads "
        f"({format_bytes(status.bytes_read)}), "
        f"{status.failures} failed, {status.waiting} waiting; {format_bytes(status.bytes_stored)} stored"
    )
    return f"{', '.join(limits)}\n  {done}"


@target.command()
@click.argument("name", metavar="TARGET")
@click.option("--to", "rate", required=True, metavar="RATE", help='As "20MB/s"; "none" takes the limit away.')
@click.pass_obj
def slow(number: int | None, name: str, rate: str) -> None:
    """Change the rate, which reads and writes share."""
    _act(number, name, lambda mount: targets.set_rate(mount, None if rate == "none" else parse_rate(rate)))


@target.command()
@click.argument("name", metavar="TARGET")
@click.option(
    "--on",
    "operations",
    multiple=True,
    type=click.Choice(OPERATIONS),
    help="Which operations fail.  [default: write]",
)
@click.option(
    "--with",
    "error",
    default="EIO",
    show_default=True,
    metavar="ERRNO",
    help="EIO, ENOSPC, EDQUOT, EROFS, EACCES, …",
)
@click.option(
    "--after", type=click.IntRange(min=0), default=0, show_default=True, help="Operations that still succeed."
)
@click.pass_obj
def fail(number: int | None, name: str, operations: tuple[str, ...], error: str, after: int) -> None:
    """Make operations fail."""
    _act(number, name, lambda mount: targets.fail(mount, operations or ("write",), error, after))


@target.command()
@click.argument("name", metavar="TARGET")
@click.pass_obj
def fill(number: int | None, name: str) -> None:
    """Fail writes as a full disk does."""
    _act(number, name, targets.fill)


@target.command()
@click.argument("name", metavar="TARGET")
@click.pass_obj
def stick(number: int | None, name: str) -> None:
    """Hold requests until the target is healed."""
    _act(number, name, targets.stuck)


@target.command()
@click.argument("name", metavar="TARGET")
@click.pass_obj
def heal(number: int | None, name: str) -> None:
    """End failures and delays; the rate stays."""
    _act(number, name, targets.heal)


@target.command()
@click.argument("name", metavar="[TARGET]", required=False)
@click.pass_obj
def show(number: int | None, name: str | None) -> None:
    """Show settings and counters: of a target, or of all."""
    if name:
        _act(number, name, lambda mount: None)
        return
    try:
        lab = running.find(number)
        names = _names(lab, None)
        namespaces.look_inside(lab.pid)
        if lab.graph.storage and lab.graph.storage.striped:
            click.echo(
                _told_striped(striped.status(build.mountpoint(striped.NAME)), lab.graph.storage.striped)
            )
        for index, target_name in enumerate(names):
            click.echo(f"{target_name}: {_told(targets.status(build.control(lab.graph, index)))}")
    except (running.NoLabError, namespaces.NamespaceError, targets.TargetError) as error:
        raise click.ClickException(str(error)) from None


def _told_striped(status: striped.StripedStatus, given: Striped) -> str:
    """Layout and counters on two lines."""
    return (
        f"{striped.NAME}: stripes of {format_bytes(given.unit_bytes)} over {given.count} of {status.targets} "
        "targets\n"
        f"  {status.writes} writes ({format_bytes(status.bytes_written)}), {status.reads} reads "
        f"({format_bytes(status.bytes_read)}), "
        f"{status.failures} failed; {status.lock_transfers} lock transfers "
        f"({format_seconds(status.lock_wait_seconds)} waited)"
    )
