#!/usr/bin/env python3
"""Draws the diagrams of this folder into docs/images.

    docs/diagrams/draw.py [--check]

--check writes nothing and fails when an image differs from its source.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
import one_node  # noqa: E402
import rounds  # noqa: E402
import several_nodes  # noqa: E402

IMAGES = Path(__file__).resolve().parents[1] / "images"
SHEETS = {"one-node": one_node.sheet, "several-nodes": several_nodes.sheet, "rounds": rounds.sheet}


def main() -> None:
    made = {IMAGES / f"{name}.svg": sheet().svg() for name, sheet in SHEETS.items()}
    if sys.argv[1:] == ["--check"]:
        stale = [path.name for path, text in made.items() if not path.exists() or path.read_text() != text]
        sys.exit(f"differs from its source: {', '.join(stale)}; run docs/diagrams/draw.py" if stale else 0)
    if sys.argv[1:]:
        sys.exit(__doc__)
    for path, text in made.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
