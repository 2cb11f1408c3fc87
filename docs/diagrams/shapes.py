"""What the diagrams are drawn with: a list of SVG elements on a sheet that has light and dark colours."""

from html import escape

WIDTH = 760
PIECE = 20  # side of the square that stands for a piece
STEP = PIECE + 2
RANKS = ("#2f6fc4", "#c4661f", "#2e8b57", "#8e4fb0")  # white digits can be read on each

# The sheet brings its background, so that the text can be read whatever the page around it is like.
STYLE = """\
  <style>
    .sheet { fill: #ffffff } .box { fill: #f3f5f8; stroke: #9aa4b2 }
    .empty { fill: none; stroke: #9aa4b2; stroke-dasharray: 3 2 }
    text { fill: #24292f } .note { fill: #4f5965 } .in { fill: #ffffff; font-size: 11px }
    .arrow { stroke: #4f5965; stroke-width: 1.6; fill: none } .head { fill: #4f5965 }
    @media (prefers-color-scheme: dark) {
      .sheet { fill: #1b1f27 } .box { fill: #262c36; stroke: #6b7686 } .empty { stroke: #6b7686 }
      text { fill: #e6e9ee } .note { fill: #b3bcc8 } .in { fill: #ffffff }
      .arrow { stroke: #b3bcc8 } .head { fill: #b3bcc8 }
    }
  </style>
"""


class Sheet:
    def __init__(self, title: str, height: int):
        self.title, self.height, self.elements = title, height, []

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            'font-family="sans-serif" font-size="13" role="img">\n'
            f"  <title>{escape(self.title)}</title>\n{STYLE}"
            '  <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto">'
            '<path class="head" d="M0 0 8 4 0 8z"/></marker></defs>\n'
            f'  <rect class="sheet" width="{WIDTH}" height="{self.height}" rx="8"/>\n'
            + "".join(f"  {one}\n" for one in self.elements)
            + "</svg>\n"
        )

    def text(self, x, y, words, kind="", anchor="start", *, bold=False) -> None:
        marks = (
            (f' class="{kind}"' if kind else "")
            + (f' text-anchor="{anchor}"' if anchor != "start" else "")
            + (' font-weight="bold"' if bold else "")
        )
        self.elements.append(f'<text x="{x}" y="{y}"{marks}>{escape(words)}</text>')

    def box(self, x, y, width, height, title="") -> None:
        self.elements.append(f'<rect class="box" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        if title:
            self.text(x + 8, y + 17, title)

    def bar(self, x, y, width, height, colour, *, words="") -> None:
        self.elements.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="{colour}"/>'
        )
        if words != "":
            self.text(x + width / 2, y + height / 2 + 4, str(words), "in", "middle")

    def pieces(self, x, y, numbers, filled=lambda number: True) -> None:
        """Pieces of the file by number, in the colours of their ranks; those that are not there yet as
        outlines."""
        for at, number in enumerate(numbers):
            if filled(number):
                self.bar(x + at * STEP, y, PIECE, PIECE, RANKS[number % len(RANKS)], words=number)
            else:
                self.elements.append(
                    f'<rect class="empty" x="{x + at * STEP}" y="{y}" width="{PIECE}" height="{PIECE}" '
                    'rx="3"/>'
                )

    def arrow(self, *points) -> None:
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.elements.append(f'<path class="arrow" d="{path}" marker-end="url(#head)"/>')
