"""Writes a man page for every command of collio, and one of its hints, into the folder it is given. Run with
build/venv's Python, which has click-man.

python tools/man_pages.py FOLDER     FOLDER/man1/collio-run.1, ..., FOLDER/man7/collio-hints.7
"""

import sys
from pathlib import Path

from click_man.core import write_man_pages

from collio import __version__, cli, hints

HEADINGS = {
    "first": "HINTS TO KNOW FIRST",
    "tuning": "HINTS FOR TUNING",
    "experimental": "EXPERIMENTAL HINTS",
}


def main(folder: str) -> None:
    commands, others = Path(folder, "man1"), Path(folder, "man7")
    for place in (commands, others):
        place.mkdir(parents=True, exist_ok=True)
    for group in (cli.main, cli.subfiles):
        # click-man asks for no names
        group.commands = {name: group.get_command(None, name) for name in group.shown}
    write_man_pages("collio", cli.main, version=__version__, target_dir=str(commands))
    for name in cli.SUBFILES:  # messages print the short form
        short = commands / f"collio-{name}.1"
        short.unlink(missing_ok=True)
        short.symlink_to(f"collio-subfiles-{name}.1")
    (others / "collio-hints.7").write_text(hints_page())


def hints_page() -> str:
    """The table of hints as roff."""
    lines = [
        f'.TH "COLLIO-HINTS" "7" "" "{__version__}" "collio Manual"',
        ".SH NAME",
        "collio\\-hints \\- hints of collio's collective I/O",
    ]
    for group, heading in HEADINGS.items():
        lines.append(f".SH {heading}")
        for hint in hints.HINTS:
            if hint.group == group:
                lines += [
                    ".TP",
                    rf"\fB{roff(hint.key)}\fP={roff(hint.default)}",
                    f"{roff(hint.meaning)}. Allowed: {roff(hint.allowed)}.",
                ]
    return "\n".join([*lines, ".SH SEE ALSO", "collio\\-info(1), collio\\-run(1)"]) + "\n"


def roff(text: str) -> str:
    return text.replace("-", "\\-")


if __name__ == "__main__":
    main(sys.argv[1])
