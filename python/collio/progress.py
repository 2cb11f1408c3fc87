"""Bars with the expected end on stderr, where that is a terminal; elsewhere nothing is printed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text


class Bar:
    """Of `total` steps, bytes or seconds. On a terminal it goes when it is done; what it says stays."""

    def __init__(self, shown: Progress, task: TaskID):
        self._shown, self._task, self._begun = shown, task, False

    def begin(self, what: str) -> None:
        """The next step; the one before is done."""
        self._shown.update(self._task, description=what, advance=1 if self._begun else 0)
        self._begun = True

    def advance(self, steps: float = 1) -> None:
        self._shown.update(self._task, advance=steps)

    def reach(self, done: float) -> None:
        self._shown.update(self._task, completed=done)

    def expect(self, more: float) -> None:
        """Further steps, which were not known before."""
        task = self._shown.tasks[self._task]
        self._shown.update(self._task, total=(task.total or 0) + more)

    def print(self, line: str) -> None:
        """A line above the bar."""
        if not self._shown.disable:
            self._shown.console.print(Text(line), highlight=False)


@contextmanager
def bar(what: str, total: float, console: Console | None = None) -> Iterator[Bar]:
    """Shown until the block ends."""
    console = console or Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_terminal,
    ) as shown:
        yield Bar(shown, shown.add_task(what, total=total))
