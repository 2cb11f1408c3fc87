"""The pictures of a report on the terminal, in as few lines as they need."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from collio.report import pictures
from collio.report.records import Document
from collio.wording import format_bytes, format_seconds

SHADES = " ░▒▓█"
MOST_ROWS = 16
"""Of a table; rows beside each other share a line beyond that."""
WIDTH = 64
LETTERS = {
    "flatten": "f",
    "digest": "d",
    "plan": "l",
    "pack": "p",
    "exchange": "x",
    "place": "c",
    "read": "r",
    "write": "w",
    "wait": "·",
    "agree": "a",
    "other": "-",
    "send": "·",
    "fill": "▒",
    "file": "█",
    "rate": "█",
    "slow": "█",
}


def print_pictures(console: Console, document: Document) -> None:
    """Of each file that the report has pictures of."""
    for file in document["files"]:
        found = pictures.of_file(file)
        if found:
            console.print(Text(f"\n{file.get('file', '?')}", style="bold"))
        for picture in found:
            console.print(Text.assemble("\n", (picture.title, "bold"), f"  {picture.note}"))
            for line in lines_of(picture):
                console.print(Text(line), highlight=False, no_wrap=True, overflow="crop")


def lines_of(picture: pictures.Picture) -> list[str]:
    """Without colours: every line with the name of its row."""
    if isinstance(picture, pictures.Heat):
        return list(_heat(picture))
    if isinstance(picture, pictures.Ranges):
        return list(_ranges(picture))
    return list(_bars(picture))


def _heat(picture: pictures.Heat) -> Iterator[str]:
    each = -(-len(picture.rows) // MOST_ROWS)
    scale = max(1, WIDTH // picture.width)
    most = max(map(max, picture.table))
    names = picture.rows[::each]
    room = max(map(len, names))
    for line, name in enumerate(names):
        rows = picture.table[line * each : (line + 1) * each]
        largest = (max(column) for column in zip_longest(*rows, fillvalue=0))
        shades = "".join(_shade(value / most) * scale for value in largest)
        yield f"{name:>{room}} │{shades:<{picture.width * scale}}│"
    first, _, last = picture.ends
    gap = picture.width * scale - len(first) - len(last)
    yield f"{'':>{room}}  {first}{'':<{max(1, gap)}}{last}   █ {picture.most}"


def _shade(share: float) -> str:
    return SHADES[0] if share <= 0 else SHADES[max(1, round(share * (len(SHADES) - 1)))]


def _bars(picture: pictures.Bars) -> Iterator[str]:
    """A line for each row. Where parts overlap the last of LETTERS is shown."""
    order = sorted(range(len(picture.parts)), key=lambda part: list(LETTERS).index(picture.parts[part]))
    begin = min(0.0, *(bar.begin for bar in picture.bars))
    length = max(bar.end for bar in picture.bars) - begin or 1.0
    room = max(map(len, picture.rows))
    for row, name in enumerate(picture.rows):
        cells = [" "] * WIDTH
        of_row = [bar for bar in picture.bars if bar.row == row]
        for bar in sorted(of_row, key=lambda bar: order.index(bar.part)):
            left = int(WIDTH * (bar.begin - begin) / length)
            right = max(round(WIDTH * (bar.end - begin) / length), left + 1)
            cells[left:right] = LETTERS[picture.parts[bar.part]] * (right - left)
        yield f"{name:>{room}} │{''.join(cells)[:WIDTH]}│"
    end = picture.scale * (begin + length)
    text = format_seconds(end) if picture.unit == "s" else f"{format_bytes(end)}/s"
    yield f"{'':>{room}}  {0:<{WIDTH - 12}}{text:>12}"
    if picture.unit == "s":
        yield f"{'':>{room}}  " + ", ".join(
            f"{LETTERS[picture.parts[part]]} {picture.parts[part]}" for part in order
        )


def _ranges(picture: pictures.Ranges) -> Iterator[str]:
    """From the least ├ over the median ● to the most ┤."""
    most = max(one.most for one in picture.ranges) or 1.0
    for one in picture.ranges:
        least, middle, end = (
            round((WIDTH - 1) * value / most) for value in (one.least, one.median, one.most)
        )
        cells = [" "] * WIDTH
        cells[least:end] = "─" * (end - least)
        cells[least], cells[end], cells[middle] = "├", "┤", "●"
        yield f"{one.row:>9} │{''.join(cells)}│"
    yield f"{'':>9}  {0:<{WIDTH - 10}}{format_seconds(most):>10}"
