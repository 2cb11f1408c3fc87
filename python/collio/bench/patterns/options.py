"""Option types that patterns share."""

from __future__ import annotations

import click

from collio import sizes


class Size(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2; 8.0 runs, too
    """Bytes: 32, 4MiB, 512k."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        size = value if isinstance(value, int) else sizes.parse_size(str(value))
        if not size:
            self.fail(
                f"{value!r} is no size; allowed are bytes, 1 or more (32, 512k, "
                f"4MiB){sizes.unit_advice(str(value))}",
                param,
                ctx,
            )
        return size


SIZE = Size()
COUNT = click.IntRange(min=1)
