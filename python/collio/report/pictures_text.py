"""The pictures of a report on the terminal, in as few lines as they need."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from collio.report import pictures
from collio.report.records import Document
from collio.wording import format_bytes, format_seconds

SHADES = " ░▒▓█"
MOST_ROWS = 16
"""Of a table; rows beside each other share a line beyond that."""
MOST_CELLS, LEAST_CELLS = 64, 16
"""Of a line, beside the name of its row."""
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
            for line in lines_of(picture, console.width):
                console.print(Text(line), highlight=False, no_wrap=True, overflow="crop")


class _Frame:
    """Lines with names at their left. `cells`: places at the right of a name."""

    def __init__(self, names: Sequence[str], width: int) -> None:
        self.room = min(max(map(len, names)), width // 3)
        self.cells = min(MOST_CELLS, max(LEAST_CELLS, width - self.room - len(" ││")))

    def line(self, name: str, cells: str) -> str:
        """Of long names the ends, in which they differ."""
        return f"{name[-self.room :]:>{self.room}} │{cells[: self.cells]:<{self.cells}}│"

    def axis(self, first: str, last: str, legend: str = "") -> str:
        part = self.cells // 3
        middle = f"{legend:^{self.cells - 2 * part}}"
        return f"{'':>{self.room}}  {first[:part]:<{part}}{middle}{last[-part:]:>{part}}"


def lines_of(picture: pictures.Picture, width: int) -> list[str]:
    """Without colours: every line with the name of its row, of `width` letters at most."""
    if isinstance(picture, pictures.Heat):
        return list(_heat(picture, width))
    if isinstance(picture, pictures.Ranges):
        return list(_ranges(picture, width))
    return list(_bars(picture, width))


def _heat(picture: pictures.Heat, width: int) -> Iterator[str]:
    """Columns of one length, or, where there are more of them than cells, the darkest for each cell."""
    each = -(-len(picture.rows) // MOST_ROWS)
    most = max(map(max, picture.table))
    names = picture.rows[::each]
    frame = _Frame(names, width)
    frame.cells = max(1, frame.cells // picture.width) * min(picture.width, frame.cells)
    begins = [cell * picture.width // frame.cells for cell in range(frame.cells + 1)]
    for line, name in enumerate(names):
        rows = picture.table[line * each : (line + 1) * each]
        largest = [max(column) for column in zip_longest(*rows, fillvalue=0)]
        shades = (
            _shade(max(largest[begin : max(end, begin + 1)], default=0) / most)
            for begin, end in zip(begins, begins[1:])
        )
        yield frame.line(name, "".join(shades))
    first, _, last = picture.ends
    yield frame.axis(first, last, f"█ {picture.most}")


def _shade(share: float) -> str:
    return SHADES[0] if share <= 0 else SHADES[max(1, round(share * (len(SHADES) - 1)))]


def _bars(picture: pictures.Bars, width: int) -> Iterator[str]:
    """A line for each row. Where parts overlap the last of LETTERS is shown."""
    order = sorted(range(len(picture.parts)), key=lambda part: list(LETTERS).index(picture.parts[part]))
    begin = min(0.0, *(bar.begin for bar in picture.bars))
    length = max(bar.end for bar in picture.bars) - begin or 1.0
    frame = _Frame(picture.rows, width)
    for row, name in enumerate(picture.rows):
        cells = [" "] * frame.cells
        of_row = [bar for bar in picture.bars if bar.row == row]
        for bar in sorted(of_row, key=lambda bar: order.index(bar.part)):
            left = int(frame.cells * (bar.begin - begin) / length)
            right = max(round(frame.cells * (bar.end - begin) / length), left + 1)
            cells[left:right] = LETTERS[picture.parts[bar.part]] * (right - left)
        yield frame.line(name, "".join(cells))
    end = picture.scale * (begin + length)
    text = format_seconds(end) if picture.unit == "s" else f"{format_bytes(end)}/s"
    yield frame.axis("0", text)
    if picture.unit == "s":
        legend = ", ".join(f"{LETTERS[picture.parts[part]]} {picture.parts[part]}" for part in order)
        yield from (f"{'':>{frame.room}}  {line}" for line in textwrap.wrap(legend, frame.cells))


def _ranges(picture: pictures.Ranges, width: int) -> Iterator[str]:
    """From the least ├ over the median ● to the most ┤."""
    most = max(one.most for one in picture.ranges) or 1.0
    frame = _Frame([one.row for one in picture.ranges], width)
    for one in picture.ranges:
        least, middle, end = (
            min(max(0, round((frame.cells - 1) * value / most)), frame.cells - 1)
            for value in (one.least, one.median, one.most)
        )
        cells = [" "] * frame.cells
        cells[least:end] = "─" * (end - least)
        cells[least], cells[end], cells[middle] = "├", "┤", "●"
        yield frame.line(one.row, "".join(cells))
    yield frame.axis("0", format_seconds(most))
