"""The command line: one file per command."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from collio import __version__

Places = dict[str, str]
"""Where each command is: "module:function"."""

SUBFILES: Places = {
    "join": "collio.subfiles.commands:join",
    "split": "collio.subfiles.commands:split",
    "fsck": "collio.subfiles.fsck_command:fsck",
    "view": "collio.run.view:view",
    "mount": "collio.run.mount:mount",
    "cp": "collio.subfiles.moving_commands:cp",
    "mv": "collio.subfiles.moving_commands:mv",
    "rm": "collio.subfiles.moving_commands:rm",
}
"""Commands of `collio subfiles`. `collio fsck FILE` works too: messages print that form, which is quicker to
type when a file is in danger."""

GROUPS: dict[str, Places] = {
    "Run": {
        "run": "collio.run.command:run",
        "info": "collio.info:info",
        "doctor": "collio.doctor.command:doctor",
        "report": "collio.report.command:report_command",
        "advise": "collio.advise.command:advise",
        "demo": "collio.demo.command:demo",
    },
    "Subfiles": {"subfiles": "collio.cli:subfiles"},
    "Plan": {
        "plan": "collio.plan.command:plan",
        "simulate": "collio.simulate.command:simulate",
        "topo": "collio.topo.command:topo",
        "probe": "collio.probe.command:probe",
    },
    "Lab and measuring": {"lab": "collio.lab.command:lab", "bench": "collio.bench.command:bench"},
}
COMMANDS = {name: place for places in GROUPS.values() for name, place in places.items()}


class LazyGroup(click.Group):
    """Imports a command when it is used: `collio run` stands in front of every job and must start fast.
    `groups` are shown under their headings; commands of `short` work, and are shown elsewhere."""

    def __init__(
        self, *args: Any, groups: Mapping[str, Places], short: Mapping[str, str] = {}, **settings: Any
    ):
        super().__init__(*args, **settings)
        self.groups = groups
        self.shown = {name: place for places in groups.values() for name, place in places.items()}
        self.places = {**short, **self.shown}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.shown)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.places:
            return None
        module, attribute = self.places[name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.places:
            import difflib

            near = difflib.get_close_matches(args[0], self.places, n=1)
            suggestion = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{suggestion}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, self.shown))
        for heading, places in self.groups.items():
            found = {name: self.get_command(ctx, name) for name in places}
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (name.ljust(longest), command.get_short_help_str(formatter.width - longest - 6))
                        for name, command in found.items()
                        if command
                    ]
                )


@click.group(
    cls=LazyGroup, groups=GROUPS, short=SUBFILES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="collio")
def main() -> None:
    """Collective I/O for MPI programs."""


@click.group(cls=LazyGroup, groups={"Commands": SUBFILES})
def subfiles() -> None:
    """Join, split, check, read and move files in subfiles.

    The word `subfiles` may be left out: `collio fsck FILE`.
    """


if __name__ == "__main__":
    main()
