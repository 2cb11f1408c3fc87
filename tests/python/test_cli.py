"""`collio --help`, and the two names of commands on subfiles."""

import re

import click
import pytest

from collio.cli import SUBFILES, main

GROUPS = {
    "Run": ["run", "info", "doctor", "report", "advise", "demo"],
    "Subfiles": ["subfiles"],
    "Plan": ["plan", "simulate", "topo", "probe"],
    "Lab and measuring": ["lab", "bench"],
}


def listed(text):
    """{heading: names} of a help text."""
    return {
        heading: re.findall(r"^  (\w+)  +\S", rows, re.MULTILINE)
        for heading, rows in re.findall(r"^(\w[\w ]*):\n((?:  .*\n)+)", text, re.MULTILINE)
    }


def test_help_has_four_groups(cli):
    found = listed(cli("--help").output)
    assert {heading: names for heading, names in found.items() if heading != "Options"} == GROUPS


def test_each_command_of_subfiles_has_two_names(cli):
    assert (
        listed(cli("subfiles", "--help").output)["Commands"]
        == ["join", "split", "fsck", "view", "mount", "cp", "mv", "rm"]
        == list(SUBFILES)
    )
    for name in SUBFILES:
        long, short = cli("subfiles", name, "--help"), cli(name, "--help")
        assert long.exit_code == short.exit_code == 0
        assert f"collio subfiles {name}" in long.output.replace(
            "main", "collio"
        ) and f"collio {name}" in short.output.replace("main", "collio")
        assert long.output.split("\n", 1)[1] == short.output.split("\n", 1)[1]


def test_long_names_work(cli, tmp_path):
    file = tmp_path / "data"
    file.write_bytes(b"12345")
    assert "5 bytes in 2 subfiles" in cli("subfiles", "split", file, "--subfiles", 2).output
    assert cli("subfiles", "fsck", file).exit_code == 0
    assert "5 bytes of 2 subfiles joined" in cli("join", file).output and file.read_bytes() == b"12345"


@pytest.mark.parametrize("name, meant", [("fsk", "fsck"), ("subfile", "subfiles"), ("rnu", "run")])
def test_unknown_commands_are_refused(cli, name, meant):
    done = cli(name)
    assert done.exit_code == 2 and f"'{name}'. Did you mean '{meant}'?" in done.output


def options_of(command, path=("collio",)):
    """(path of a command, option) of everything that --help shows."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from options_of(command.get_command(context, name), (*path, name))
    yield from (
        (" ".join(path), option)
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
    )


FORMER = {  # command: option: its name before
    "simulate": {"--set": "--hint"},
    "probe": {"--timeout": "--most", "--target-timeout": "--patience"},
    "demo": {"--timeout": "--budget"},
}


def test_one_word_for_one_thing():
    shown = [(path, word) for path, option in options_of(main) for word in option.opts]
    words = {word for _, word in shown}
    assert not words & {"--hint", "--most", "--patience", "--budget", "--no-cache", "--time-limit"}
    assert {path for path, word in shown if word == "--again"} == {"collio topo", "collio probe"}
    assert {
        "collio demo",
        "collio doctor",
        "collio topo",
        "collio probe",
        "collio lab check",
        "collio bench ior",
    } <= {path for path, word in shown if word == "--timeout"}
    hints = {path: option.help for path, option in options_of(main) if "--set" in option.opts}
    machines = {path: option.metavar for path, option in options_of(main) if "--machine" in option.opts}
    assert machines.pop("collio run") == "FILE" and set(machines.values()) == {"MACHINE"}, (
        "a machine is a preset, too"
    )
    assert "collio simulate" in hints and all(text.startswith("A hint ") for text in hints.values())


@pytest.mark.parametrize(
    "name, now, before",
    [(name, now, before) for name, words in FORMER.items() for now, before in words.items()],
)
def test_former_names_of_options_work_and_are_hidden(cli, name, now, before):
    command = main.get_command(click.Context(main), name)
    value = "cb_nodes=4" if now == "--set" else "7"
    parsed = [
        command.make_parser(click.Context(command)).parse_args([word, value])[0] for word in (now, before)
    ]
    assert parsed[0] == parsed[1] and value in str(parsed[0])
    shown = cli(name, "--help").output
    assert f" {now} " in shown and f" {before} " not in shown


def test_completion_has_what_help_has():
    context = click.Context(main, info_name="collio")
    assert [item.value for item in main.shell_complete(context, "")] == [
        name for names in GROUPS.values() for name in names
    ]
