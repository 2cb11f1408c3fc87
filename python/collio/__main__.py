"""`python3 -m collio` is the command `collio`."""

from collio.cli import main

main(prog_name="collio")
