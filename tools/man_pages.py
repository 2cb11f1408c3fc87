"""Writes a man page for every command of collio into the folder it is given. Run with build/venv's Python, which has click-man.

    python tools/man_pages.py FOLDER
"""

import sys

from click_man.core import write_man_pages

from collio import __version__, cli


def main(folder: str) -> None:
    cli.main.commands = {name: cli.main.get_command(None, name) for name in cli.COMMANDS}  # click-man asks for no names
    write_man_pages("collio", cli.main, version=__version__, target_dir=folder)


if __name__ == "__main__":
    main(sys.argv[1])
