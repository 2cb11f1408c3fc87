"""Tables of Markdown as CSV: what is too long for a page."""

import csv
import io


def csv_of(table: str) -> str:
    """The rows of a table, without its rule and what follows it."""
    out = io.StringIO()
    rows = [
        [cell.strip().strip("`") for cell in line[2:-2].split(" | ")]
        for line in table.splitlines()
        if line.startswith("|")
    ]
    csv.writer(out, lineterminator="\n").writerows(row for row in rows if set("".join(row)) - set("-| "))
    return out.getvalue()
