"""A network as a picture: SVG, one line for each link, coloured by its rate."""

from __future__ import annotations

from xml.sax.saxutils import escape

from collio.machine_file.graph import Graph
from collio.machine_file.units import format_rate
from collio.topology.layout import CELL, ROOMY, Layout, lay_out
from collio.wording import format_seconds

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf")
"""Of the rates, the highest first; further ones share the last."""

_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 '
    '{width:.0f} {height:.0f}" '
    'font-family="sans-serif" font-size="11">'
)


def to_svg(graph: Graph) -> str:
    """The picture as text."""
    layout = lay_out(graph)
    rates = sorted({link.rate_bytes_per_s for link in graph.links}, reverse=True)
    width, height = max(layout.width, 3 * CELL), layout.height + 18.0 * (len(rates) + 2)
    parts = [_HEAD.format(width=width, height=height), f"<title>{escape(graph.name)}</title>"]
    parts.append(f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>')
    parts += [_link(graph, index, layout, rates) for index in range(len(graph.links))]
    parts += [_vertex(graph, vertex, layout) for vertex in range(graph.vertices)]
    parts += _legend(graph, rates, layout.height)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _colour(rate: float, rates: list[float]) -> str:
    return COLOURS[min(rates.index(rate), len(COLOURS) - 1)]


def _link(graph: Graph, index: int, layout: Layout, rates: list[float]) -> str:
    """A line; an arc where it would run through others (the wrap of a torus, a second cable of two
    vertices)."""
    link = graph.links[index]
    (ax, ay), (bx, by) = layout.places[link.a], layout.places[link.b]
    same = (
        [other for other in range(index) if {graph.links[other].a, graph.links[other].b} == {link.a, link.b}]
        if len(graph.links) <= 2000
        else []
    )
    length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
    through_others = length > 2.1 * CELL and (layout.kind == "grid" or (layout.kind == "layers" and ay == by))
    bend = 0.18 * length if through_others else 8.0 * len(same)
    middle = (
        (ax + bx) / 2 - bend * (by - ay) / (length or 1),
        (ay + by) / 2 + bend * (bx - ax) / (length or 1),
    )
    told = f"{graph.link_name(index)}: {format_rate(link.rate_bytes_per_s)}" + (
        f", {format_seconds(link.latency_s)}" if link.latency_s else ""
    )
    return (
        f'<path d="M{ax:.1f} {ay:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {bx:.1f} {by:.1f}" fill="none" '
        f'stroke="{_colour(link.rate_bytes_per_s, rates)}" '
        f'stroke-width="1.6"><title>{escape(told)}</title></path>'
    )


def _vertex(graph: Graph, vertex: int, layout: Layout) -> str:
    x, y = layout.places[vertex]
    name = escape(graph.vertex_name(vertex))
    if vertex >= len(graph.nodes):
        shown = name if len(name) <= 14 else name[:13] + "…"
        return (
            f'<g><title>{name}</title><rect x="{x - 44:.1f}" y="{y - 11:.1f}" width="88" height="22" rx="3" '
            'fill="#eef3f8" stroke="#456"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{shown}</text></g>'
        )
    roomy = len(graph.nodes) <= ROOMY
    circle = (
        f'<g><title>{name}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="{7 if roomy else 3}" '
        'fill="#fdf6e3" stroke="#654"/>'
    )
    turn = f' transform="rotate(40 {x:.1f} {y + 18:.1f})"' if layout.kind == "layers" else ""
    anchor = "start" if turn else "middle"
    return (
        circle
        + (f'<text x="{x:.1f}" y="{y + 20:.1f}" text-anchor="{anchor}"{turn}>{name}</text>' if roomy else "")
        + "</g>"
    )


def _legend(graph: Graph, rates: list[float], top: float) -> list[str]:
    lines = []
    for row, rate in enumerate(rates):
        y = top + 18.0 * (row + 1)
        count = sum(link.rate_bytes_per_s == rate for link in graph.links)
        lines.append(
            f'<path d="M16 {y:.1f}h28" stroke="{_colour(rate, rates)}" stroke-width="2.5"/>'
            f'<text x="52" y="{y + 4:.1f}">{format_rate(rate)} ({count})</text>'
        )
    return lines
