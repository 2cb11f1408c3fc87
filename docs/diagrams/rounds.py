"""Rounds over time: one after the other, and overlapped with two buffers."""

from shapes import Sheet

BUFFERS = ("#2f6fc4", "#c4661f")
EXCHANGE, STORAGE = 58, 82  # how long each takes here
LEFT, LANE = 170, 30


def sheet() -> Sheet:
    page = Sheet(
        "Rounds of one aggregator over time: with one buffer exchange and storage take turns; with two the "
        "exchange of a window "
        "overlaps the storage of the one before",
        300,
    )
    draw(page, 14, "none: one buffer", exchange_starts=[0, 140, 280, 420], buffers=1)
    draw(page, 124, "dataflow: two buffers", exchange_starts=[0, 58, 140, 222], buffers=2)
    page.arrow((LEFT, 248), (740, 248))
    page.text(740, 266, "time", "note", "end")
    page.text(LEFT, 266, "Drawn for windows whose write takes longer than their messages.", "note")
    page.bar(LEFT, 276, 14, 12, BUFFERS[0])
    page.text(LEFT + 20, 287, "in buffer 0", "note")
    page.bar(LEFT + 110, 276, 14, 12, BUFFERS[1])
    page.text(LEFT + 130, 287, "in buffer 1", "note")
    return page


def draw(page: Sheet, top: int, title: str, exchange_starts: list, buffers: int) -> None:
    """The two lanes of one schedule: a window is written when it is complete and the one before is
    written."""
    page.box(20, top, 720, 98, title)
    free = 0
    for lane, name in enumerate(("messages arrive", "window is written")):
        page.text(32, top + 44 + lane * LANE, name, "note")
    for window, start in enumerate(exchange_starts):
        colour = BUFFERS[window % buffers]
        page.bar(LEFT + start, top + 28, EXCHANGE - 2, 22, colour, words=f"window {window}")
        free = max(free, start + EXCHANGE)
        page.bar(LEFT + free, top + 28 + LANE, STORAGE - 2, 22, colour, words=f"window {window}")
        free += STORAGE
