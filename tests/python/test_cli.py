"""`collio --help`, and the two names of commands on subfiles."""

import re

import click
import pytest

from collio.cli import SUBFILES, main

GROUPS = {
    "Run": ["run", "info", "doctor", "report", "demo"], "Subfiles": ["subfiles"], "Plan": ["plan", "simulate", "topo", "probe"],
    "Lab and measuring": ["lab", "bench"],
}


def listed(text):
    """{heading: names} of a help text."""
    return {heading: re.findall(r"^  (\w+)  +\S", rows, re.MULTILINE) for heading, rows in re.findall(r"^(\w[\w ]*):\n((?:  .*\n)+)", text, re.MULTILINE)}


def test_help_has_four_groups(cli):
    found = listed(cli("--help").output)
    assert {heading: names for heading, names in found.items() if heading != "Options"} == GROUPS


def test_each_command_of_subfiles_has_two_names(cli):
    assert listed(cli("subfiles", "--help").output)["Commands"] == ["join", "split", "fsck", "view", "mount", "cp", "mv", "rm"] == list(SUBFILES)
    for name in SUBFILES:
        long, short = cli("subfiles", name, "--help"), cli(name, "--help")
        assert long.exit_code == short.exit_code == 0
        assert f"collio subfiles {name}" in long.output.replace("main", "collio") and f"collio {name}" in short.output.replace("main", "collio")
        assert long.output.split("\n", 1)[1] == short.output.split("\n", 1)[1]


def test_long_names_work(cli, tmp_path):
    file = tmp_path / "data"
    file.write_bytes(b"12345")
    assert "5 bytes in 2 subfiles" in cli("subfiles", "split", file, "--subfiles", 2).output
    assert cli("subfiles", "fsck", file).exit_code == 0
    assert "5 bytes of 2 subfiles joined" in cli("join", file).output and file.read_bytes() == b"12345"


@pytest.mark.parametrize("name", ["fsk", "subfile"])
def test_unknown_commands_are_refused(cli, name):
    done = cli(name)
    assert done.exit_code == 2 and name in done.output


def test_completion_has_what_help_has():
    context = click.Context(main, info_name="collio")
    assert [item.value for item in main.shell_complete(context, "")] == [name for names in GROUPS.values() for name in names]
