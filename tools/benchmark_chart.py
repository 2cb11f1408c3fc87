"""The chart of speed-ups on the page of benchmarks and in the README."""

from common import Stop
from benchmark_figures import figures

BARS = (
    ("a climate model's grid (e3sm)", "e3sm, 4 B elements, 10 variables"),
    ("a combustion grid (s3d)", "s3d, 80 x 80 x 80"),
    ("contiguous blocks of 4 MiB", "contiguous, 4 MiB blocks"),
    ("calls of 47008 B, strided (ior)", "ior, calls of 47008 B, strided"),
)
WIDEST = 400
LABEL_SVG = """\
  <text x="250" y="{y}" text-anchor="end">{label}</text>
"""
BAR_SVG = """\
  <rect class="{kind}" x="260" y="{y}" width="{width:.1f}" height="16" rx="3"/>
  <text x="{end:.1f}" y="{text_y}">{figure}x</text>
"""
# The chart brings its background: its text can be read on light and dark pages.
CHART_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif" font-size="15"
 role="img">
  <title>Speed-up of collective writes: MPICH's time divided by collio's</title>
  <style>
    .sheet {{ fill: #ffffff }} text {{ fill: #24292f }}
    .default {{ fill: #2a7de1 }} .tuned {{ fill: #e08a1e }}
    @media (prefers-color-scheme: dark) {{ .sheet {{ fill: #1b1f27 }} text {{ fill: #e6e9ee }} }}
  </style>
  <rect class="sheet" width="760" height="{height}" rx="8"/>
{bars}  <rect class="default" x="260" y="{key_y}" width="12" height="12" rx="2"/>
  <text x="278" y="{key_text_y}">MPICH's default hints</text>
  <rect class="tuned" x="480" y="{key_y}" width="12" height="12" rx="2"/>
  <text x="498" y="{key_text_y}">hints tuned for the pattern</text>
</svg>
"""


def bars_of(rows: list) -> list:
    """(label, speed-up of writes over MPICH's default hints, over tuned ones) with 8 ranks on tmpfs."""
    found = []
    for label, pattern in BARS:
        row = next(
            (
                row
                for row in rows
                if row.key[:3] == ("tmpfs", pattern, 8) and row.opponent.startswith("MPICH") and row.tuned
            ),
            None,
        )
        if row is None:
            raise Stop(f"no tuned result for the chart's bar {pattern!r}, 8 ranks, MPICH, tmpfs")
        found.append((label, row.speedup["write"], row.tuned["write"]))
    return found


def chart(rows: list) -> str:
    """The bars as SVG."""
    found = bars_of(rows)
    scale = WIDEST / max(ratio for _, *pair in found for ratio in pair)
    bars, top = [], 14
    for label, *pair in found:
        bars.append(LABEL_SVG.format(y=top + 23, label=label))
        for at, (kind, ratio) in enumerate(zip(("default", "tuned"), pair)):
            y, width = top + 18 * at, scale * ratio
            bars.append(
                BAR_SVG.format(
                    kind=kind, y=y, text_y=y + 13, width=width, end=268 + width, figure=figures(ratio)
                )
            )
        top += 46
    return CHART_SVG.format(height=top + 34, bars="".join(bars), key_y=top + 6, key_text_y=top + 17)
