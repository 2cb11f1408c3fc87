"""Two layers on several nodes: pieces for a window of another node meet in a slot too, and travel in one
message."""

from shapes import STEP, Sheet

NODES = ((20, (0, 1)), (390, (2, 3)))  # left edge, ranks


def sheet() -> Sheet:
    page = Sheet(
        "A collective write on two nodes: pieces for a window that the other node serves meet in a slot and "
        "travel in one message",
        420,
    )
    for node, (x, ranks) in enumerate(NODES):
        page.box(x, 14, 350, 268)
        page.text(x + 10, 32, f"node {node}", bold=True)
        for at, rank in enumerate(ranks):
            left = x + 16 + 164 * at
            page.box(left, 42, 154, 56, f"rank {rank}: its buffer")
            page.pieces(left + 34, 68, range(rank, 16, 4))
            page.arrow((left + 77, 100), (left + 77, 126))
        own = [number for number in range(16) if number % 4 in ranks]
        for window in (0, 1):
            y = 128 + 76 * window
            here = window == node
            page.box(
                x + 16,
                y,
                318,
                62,
                f"slot with window {window}: " + ("written here" if here else "goes to the other node"),
            )
            page.pieces(
                x + 87,
                y + 30,
                range(8 * window, 8 * window + 8),
                lambda number, here=here, own=own: here or number in own,
            )
    page.arrow((404, 162), (358, 162))
    page.arrow((356, 238), (402, 238))
    page.text(
        380, 304, "between nodes: one message per window, with all pieces of the node", "note", "middle"
    )
    page.arrow((120, 284), (120, 350))
    page.arrow((640, 284), (640, 350))
    page.text(132, 334, "window 0", "note")
    page.text(628, 334, "window 1", "note", "end")
    page.box(20, 352, 720, 54, "file")
    page.pieces(380 - 8 * STEP + 1, 370, range(16))
    return page
