"""`collio report`: shows the report a job left."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from collio.report import reading
from collio.report import text as report_text


@click.command("report")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page for the browser here.",
)
def report_command(file: Path, page: Path | None) -> None:
    """Show a report of `collio run --report FILE`."""
    try:
        document = reading.load(file)
    except reading.ReportError as error:
        raise click.ClickException(str(error)) from None
    if page is None:
        report_text.print_report(Console(), document)
        return
    from collio.report import html  # Jinja2, which nothing else needs

    page.write_text(html.page(document), encoding="utf-8")
    click.echo(f"wrote {page}")
