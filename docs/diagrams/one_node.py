"""Two layers on one node: ranks place pieces into slots of shared memory; each full slot is one write."""

from shapes import Sheet


def sheet() -> Sheet:
    page = Sheet(
        "A collective write on one node: each rank copies its pieces into slots of shared memory, and each "
        "full slot is written at once",
        304,
    )
    for rank in range(4):
        x = 20 + 182 * rank
        page.box(x, 14, 174, 56, f"rank {rank}: its buffer")
        page.pieces(x + 21, 40, range(rank, 24, 4))
        page.arrow((x + 87, 72), (x + 87, 100))
    page.box(
        20,
        102,
        720,
        92,
        "shared memory of the node: each rank copies its pieces into place, without messages",
    )
    for x, title, window, filled in (
        (56, "slot with window 0: full", range(8), lambda number: True),
        (300, "slot with window 1: filling", range(8, 16), lambda number: number % 4 != 3),
        (544, "slot with window 2: empty", range(16, 24), lambda number: False),
    ):
        page.text(x, 142, title, "note")
        page.pieces(x, 152, window, filled)
    page.arrow((143, 178), (143, 240))
    page.text(156, 222, "the rank that completed the slot writes it, with one call", "note")
    page.box(20, 242, 720, 48)
    page.text(32, 271, "file")
    page.pieces(75, 256, range(24), lambda number: number < 8)
    return page
