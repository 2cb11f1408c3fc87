"""The command line: one file per command."""

from __future__ import annotations

import importlib

import click

from collio import __version__

COMMANDS = {
    "run": "collio.run.command:run",
    "info": "collio.info:info",
    "doctor": "collio.doctor.command:doctor",
    "report": "collio.report.command:report_command",
    "plan": "collio.plan.command:plan",
    "simulate": "collio.simulate.command:simulate",
    "probe": "collio.probe.command:probe",
    "bench": "collio.bench.command:bench",
    "demo": "collio.demo.command:demo",
    "lab": "collio.lab.command:lab",
    "topo": "collio.topo.command:topo",
    "join": "collio.subfiles.commands:join",
    "split": "collio.subfiles.commands:split",
    "fsck": "collio.subfiles.fsck_command:fsck",
    "cp": "collio.subfiles.moving_commands:cp",
    "mv": "collio.subfiles.moving_commands:mv",
    "rm": "collio.subfiles.moving_commands:rm",
    "view": "collio.run.view:view",
    "mount": "collio.run.mount:mount",
}


class LazyGroup(click.Group):
    """Imports a command when it is used: `collio run` stands in front of every job and must start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="collio")
def main() -> None:
    """Collective I/O for MPI programs."""


if __name__ == "__main__":
    main()
