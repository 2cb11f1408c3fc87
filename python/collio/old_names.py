"""Options that once had another name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click


class RenamedOption(click.Option):
    """An option whose former names work in commands, and are shown nowhere."""

    def __init__(self, *args: Any, former: Sequence[str], **settings: Any):
        super().__init__(*args, **settings)
        self.former = former

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        shown = self.opts
        self.opts = [*shown, *self.former]
        super().add_to_parser(parser, ctx)
        self.opts = shown
