"""Where the program `collio` begins. `collio run` stands in front of every job: its plain forms start without
the command line's library."""

from __future__ import annotations

import sys


def main() -> None:
    if sys.argv[1:2] == ["run"]:
        from collio.run.start_job import CannotRun, read_quickly, start_job

        wish = read_quickly(sys.argv[2:])
        if wish:
            try:
                start_job(wish)
            except CannotRun as error:
                print(f"collio: {error}", file=sys.stderr)
                sys.exit(125)
    from collio.cli import main as command_line

    command_line(prog_name="collio")
