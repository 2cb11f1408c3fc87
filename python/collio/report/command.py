"""`collio report`: shows the reports that jobs left."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from collio import report
from collio.report import reading
from collio.report import text as report_text
from collio.report.records import Document


@click.command("report")
@click.argument("files", nargs=-1, required=True, metavar="FILE [OTHER]", type=click.Path(path_type=Path))
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page for the browser here.",
)
@click.option("--pictures", "drawn", is_flag=True, help="Draw the page's pictures on the terminal.")
@click.option("--csv", "as_rows", is_flag=True, help="Print the calls as comma-separated values.")
def report_command(files: tuple[Path, ...], page: Path | None, drawn: bool, as_rows: bool) -> None:
    """Show a report of `collio run --report FILE`, what differs in that of OTHER, or a folder's reports."""
    try:
        if drawn:
            _draw(files)
        if page or as_rows or not drawn:
            _show(files, page, as_rows)
    except reading.ReportError as error:
        raise click.ClickException(str(error)) from None


def _draw(files: tuple[Path, ...]) -> None:
    from collio.report import pictures_text

    for file in files:
        pictures_text.print_pictures(Console(), reading.load(file))


def _show(files: tuple[Path, ...], page: Path | None, as_rows: bool) -> None:
    if as_rows:
        from collio.report import rows

        click.echo(rows.as_csv(report.read(*files)), nl=False)
        return
    if len(files) > 2 or (page and len(files) > 1):
        raise click.UsageError(
            f"{len(files)} reports; allowed: one, or two to compare; --csv takes any number"
        )
    if len(files) == 1 and files[0].is_dir():
        if page:
            raise click.UsageError(f"{files[0]} is a folder; --html makes a page of one report")
        _show_jobs(files[0])
        return
    documents = [reading.load(file) for file in files]
    if len(documents) == 2:
        _show_difference(*documents)
    elif page is None:
        report_text.print_report(Console(), documents[0])
    else:
        from collio.report import html  # Jinja2, which nothing else needs

        page.write_text(html.page(documents[0]), encoding="utf-8")
        click.echo(f"wrote {page}")


def _show_difference(first: Document, second: Document) -> None:
    from collio.report import compare

    console = Console()
    for line in compare.facts(first, second):
        console.print(Text(line), highlight=False)
    console.print(compare.seconds(first, second))


def _show_jobs(folder: Path) -> None:
    from collio.report import jobs

    table, other = jobs.table(folder)
    Console().print(table)
    for line in other:
        click.echo(line, err=True)
