"""How the pages of benchmarks write a ratio, and their mean of several."""

import math


def figures(ratio: float) -> str:
    """Two significant digits."""
    return f"{ratio:.2f}" if ratio < 1 else f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def geometric_mean(ratios: list) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))
